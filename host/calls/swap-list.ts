/** A member of a {@link SwapList}, which is in one at a time. */
export interface Listed {
  /** Where it is in the list; -1 where it is not. */
  at: number
}

/**
 * The members that are under way, in any order. A `Set` whose members come and go without end gives up table after table; each holds the next one and what
 * was in it, so that the collector of garbage keeps them all until it looks at everything. This array is one and the same.
 */
export class SwapList<T extends Listed> {
  readonly #items: T[] = []

  get size(): number {
    return this.#items.length
  }

  add(item: T): void {
    item.at = this.#items.push(item) - 1
  }

  /** @returns false when it was not there */
  delete(item: T): boolean {
    const { at } = item
    if (at < 0) return false
    item.at = -1
    const last = this.#items.pop()!
    if (last === item) return true
    this.#items[at] = last
    last.at = at
    return true
  }

  /** The members that are there now, whatever leaves meanwhile. */
  [Symbol.iterator](): IterableIterator<T> {
    return this.#items.slice().values()
  }
}
