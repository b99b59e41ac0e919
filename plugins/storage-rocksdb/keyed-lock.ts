/** One at a time per key, in the order of asking; different keys do not wait for each other. */
export class KeyedLock {
  readonly #last = new Map<string, Promise<unknown>>()

  async run<T>(key: string, work: () => Promise<T>): Promise<T> {
    const previous = this.#last.get(key)
    const mine = previous === undefined ? work() : previous.then(work, work)
    this.#last.set(key, mine)
    try {
      return await mine
    } finally {
      if (this.#last.get(key) === mine) this.#last.delete(key)
    }
  }
}

/** Lets `width` pieces of work run at a time; the others wait in order. */
export class Gate {
  readonly #width: number
  #running = 0
  readonly #waiting: Array<() => void> = []

  constructor(width: number) {
    this.#width = width
  }

  async run<T>(work: () => Promise<T>): Promise<T> {
    if (this.#running < this.#width) this.#running++
    else await new Promise<void>(resolve => this.#waiting.push(resolve))
    try {
      return await work()
    } finally {
      const next = this.#waiting.shift()
      if (next === undefined) this.#running--
      else next()
    }
  }
}
