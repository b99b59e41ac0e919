import { setTimeout as passed } from 'node:timers/promises'
import { type Family, families, type Write } from './writes.ts'

/** The part of a family's memory after which RocksDB is asked how far it is. */
const LOOK_AFTER = 1 / 4
/** Full memories of a family that may wait to be written out, and tables of its first level: RocksDB stops writes at 4, and at 36. */
const MOST_MEMORIES = 2
export const STOPPED_AT = 4
const MOST_TABLES = 32
/** Where merges fail: from 20 on what asks for a table waits for one. */
export const MANY_TABLES = 16
const LOOK_AGAIN_AFTER = 5
/** Milliseconds in which nothing is written out or merged, after which that is taken for an error. It tries again every second, or every 5. */
const IDLE_AT_MOST = 2000

/** What RocksDB says of itself: `0` and `1`, or a count. */
export type Properties = (family: Family, names: readonly string[]) => Promise<readonly number[]>

/**
 * Holds back writes that RocksDB would let wait for its tables. One that waits inside it when a table cannot be taken up never returns, as
 * RocksDB's way out of that error waits for the write.
 */
export class Stalls {
  readonly #properties: Properties
  readonly #errors: () => Promise<number>
  readonly #bufferOf: (family: Family) => number
  readonly #grown = new Map<Family, number>()

  /**
   * @param errors - how often RocksDB failed to write out or to merge
   * @param bufferOf - bytes of one memory of a family
   */
  constructor(properties: Properties, errors: () => Promise<number>, bufferOf: (family: Family) => number) {
    this.#properties = properties
    this.#errors = errors
    this.#bufferOf = bufferOf
  }

  /** Call with each write that RocksDB was given. */
  wrote({ family, key, value }: Write): void {
    this.#grown.set(family, (this.#grown.get(family) ?? 0) + key.byteLength + (value?.byteLength ?? 0))
  }

  /** Whether a batch has to {@link pass}. */
  get isDue(): boolean {
    for (const [family, bytes] of this.#grown) if (bytes >= this.#bufferOf(family) * LOOK_AFTER) return true
    return false
  }

  /**
   * Resolves when there is room for a batch, or RocksDB is sure to refuse it.
   *
   * @param isRefusing - whether it refused the one before: then nobody waits
   * @returns why the batch would wait without end
   */
  async pass(isRefusing: boolean): Promise<string | undefined> {
    const due = isRefusing
      ? families
      : [...this.#grown.keys()].filter(family => this.#grown.get(family)! >= this.#bufferOf(family) * LOOK_AFTER)
    for (const family of due) {
      const why = await this.#passOne(family, isRefusing)
      if (why !== undefined) return why
    }
    return undefined
  }

  async #passOne(family: Family, isRefusing: boolean): Promise<string | undefined> {
    const before = await this.#errors()
    let busy = performance.now()
    for (;;) {
      const [isStopped, memories, tables, flushes, merges] = await this.#properties(family, [
        'is-write-stopped',
        'num-immutable-mem-table',
        'num-files-at-level0',
        'num-running-flushes',
        'num-running-compactions'
      ])
      const errors = await this.#errors()
      if (!isStopped && memories! < MOST_MEMORIES && tables! < (errors > 0 ? MANY_TABLES : MOST_TABLES)) {
        this.#grown.delete(family)
        return undefined
      }
      const isRunning = flushes! + merges! > 0
      // What fails and is tried again runs for ever.
      if (isRunning && errors === before) busy = performance.now()
      else if (isRefusing || performance.now() - busy > IDLE_AT_MOST) {
        // One that is neither stopped nor trying refuses a write in words of its own where it failed, and else takes it.
        return isStopped || isRunning
          ? `its memory or its tables are full, and cannot be written out or merged (${errors} errors so far)`
          : undefined
      }
      await passed(LOOK_AGAIN_AFTER)
    }
  }
}
