const SLOTS = 32

/** Characters of the longest text that is remembered. */
export const LONGEST = 256

/**
 * What the texts that were read last say, of those that are short: most parts and requests say the same as the ones before. A text has one slot
 * that it may be in, so that to look for one that is not there costs next to nothing.
 */
export class Recent<T> {
  readonly #texts: string[] = new Array(SLOTS).fill('')
  readonly #says: Array<T | undefined> = new Array(SLOTS).fill(undefined)

  get(text: string): T | undefined {
    const slot = slotOf(text)
    return this.#texts[slot] === text ? this.#says[slot] : undefined
  }

  set(text: string, says: T): void {
    if (text.length > LONGEST) return
    const slot = slotOf(text)
    this.#texts[slot] = text
    this.#says[slot] = says
  }
}

function slotOf(text: string): number {
  const { length } = text
  return (length + text.charCodeAt(length >> 1) + text.charCodeAt(length - 2)) % SLOTS || 0
}
