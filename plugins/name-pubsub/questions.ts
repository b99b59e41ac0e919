/** Questions to peers that are asked in the background, each once while it waits, so many at a time; what there is no room for is not asked. */
export class Questions {
  readonly #most: { readonly atOnce: number; readonly waiting: number }
  readonly #ask: (peer: string, topic: string) => Promise<void>
  readonly #waiting = new Map<string, readonly [peer: string, topic: string]>()
  #asking = 0
  #over = false

  /** @param ask - does not throw */
  constructor(most: { readonly atOnce: number; readonly waiting: number }, ask: (peer: string, topic: string) => Promise<void>) {
    this.#most = most
    this.#ask = ask
  }

  add(peer: string, topic: string): void {
    const key = `${peer} ${topic}`
    if (this.#over || this.#waiting.has(key) || this.#waiting.size >= this.#most.waiting) return
    this.#waiting.set(key, [peer, topic])
    if (this.#asking < this.#most.atOnce) void this.#work()
  }

  stop(): void {
    this.#over = true
    this.#waiting.clear()
  }

  async #work(): Promise<void> {
    this.#asking++
    for (let next = this.#take(); next !== undefined; next = this.#take()) await this.#ask(...next)
    this.#asking--
  }

  #take(): readonly [peer: string, topic: string] | undefined {
    const [first] = this.#waiting
    if (first === undefined) return undefined
    this.#waiting.delete(first[0])
    return first[1]
  }
}
