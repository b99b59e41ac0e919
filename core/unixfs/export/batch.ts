/** Characters of the texts of a batch, beyond which it is handed over. */
const MOST_TEXT = 64 << 10

/** Things that are handed over together: fewer where their texts are longer. */
export class Batch<T> {
  readonly #most: number
  #items: T[] = []
  #text = 0

  constructor(most: number) {
    this.#most = most
  }

  /** @param text - characters of its text @returns the batch, once it is full */
  add(item: T, text: number): readonly T[] | undefined {
    this.#text += text
    return this.#items.push(item) < this.#most && this.#text < MOST_TEXT ? undefined : this.take()
  }

  take(): readonly T[] {
    const taken = this.#items
    this.#items = []
    this.#text = 0
    return taken
  }
}
