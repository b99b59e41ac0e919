/**
 * Gathers what many callers want written while one write is under way, and writes it together next: under load a batch holds what
 * arrived during the one before, a lone caller waits for nobody. What one caller hands over stays together and in order.
 */
export class GroupCommit<T> {
  readonly #write: (items: readonly T[]) => Promise<void>
  #waiting: T[] = []
  #next: Promise<void> | undefined
  #running: Promise<void> | undefined

  constructor(write: (items: readonly T[]) => Promise<void>) {
    this.#write = write
  }

  /** Whether something is written, or waits for that. */
  get isBusy(): boolean {
    return this.#next !== undefined || this.#running !== undefined
  }

  /** Resolves when the items are written; rejects, for everybody in it, when their batch fails. */
  add(items: readonly T[]): Promise<void> {
    for (const item of items) this.#waiting.push(item)
    this.#next ??= this.#after(this.#running)
    return this.#next
  }

  async #after(previous: Promise<void> | undefined): Promise<void> {
    // Even the first waits a moment, so that callers of the same turn of the event loop share a batch.
    await (previous ?? Promise.resolve()).catch(() => {})
    const items = this.#waiting
    this.#waiting = []
    const me = this.#next
    this.#running = me
    this.#next = undefined
    try {
      await this.#write(items)
    } finally {
      if (this.#running === me) this.#running = undefined
    }
  }
}

/**
 * A piece of work whose result many may share. Who asks while it runs waits for the next run, which starts afterwards and is one for all
 * of them: it must cover what was done before they asked. Where the run before fails, they are told so too: what a disk lost it reports
 * once, and theirs may be part of it.
 */
export class SharedRun {
  readonly #work: () => Promise<void>
  #running: Promise<void> | undefined
  #next: Promise<void> | undefined

  constructor(work: () => Promise<void>) {
    this.#work = work
  }

  run(): Promise<void> {
    // First, since some microtasks lie between the end of a run and the beginning of the next.
    if (this.#next !== undefined) return this.#next
    if (this.#running === undefined) return this.#start()
    this.#next = this.#after(this.#running)
    return this.#next
  }

  async #after(previous: Promise<void>): Promise<void> {
    const [before] = await Promise.allSettled([previous])
    await this.#start()
    if (before.status === 'rejected') throw before.reason
  }

  #start(): Promise<void> {
    this.#next = undefined
    const running = this.#work().finally(() => {
      this.#running = undefined
    })
    this.#running = running
    return running
  }
}
