import type { Database, Write } from '../database/database.ts'
import { SizeTable } from './size-table.ts'
import { type Count, Tally } from './tally.ts'
import { isFileValue, sizeOfValue } from './values.ts'

/** Blocks up to which their sizes are kept, in 16 to 32 bytes each; of more it is only kept which parts have to be counted anew. */
const MOST_KEPT = 3_000_000
/** Blocks of a repo that was only just made, up to which their sizes are kept from the start of a run on: then what comes is counted as it comes. */
const FEW = 100

/** A counting that is under way. */
interface Counting {
  readonly result: Promise<Count>
  readonly controller: AbortController
  readonly gathered: Gathered
  waiting: number
}

/** The counts of blocks so far. */
interface Gathered {
  /** The sizes of the blocks; undefined once there are too many of them. */
  table: SizeTable | undefined
  /** The keys that were written meanwhile, whose last write the table has. */
  written: SizeTable
}

/**
 * How many blocks there are and how large. Who asks first has them counted; from then on the count follows every write, so that asking
 * again costs nothing. Of a store of very many blocks, and after a restart, the parts are counted in which something was written since.
 */
export class Census {
  readonly #database: Database
  #table: SizeTable | undefined
  #counting: Counting | undefined
  readonly #tally = new Tally()

  constructor(database: Database) {
    this.#database = database
    database.onWritten(writes => this.#written(writes))
  }

  /** There are no blocks yet. */
  begin(): void {
    this.#table = new SizeTable()
    this.#tally.begin()
  }

  /** What is there has to be counted anew. */
  forget(): void {
    this.#table = undefined
    // Nor is what a counting that is under way has gathered.
    if (this.#counting !== undefined) this.#counting.gathered.table = undefined
    this.#tally.clear()
  }

  /** Takes over what an earlier run knew when it ended. */
  async resume(stored: Uint8Array): Promise<void> {
    this.#tally.decode(stored)
    if (!this.#tally.isKnown || this.#tally.totals.blocks > FEW) return
    // What cannot be read is told to who asks.
    await this.#start(new SizeTable()).result.catch(() => {})
  }

  /** What is known, for the next run. */
  known(): Uint8Array | undefined {
    return this.#tally.encode()
  }

  /** True only when there is no such block; false when there may be one. */
  lacks(multihash: Uint8Array): boolean {
    return this.#table !== undefined && !this.#table.has(multihash)
  }

  /** The counting is given up when everybody who asked for it has left. */
  async totals(signal?: AbortSignal): Promise<Count> {
    signal?.throwIfAborted()
    if (this.#table !== undefined) return totalsOf(this.#table)
    if (this.#counting === undefined && this.#tally.isKnown) return this.#tally.totals
    const counting = this.#counting ?? this.#start()
    counting.waiting++
    const leave = () => {
      if (--counting.waiting > 0) return
      counting.controller.abort(signal?.reason)
      this.#end(counting)
    }
    signal?.addEventListener('abort', leave, { once: true })
    const totals = await counting.result.finally(() => signal?.removeEventListener('abort', leave))
    signal?.throwIfAborted()
    return totals
  }

  #start(table = this.#tally.isNearlyKnown ? undefined : new SizeTable()): Counting {
    const controller = new AbortController()
    const gathered = { table, written: new SizeTable() }
    const result = this.#count(gathered, controller.signal)
    const counting = { result, controller, gathered, waiting: 0 }
    const end = () => this.#end(counting)
    result.then(end, end)
    this.#counting = counting
    return counting
  }

  #end(counting: Counting): void {
    if (this.#counting !== counting) return
    this.#counting = undefined
    this.#tally.giveUp()
  }

  /**
   * The range is of one moment, but nobody knows which writes came before it. They need not: of each key the last that was written
   * counts, and only keys that nobody wrote meanwhile are taken as the range has them.
   */
  async #count(gathered: Gathered, signal: AbortSignal): Promise<Count> {
    const tally = this.#tally
    const unsure: Uint8Array[] = []
    if (gathered.table !== undefined) tally.clear()
    for (const range of tally.missing()) {
      for await (const { key, value, damage } of this.#database.entries('blocks', range, { signal, damaged: true })) {
        // Nobody gathers for a counting that was given up, be it at its very end.
        signal.throwIfAborted()
        if (damage !== undefined) unsure.push(key)
        // Of a part of a table that has no keys any more.
        if (key.byteLength === 0) continue
        const size = damage === undefined ? sizeOfValue(value) : 0
        const isFile = isFileValue(value)
        tally.count(key, size, isFile ? size : 0)
        if (!gathered.written.has(key)) gathered.table?.set(key, size, isFile)
        giveUpIfMany(gathered)
      }
    }
    signal.throwIfAborted()
    const counted = tally.counted()
    // Once they are healed, their parts must be counted again.
    for (const key of unsure) key.byteLength === 0 ? tally.clear() : tally.forget(key)
    if (gathered.table === undefined) return counted
    this.#table = gathered.table
    return totalsOf(gathered.table)
  }

  #written(writes: readonly Write[]): void {
    const gathered = this.#counting?.gathered
    for (const write of writes) {
      if (write.family !== 'blocks') continue
      if (this.#table !== undefined) {
        const before = totalsOf(this.#table)
        apply(this.#table, write)
        this.#tally.change(write.key, before, this.#table)
        continue
      }
      this.#tally.forget(write.key)
      if (gathered?.table === undefined) continue
      gathered.written.set(write.key, 0, false)
      apply(gathered.table, write)
      giveUpIfMany(gathered)
    }
    if (this.#table !== undefined && this.#table.count > MOST_KEPT) this.#table = undefined
  }
}

function giveUpIfMany(gathered: Gathered): void {
  if (gathered.table === undefined || Math.max(gathered.table.count, gathered.written.count) <= MOST_KEPT) return
  gathered.table = undefined
  gathered.written = new SizeTable()
}

function apply(table: SizeTable, { key, value }: Write): void {
  if (value === undefined) table.delete(key)
  else table.set(key, sizeOfValue(value), isFileValue(value))
}

function totalsOf({ count, total, apart }: SizeTable): Count {
  return { blocks: count, bytes: total, apart }
}
