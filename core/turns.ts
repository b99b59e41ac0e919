/** Milliseconds of work after which others get their turn. */
const TURN_MS = 10

/** Long works that wait for their turn, in the order in which they came. */
const waiting: Array<() => void> = []

/** One at a time: hundreds that went on in one round of the event loop would hold up all that is short. */
function next(): void {
  waiting.shift()!()
  if (waiting.length > 0) setImmediate(next)
}

/**
 * Turns of the event loop in the middle of long work, so that other calls go on, and the end of the call's time, a caller that leaves and a
 * signal to stop are seen. Work on blocks at hand waits for nothing outside the process, so it comes to none by itself.
 */
export class Turns {
  readonly #signal: AbortSignal | undefined
  #since = performance.now()

  /** @param signal - ends the work */
  constructor(signal?: AbortSignal) {
    this.#signal = signal
  }

  /** Whether the work went on for so long that {@link take} should be waited for. */
  get due(): boolean {
    return performance.now() - this.#since > TURN_MS
  }

  /** @throws the signal's reason */
  async take(): Promise<void> {
    await new Promise<void>(resolve => {
      if (waiting.push(resolve) === 1) setImmediate(next)
    })
    this.#signal?.throwIfAborted()
    this.#since = performance.now()
  }
}
