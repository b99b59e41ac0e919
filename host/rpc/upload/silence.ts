import type { IncomingMessage } from 'node:http'

/** Tells when nothing of a request came for a time while somebody waited for more of it. */
export class Silence {
  readonly #request: IncomingMessage
  readonly #limit: number
  readonly #broken: () => void
  #timer: NodeJS.Timeout | undefined
  #waits = false
  #seen = 0
  #over = false

  /**
   * @param limit - milliseconds; 0 for any time
   * @param broken - called once, when it was silent for so long
   */
  constructor(request: IncomingMessage, limit: number, broken: () => void) {
    this.#request = request
    this.#limit = limit
    this.#broken = broken
  }

  /** Somebody waits from now on. */
  begin(): void {
    if (this.#limit === 0 || this.#over) return
    this.#waits = true
    this.#seen = this.#request.socket.bytesRead
    if (this.#timer !== undefined) this.#timer.refresh()
    else this.#timer = setTimeout(this.#late, this.#limit).unref()
  }

  /** The end of a wait. The timer goes on: most waits are short, and to stop it each time would cost more. */
  end(): void {
    this.#waits = false
  }

  /** Nobody will wait any more. */
  stop(): void {
    this.#over = true
    clearTimeout(this.#timer)
  }

  readonly #late = (): void => {
    // what lies in the socket already, as the loop was busy meanwhile, is read first
    setImmediate(() => {
      if (this.#over || !this.#waits) return
      // bytes that are no whole line or delimiter yet are on their way, too
      if (this.#request.socket.bytesRead !== this.#seen) return this.begin()
      this.stop()
      this.#broken()
    })
  }
}
