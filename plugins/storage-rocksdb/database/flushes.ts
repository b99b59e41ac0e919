import { reachedDisk } from '../files.ts'
import type { Family } from './writes.ts'

/** Writes out memtables as tables, one round of families at a time, so that who asks also waits for what an earlier one took up. */
export class Flushes {
  readonly #folder: string
  readonly #flushOne: (family: Family) => Promise<void>
  readonly #unflushed = new Set<Family>()
  #flushing: Promise<void> = Promise.resolve()
  #running = 0

  /** @param folder - of the tables: progress is told by its path */
  constructor(folder: string, flushOne: (family: Family) => Promise<void>) {
    this.#folder = folder
    this.#flushOne = flushOne
  }

  /** Whether some are on their way. */
  get isBusy(): boolean {
    return this.#running > 0
  }

  /** Call once a batch is written: a flush that is under way may miss it. */
  wrote(family: Family): void {
    this.#unflushed.add(family)
  }

  /** All families that were written, together: RocksDB takes one after the other to the disk. */
  flush(but?: Family): Promise<void> {
    this.#running++
    const flushed = this.#flushing.catch(() => {}).then(() => this.#flushAll(but))
    this.#flushing = flushed.finally(() => {
      this.#running--
    })
    return this.#flushing
  }

  async #flushAll(but: Family | undefined): Promise<void> {
    const written = [...this.#unflushed].filter(family => family !== but)
    for (const family of written) this.#unflushed.delete(family)
    try {
      await Promise.all(written.map(family => this.#flushOne(family).then(() => this.#reached(family))))
    } catch (error) {
      for (const family of written) this.#unflushed.add(family)
      throw error
    }
  }

  #reached(family: Family): void {
    if (reachedDisk.hasSubscribers) reachedDisk.publish(`${this.#folder}/${family}`)
  }
}
