/** Nodes between two notes of how far a walk got. */
const NOTE_EVERY = 512
/** Where nodes come slowly: the time between two notes, in milliseconds. */
const NOTE_AFTER = 2000
/** The least for which a walk that ends early leaves one. */
const WORTH_A_NOTE = NOTE_EVERY / 8

/** The notes of one walk. It waits for each, so that whoever goes on with it has little to do again. */
export class Trail {
  readonly #write: () => Promise<void>
  /** Nodes visited, at the last note. */
  #noted: number
  #notedAt = Date.now()
  #isNoted: boolean

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

  /** To be told at every node. @returns undefined where no note is due */
  passed(visited: number): Promise<void> | undefined {
    const isDue = visited - this.#noted >= NOTE_EVERY || Date.now() - this.#notedAt >= NOTE_AFTER
    return isDue ? this.#note(visited) : undefined
  }

  /** Leaves a last note, where there is enough to say and it can be written. */
  async breakOff(visited: number): Promise<void> {
    if (visited - this.#noted >= WORTH_A_NOTE) await this.#note(visited).catch(() => {})
  }

  async #note(visited: number): Promise<void> {
    this.#isNoted = true
    await this.#write()
    this.#noted = visited
    this.#notedAt = Date.now()
  }
}
