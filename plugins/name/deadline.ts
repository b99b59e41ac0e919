import { commonErrors } from '../../core/errors/index.ts'

/** A signal that fires when time is over, or with that of a caller. It keeps the process alive until it is released. */
export class Deadline {
  readonly signal: AbortSignal
  readonly #over = new AbortController()
  readonly #timer: NodeJS.Timeout | undefined

  /** @param milliseconds - 0: there is no hurry */
  constructor(milliseconds: number, caller: AbortSignal | undefined) {
    this.signal = caller === undefined ? this.#over.signal : AbortSignal.any([caller, this.#over.signal])
    if (milliseconds > 0) this.#timer = setTimeout(() => this.#over.abort(commonErrors.E_TIMEOUT()), milliseconds)
  }

  release(): void {
    clearTimeout(this.#timer)
  }
}
