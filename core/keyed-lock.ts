/** One at a time per key, in the order of asking; different keys do not wait for each other. */
export class KeyedLock {
  readonly #last = new Map<string, Promise<unknown>>()

  /** Runs `work` once nobody else holds any of the keys. */
  async run<T>(keys: string | readonly string[], work: () => Promise<T>): Promise<T> {
    const all = typeof keys === 'string' ? [keys] : keys
    // Asked for in one turn of the event loop, several keys cannot be taken in two orders: nobody waits for somebody who waits for him.
    const before = all.map(key => this.#last.get(key)).filter(last => last !== undefined)
    const mine = before.length === 0 ? work() : Promise.allSettled(before).then(work)
    for (const key of all) this.#last.set(key, mine)
    try {
      return await mine
    } finally {
      for (const key of all) if (this.#last.get(key) === mine) this.#last.delete(key)
    }
  }
}
