/** How messages are remembered as seen. */
interface SeenOptions {
  /** Milliseconds. */
  readonly ttl: number
  /** Whether the time begins anew when a message is asked for. */
  readonly renews: boolean
  /** The most that are remembered. */
  readonly most: number
}

/** Messages by their IDs, remembered for a while; in the place of the library's own memory, which has no bound and forgets what is still sent. */
export class SeenMessages {
  readonly #options: SeenOptions
  readonly #now: () => number
  /** When each ends, the first first. */
  readonly #ends = new Map<string, number>()

  constructor(options: SeenOptions, now: () => number = Date.now) {
    this.#options = options
    this.#now = now
  }

  get size(): number {
    return this.#ends.size
  }

  /** @returns whether it was there already */
  put(id: string): boolean {
    if (this.has(id)) return true
    this.#ends.set(id, this.#now() + this.#options.ttl)
    if (this.#ends.size > this.#options.most) this.#ends.delete(this.#ends.keys().next().value!)
    return false
  }

  has(id: string): boolean {
    const end = this.#ends.get(id)
    if (end === undefined) return false
    const now = this.#now()
    if (end > now && !this.#options.renews) return true
    this.#ends.delete(id)
    if (end > now) this.#ends.set(id, now + this.#options.ttl)
    return end > now
  }

  prune(): void {
    const now = this.#now()
    for (const [id, end] of this.#ends) {
      if (end > now) return
      this.#ends.delete(id)
    }
  }

  /** Forgets those that fit. @returns their IDs */
  forget(fits: (id: string) => boolean): string[] {
    const gone = [...this.#ends.keys()].filter(fits)
    for (const id of gone) this.#ends.delete(id)
    return gone
  }

  clear(): void {
    this.#ends.clear()
  }
}
