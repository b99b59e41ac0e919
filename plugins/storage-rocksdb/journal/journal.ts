import { readdir, rename, unlink } from 'node:fs/promises'
import type { Write } from '../database/writes.ts'
import { makeFolder, syncFolder } from '../files.ts'
import { Pace } from '../pace.ts'
import type { Mended } from '../tables/mend.ts'
import { damagedOf, JournalFile, numberOf, pathOf } from './journal-file.ts'
import { type JournalRecord, memoryOf } from './record.ts'
import { type Break, countRecords, mendRecords, recordsOf } from './replay.ts'

/**
 * Bytes of the largest batch that is written here. Larger ones come from who stores many blocks and does not wait for each: for them the second
 * copy costs more than the way to another thread.
 */
export const LARGEST_BATCH = 16 * 1024

export interface JournalOptions {
  /** Bytes after which the next file begins. Default 0: nothing is written here. */
  journal?: number
  /** Whether writes may hold up the loop. Default: one of its own. */
  pace?: Pace
  /** Told of each bit of its files that was turned back. */
  onMended?(mended: Mended): void
}

/** The bytes behind a break in the files that an earlier run left: none of it may be believed. */
export interface Damage extends Break {
  /** Where the broken file lies from now on, beside those that came after it. */
  readonly path: string
}

/** Makes the content of all files below a number needless: it survives power loss elsewhere, and so does that number. */
type Supersede = (first: number) => Promise<void>

/**
 * Batches one after the other in files that are written from the event loop itself: the system takes a small one in microseconds, where
 * the way to another thread and back takes a hundred. There is one file that is appended to, and at most one before it, whose content is
 * on its way to where it stays.
 */
export class Journal {
  readonly #folder: string
  readonly #limit: number
  readonly #supersede: Supersede
  readonly #pace: Pace
  readonly #onMended: JournalOptions['onMended']
  #active: JournalFile | undefined
  #old: JournalFile | undefined
  #retiring: Promise<void> | undefined
  #damage: Damage | undefined
  /** The numbers of the files of which nothing may be believed, from the broken one on. */
  #damaged: readonly number[] = []
  #next = 1
  #isOpen = false
  /** When the write that is under way began. */
  #began = 0

  constructor(folder: string, { journal: limit = 0, pace = new Pace(), onMended }: JournalOptions, supersede: Supersede) {
    this.#onMended = onMended
    this.#pace = pace
    this.#folder = folder
    this.#limit = limit
    this.#supersede = supersede
  }

  /** The number of the next file. */
  get next(): number {
    return this.#next
  }

  /** The damage, known once {@link left} is read. Undefined: nothing is broken, or nothing is behind it. */
  get damage(): Damage | undefined {
    return this.#damage
  }

  /** The file that is appended to. */
  get active(): JournalFile | undefined {
    return this.#active
  }

