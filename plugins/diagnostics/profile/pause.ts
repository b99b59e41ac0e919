/** Waits, or throws the signal's reason as soon as it fires. */
export function pause(milliseconds: number, signal: AbortSignal): Promise<void> {
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
