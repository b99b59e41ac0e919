const MOST = 32

/** Characters of the longest text that is remembered. */
export const LONGEST = 256

/** What the texts that were read last say, of those that are short: most parts and requests say the same as the ones before. */
export class Recent<T> {
  readonly #known = new Map<string, T>()

  get(text: string): T | undefined {
    return this.#known.get(text)
  }

  set(text: string, says: T): void {
    if (text.length > LONGEST) return
    if (this.#known.size === MOST) this.#known.clear()
    this.#known.set(text, says)
  }
}
