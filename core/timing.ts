/** The longest that a timer of Node.js waits, in milliseconds. */
export const MAX_DELAY: number = 2 ** 31 - 1

/** Waits for `work`, but no longer than so many milliseconds. @returns whether it was over by then @throws what it throws in that time */
export async function within(milliseconds: number, work: Promise<unknown>): Promise<boolean> {
  let timer: ReturnType<typeof setTimeout> | undefined
  const late = new Promise<false>(resolve => {
    timer = setTimeout(resolve, milliseconds, false)
  })
  try {
    return await Promise.race([work.then(() => true), late])
  } finally {
    clearTimeout(timer)
  }
}

/**
 * Runs work with a signal of its own: it fires when time is over or the caller's signal does, and never once the work is done, however long what
 * came of the work lives on.
 *
 * @param late - makes what is thrown when the time is over
 * @param run - told how to have its time counted anew
 */
export async function bounded<T>(
  milliseconds: number,
  signal: AbortSignal | undefined,
  late: () => Error,
  run: (signal: AbortSignal, progress: () => void) => Promise<T> | T
): Promise<T> {
  signal?.throwIfAborted()
  const controller = new AbortController()
  let timer: NodeJS.Timeout | undefined = setTimeout(() => controller.abort(late()), milliseconds)
  const leave = () => controller.abort(signal?.reason)
  signal?.addEventListener('abort', leave, { once: true })
  let stop = () => {}
  const ended = new Promise<never>((_, reject) => {
    stop = () => reject(controller.signal.reason)
    controller.signal.addEventListener('abort', stop, { once: true })
  })
  try {
    const work = (async () => run(controller.signal, () => timer?.refresh()))()
    // what is given up may fail later, unseen
    work.catch(() => {})
    return await Promise.race([work, ended])
  } finally {
    clearTimeout(timer)
    // one that is refreshed after its end would run again
    timer = undefined
    signal?.removeEventListener('abort', leave)
    controller.signal.removeEventListener('abort', stop)
  }
}

/** Waits so many milliseconds. @throws the signal's reason as soon as it fires */
export function sleep(milliseconds: number, signal: AbortSignal): Promise<void> {
  return new Promise((resolve, reject) => {
    if (signal.aborted) return reject(signal.reason)
    const leave = () => {
      clearTimeout(timer)
      reject(signal.reason)
    }
    const timer = setTimeout(() => {
      signal.removeEventListener('abort', leave)
      resolve()
    }, milliseconds)
    signal.addEventListener('abort', leave, { once: true })
  })
}
