/** Work on items, so many at a time; whoever adds waits for a place. The first failure is thrown by the next call. */
export class Workers<T> {
  readonly #most: number
  readonly #work: (item: T) => Promise<unknown>
  readonly #running = new Set<Promise<void>>()
  #failure: { readonly error: unknown } | undefined

  constructor(most: number, work: (item: T) => Promise<unknown>) {
    this.#most = most
    this.#work = work
  }

  async add(item: T): Promise<void> {
    while (this.#running.size >= this.#most) await Promise.race(this.#running)
    this.#check()
    const running: Promise<void> = this.#work(item)
      .then(
        () => {},
        error => {
          this.#failure ??= { error }
        }
      )
      .finally(() => void this.#running.delete(running))
    this.#running.add(running)
  }

  async idle(): Promise<void> {
    await Promise.all(this.#running)
    this.#check()
  }

  #check(): void {
    if (this.#failure !== undefined) throw this.#failure.error
  }
}