  /**
   * The writes that an earlier run left behind a batch, in the order in which it was written, up to where it is broken off.
   *
   * @param first - the number of the first file that counts
   * @param last - that of the batch
   */
  async *left(first: number, last: number): AsyncGenerator<JournalRecord> {
    await makeFolder(this.#folder)
    const numbers = await this.#numbers()
    this.#next = Math.max(this.#next, first, (numbers.at(-1) ?? 0) + 1)
    this.#damage = undefined
    this.#damaged = []
    const chain = { last }
    const counting = numbers.filter(number => number >= first)
    for (const [i, number] of counting.entries()) {
      for (const at of await mendRecords(this.#folder, number)) this.#onMended?.({ path: pathOf(this.#folder, number), at })
      const broken = yield* recordsOf(this.#folder, number, chain)
      if (broken === undefined) continue
      // Nothing behind what is lost may be believed.
      let { behind } = broken
      for (const later of counting.slice(i + 1)) behind += await countRecords(this.#folder, later, chain.last)
      if (behind === 0) return
      this.#damage = { path: damagedOf(this.#folder, number), at: broken.at, behind }
      this.#damaged = counting.slice(i)
      return
    }
  }

  /**
   * Hands over what {@link left} finds, many at a time.
   *
   * @param atOnce - bytes of memory, about
   * @param apply - `number` is that of the last batch in it
   */
  async replay(
    first: number,
    last: number,
    atOnce: number,
    apply: (writes: readonly Write[], number: number) => Promise<void>
  ): Promise<void> {
    let writes: Write[] = []
    let bytes = 0
    let upTo = last
    for await (const { number, writes: all } of this.left(first, last)) {
      upTo = number
      writes.push(...all)
      bytes += memoryOf(all)
      if (bytes < atOnce) continue
      await apply(writes, upTo)
      writes = []
      bytes = 0
    }
    if (writes.length > 0) await apply(writes, upTo)
  }

  /** Sets aside what is damaged, for a person. Call when what may be believed of it is durable elsewhere. */
  async keepDamaged(): Promise<void> {
    // The broken one last: as long as it is there, a start finds the damage.
    for (const number of this.#damaged.toReversed()) await rename(pathOf(this.#folder, number), damagedOf(this.#folder, number))
    if (this.#damaged.length > 0) await syncFolder(this.#folder)
  }

  /** Begins to take batches; the files of earlier runs go. Call when nothing of them is needed any more. */
  async begin(): Promise<void> {
    // One that stays is over all the same, and goes at a later start.
    for (const number of await this.#numbers()) await unlink(pathOf(this.#folder, number)).catch(() => {})
    this.#isOpen = this.#limit > 0
  }

  /**
   * Whether a record of so many bytes may be {@link append}ed now: not where it is large, the disk slow or full, or both files are.
   *
   * @param before - the number of the last batch, wherever it was written
   */
  takes(size: number, before: number): boolean {
    const began = performance.now()
    if (size > LARGEST_BATCH || !this.#isOpen || this.#pace.isPaused(began)) return false
    this.#began = began
    try {
      return this.#fileFor(size, before) !== undefined
    } catch {
      this.#pace.pause(performance.now())
      return false
    }
  }

  /**
   * Appends a record that it {@link takes}: its batch survives the death of this process when this returns.
   *
   * @returns false where it has to go another way, as the disk takes nothing
   */
  append(bytes: Uint8Array): boolean {
    try {
      this.#active!.append(bytes)
      const now = performance.now()
      this.#pace.took(now - this.#began, now)
      return true
    } catch {
      // The database says what is wrong with the disk, if it cannot write either.
      this.#pace.pause(performance.now())
      return false
    }
  }

  /** Takes no more batches. */
  async end(): Promise<void> {
    this.#isOpen = false
    await this.#retiring
  }

  /** Lets go of the files. @param isNeeded - whether they stay for the next start */
  async close(isNeeded: boolean): Promise<void> {
    const files = [this.#old, this.#active].filter(file => file !== undefined)
    this.#old = this.#active = undefined
    // One that cannot be removed is over, and goes at a later start.
    for (const file of files) await (isNeeded ? file.leave() : file.remove().catch(() => {}))
  }

  /** The file that has room, where there is one. */
  #fileFor(size: number, base: number): JournalFile | undefined {
    const active = this.#active
    if (active !== undefined && !active.isBroken && (active.size === 0 || active.size + size <= this.#limit)) return active
    if (this.#old === undefined) {
      this.#old = active
      this.#active = undefined
    }
    if (this.#old !== undefined) this.#retire(this.#old)
    // Behind a file that is broken nothing would be found.
    if (this.#active !== undefined || this.#old?.isBroken === true) return undefined
    this.#active = JournalFile.create(this.#folder, this.#next++, base)
    return this.#active
  }

  /** Removes a file once nothing of it is needed. Where that fails it is tried again when the next one is full. */
  #retire(file: JournalFile): void {
    this.#retiring ??= this.#supersede(file.number + 1)
      .then(() => file.remove())
      .then(() => {
        this.#old = undefined
      })
      .catch(() => {})
      .finally(() => {
        this.#retiring = undefined
      })
  }

  async #numbers(): Promise<number[]> {
    const numbers = (await readdir(this.#folder)).map(numberOf).filter(number => number !== undefined)
    return numbers.sort((one, other) => one - other)
  }
}
