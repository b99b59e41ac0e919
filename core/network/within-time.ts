/** The reason of a signal that has outlived its look-up. One for all: a new one would take as long as the rest of what is done at the end. */
const OVER = new Error('the look-up is over')

/**
 * The items of a look-up that may take so long: it ends quietly when the time is over, and by the caller's reason when the caller's signal
 * fires. The signal it is given lasts no longer than it does.
 */
export async function* withinTime<T>(
  milliseconds: number,
  signal: AbortSignal | undefined,
  run: (signal: AbortSignal) => AsyncIterable<T>
): AsyncGenerator<T> {
  signal?.throwIfAborted()
  const controller = new AbortController()
  let late = false
  const timer = setTimeout(() => {
    late = true
    controller.abort()
  }, milliseconds)
  const leave = () => controller.abort(signal?.reason)
  signal?.addEventListener('abort', leave, { once: true })
  try {
    yield* run(controller.signal)
  } catch (error) {
    signal?.throwIfAborted()
    if (!late) throw error
  } finally {
    clearTimeout(timer)
    signal?.removeEventListener('abort', leave)
    controller.abort(OVER)
  }
}
