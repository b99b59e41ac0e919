/** How much is kept for a reader that is behind. */
const MOST_LINES = 1024
const MOST_LENGTH = 1 << 20

/** One reader of the log: lines wait here until it takes them, and are lost when there are too many. */
export class Tail implements AsyncIterableIterator<string> {
  readonly #left: (tail: Tail) => void
  #lines: string[] = []
  #length = 0
  #lost = 0
  #ended = false
  #wake: (() => void) | undefined

  /** @param left - called once, when the reader is gone or everything was said */
  constructor(left: (tail: Tail) => void) {
    this.#left = left
  }

  push(line: string): void {
    if (this.#lines.length >= MOST_LINES || this.#length + line.length > MOST_LENGTH) {
      this.#lost++
      return
    }
    this.#lines.push(line)
    this.#length += line.length
    this.#wake?.()
  }

  /** The end of the tail: lines that wait can still be read, nothing comes after them. */
  end(): void {
    if (this.#ended) return
    this.#ended = true
    this.#left(this)
    this.#wake?.()
  }

  [Symbol.asyncIterator](): this {
    return this
  }

  /** All lines that wait, as one text. */
  async next(): Promise<IteratorResult<string>> {
    if (this.#lines.length === 0 && !this.#ended) {
      await new Promise<void>(resolve => {
        this.#wake = resolve
      })
      this.#wake = undefined
    }
    const text = this.#lines.join('') + this.#lossNotice()
    this.#lines = []
    this.#length = 0
    return text === '' ? { done: true, value: undefined } : { done: false, value: text }
  }

  async return(): Promise<IteratorResult<string>> {
    this.#lines = []
    this.end()
    return { done: true, value: undefined }
  }

  #lossNotice(): string {
    const lost = this.#lost
    if (lost === 0) return ''
    this.#lost = 0
    return `${JSON.stringify({ level: 40, time: Date.now(), subsystem: 'log', lost, msg: `${lost} lines were lost here: their reader was too slow` })}\n`
  }
}
