/** Values that are pushed to who pulls them, one at a time: the next is taken when the one before it was worked on. */
export class Handoff<T> implements AsyncIterableIterator<T> {
  #take: ((result: IteratorResult<T, undefined>) => void) | undefined
  #asked: (() => void) | undefined
  #isOver = false

  /** Hands a value over. Resolves when the next is asked for: to false where none will be. */
  async give(value: T): Promise<boolean> {
    if (this.#take === undefined && !this.#isOver) await this.#untilAsked()
    if (this.#isOver) return false
    const asked = this.#untilAsked()
    this.#take!({ done: false, value })
    this.#take = undefined
    await asked
    return !this.#isOver
  }

  /** Says that there are no more values. */
  end(): void {
    this.#isOver = true
    this.#take?.({ done: true, value: undefined })
    this.#take = undefined
  }

  next(): Promise<IteratorResult<T, undefined>> {
    if (this.#isOver) return Promise.resolve({ done: true, value: undefined })
    const given = new Promise<IteratorResult<T, undefined>>(resolve => {
      this.#take = resolve
    })
    this.#asked?.()
    return given
  }

  /** The one who pulls wants no more. */
  return(): Promise<IteratorResult<T, undefined>> {
    this.#isOver = true
    this.#asked?.()
    return Promise.resolve({ done: true, value: undefined })
  }

  [Symbol.asyncIterator](): this {
    return this
  }

  #untilAsked(): Promise<void> {
    return new Promise(resolve => {
      this.#asked = resolve
    })
  }
}
