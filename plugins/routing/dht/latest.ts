/** Values by peer, the latest of so many. */
export class Latest<V> {
  readonly #most: number
  readonly #values = new Map<string, V>()

  constructor(most: number) {
    this.#most = most
  }

  set(peer: string, value: V): void {
    this.#values.delete(peer)
    this.#values.set(peer, value)
    for (const oldest of this.#values.keys()) {
      if (this.#values.size <= this.#most) break
      this.#values.delete(oldest)
    }
  }

  get(peer: string): V | undefined {
    return this.#values.get(peer)
  }

  delete(peer: string): void {
    this.#values.delete(peer)
  }
}
