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
