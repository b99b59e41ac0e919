/** Which of many operations fails, and how: counted from when it is armed. */
export class Armed<M extends string> {
  #at = Number.POSITIVE_INFINITY
  #count = 0
  readonly #lasting: M
  protected mode: M
  /** What failed. */
  fired: string | undefined

  /** @param lasting - the mode in which all that follow fail as well */
  constructor(mode: M, lasting: M) {
    this.mode = mode
    this.#lasting = lasting
  }

  /** The `at`th from here on, counted from 1. */
  arm(at: number, mode: M): void {
    this.#at = at
    this.mode = mode
    this.#count = 0
    this.fired = undefined
  }

  disarm(): void {
    this.#at = Number.POSITIVE_INFINITY
  }

  /** Counts an operation. @returns whether it fails */
  protected isNext(): boolean {
    this.#count++
    return this.mode === this.#lasting ? this.#count >= this.#at : this.#count === this.#at
  }
}
