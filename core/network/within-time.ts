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
    controller.abort()
  }
}
