/**
 * Runs work with a signal of its own: it fires when time is over or the caller's signal does, and never once the work is done, however long what
 * came of the work lives on.
 *
 * @param late - makes what is thrown when the time is over
 */
export async function bounded<T>(
  milliseconds: number,
  signal: AbortSignal | undefined,
  late: () => Error,
  run: (signal: AbortSignal) => Promise<T>
): Promise<T> {
  signal?.throwIfAborted()
  const controller = new AbortController()
  const timer = setTimeout(() => controller.abort(late()), milliseconds)
  const leave = () => controller.abort(signal?.reason)
  signal?.addEventListener('abort', leave, { once: true })
  let stop = () => {}
  const ended = new Promise<never>((_, reject) => {
    stop = () => reject(controller.signal.reason)
    controller.signal.addEventListener('abort', stop, { once: true })
  })
  try {
    const work = run(controller.signal)
    // what is given up may fail later, unseen
    work.catch(() => {})
    return await Promise.race([work, ended])
  } finally {
    clearTimeout(timer)
    signal?.removeEventListener('abort', leave)
    controller.signal.removeEventListener('abort', stop)
  }
}
