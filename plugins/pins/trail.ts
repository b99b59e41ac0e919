/** Nodes between two notes of how far a walk got. */
const NOTE_EVERY = 512
/** Where nodes come slowly: the time between two notes, in milliseconds. */
const NOTE_AFTER = 2000
/** The least for which a walk that ends early leaves one. */
const WORTH_A_NOTE = NOTE_EVERY / 8

/** The notes of one walk, one after the other; it goes on while one is written, as that waits for the disk. */
export class Trail {
  /** Takes down at once how far the walk is. */
  readonly #write: () => Promise<void>
  /** Nodes visited, at the last note. */
  #noted: number
  #notedAt = Date.now()
  #isNoted: boolean
  #writing: Promise<void> | undefined
  #failure: { readonly error: unknown } | undefined

  /** @param isNoted - whether there is a note already, of `visited` nodes */
  constructor(write: () => Promise<void>, visited: number, isNoted: boolean) {
    this.#write = write
    this.#noted = visited
    this.#isNoted = isNoted
  }

  /** Whether there is, or may be, a note. */
  get isNoted(): boolean {
    return this.#isNoted
  }

  /** To be told at every node. @throws what kept a note from being written */
  passed(visited: number): void {
    if (this.#failure !== undefined) throw this.#failure.error
    if (this.#writing !== undefined || (visited - this.#noted < NOTE_EVERY && Date.now() - this.#notedAt < NOTE_AFTER)) return
    const before = this.#noted
    this.#noted = visited
    this.#notedAt = Date.now()
    this.#isNoted = true
    this.#writing = this.#write()
      .catch(error => {
        this.#failure = { error }
        this.#noted = before
      })
      .finally(() => {
        this.#writing = undefined
      })
  }

  /** Resolves when no note is being written. @throws what kept one from being written */
  async end(): Promise<void> {
    await this.#writing
    if (this.#failure !== undefined) throw this.#failure.error
  }

  /** Leaves a last note, where there is enough to say and it can be written. */
  async breakOff(visited: number): Promise<void> {
    await this.#writing
    if (visited - this.#noted < WORTH_A_NOTE) return
    this.#isNoted = true
    await this.#write().catch(() => {})
  }
}
