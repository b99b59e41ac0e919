import type { Range } from 'rocksdb'
import { storageErrors } from '../errors.ts'
import { type Damage, Journal, type JournalOptions, LARGEST_BATCH } from '../journal/journal.ts'
import { MARKER_KEY, markerOf, readMarker } from '../journal/marker.ts'
import { Pending } from '../journal/pending.ts'
import { sizeOf } from '../journal/record.ts'
import type { EntryOptions } from './damage.ts'
import { Ending } from './ending.ts'
import { Engine, type EngineOptions, type Opening } from './engine.ts'
import { GroupCommit, SharedRun } from './group-commit.ts'
import { type Behind, entriesBehind, valuesBehind } from './listing.ts'
import { Mending, type MendingOptions } from './mending.ts'
import type { Family, KeyValue, Write } from './writes.ts'

export type { Family, KeyValue, Write } from './writes.ts'

export interface DatabaseOptions extends Omit<EngineOptions, 'onWrite'>, JournalOptions, MendingOptions {}

/** Bytes of memory of the journal's batches that are handed to RocksDB as one, about, and milliseconds after which fewer are. */
const APPLIED_AT_ONCE = 512 * 1024
const APPLIED_AFTER = 20
/** Bytes of them in memory, at which writes wait for RocksDB. */
export const MOST_PENDING: number = 4 << 20

/**
 * The keys and values of the store: reads, atomic writes, ranges, a durability point. What is small is answered when the journal has it, and
 * goes on to RocksDB from there; all else goes to RocksDB at once. All batches have one order, by which they are numbered.
 */
export class Database {
  readonly #engine: Engine
  readonly #mending: Mending
  readonly #journal: Journal | undefined
  readonly #pending = new Pending(APPLIED_AT_ONCE, LARGEST_BATCH)
  readonly #listeners: Array<(writes: readonly Write[]) => void> = []
  /** Batches that RocksDB is to have before they are answered; as long as there are any, none goes another way, which keeps the order. */
  readonly #direct = new GroupCommit<Write>(writes => this.#writeDirect(writes))
  readonly #sync = new SharedRun(() => this.#syncAll())
  #applying: Promise<void> | undefined
  #timer: NodeJS.Timeout | undefined
  /** The last number that was given to a batch, be it written or not. */
  #issued = 0
  /** The last batch that was written, the last that RocksDB has, and the last that it was given at once. */
  #last = 0
  #applied = 0
  #lastDirect = 0
  /** All up to this one survive power loss. Not what the run before wrote: it may have been killed before it synced that. */
  #durable = -1
  /** The first file of the journal that counts. */
  #first = 0
  #isRecovered = false
  /** The last batch that RocksDB was given, be it done with it or not. */
  #given = 0
  readonly ending: Ending
  readonly #behind: Behind

  /** @param journal - its folder; undefined: there is none */
  constructor(path: string, options: DatabaseOptions, journal?: string) {
    const reopen = () => this.#engine.reopen(() => this.#checkKept())
    this.#mending = new Mending({ probe: () => this.#direct.add([]), reopen }, options)
    const onWrite = (refused?: string) => (refused === undefined ? this.#mending.wrote() : this.#mending.refused(refused))
    this.#engine = new Engine(path, { ...options, onWrite })
    this.ending = new Ending(path, this.#engine)
    const numbers = () => ({ last: this.#last, given: this.#given })
    this.#behind = { engine: this.#engine, pending: this.#pending, drain: () => this.#drain(), numbers }
    if (journal !== undefined) this.#journal = new Journal(journal, options, first => this.#supersede(first))
  }

  /** `listener` is told of every batch once it is written, in their order. */
  onWritten(listener: (writes: readonly Write[]) => void): void {
    this.#listeners.push(listener)
  }

  /** Before {@link recover}, what a journal holds is not seen. @throws E_STORAGE_OPEN, and what the loading of the binding throws */
  open(how?: Pick<Opening, 'readOnly'>): Promise<void> {
    // Where this was open before, and RocksDB did not take all: the journal has it.
    this.#pending.clear()
    this.#durable = -1
    this.#isRecovered = false
    this.#mending.start()
    return this.#engine.open(how)
  }

  /** Takes over what the journal of an earlier run holds, and begins a new one. @throws E_STORAGE_WRITE */
  async recover(): Promise<void> {
    const marker = readMarker(await this.#engine.get('state', MARKER_KEY))
    await this.ending.read(marker.number)
    this.#applied = marker.number
    this.#first = marker.first
    this.#number()
    if (this.#journal === undefined) return
    if (this.isReadOnly) return this.#keepLeft(this.#journal)
    await this.#journal.replay(this.#first, this.#applied, APPLIED_AT_ONCE, async (writes, number) => {
      this.ending.spoil()
      await this.#engine.write([...writes, this.#marker(number)])
      this.#applied = number
    })
    this.#number()
    if (this.damage !== undefined) {
      await this.#engine.sync()
      await this.#journal.keepDamaged()
    }
    if (this.#journal.next > this.#first) await this.#supersede(this.#journal.next)
    await this.#journal.begin()
    this.#isRecovered = true
  }

  /** The same where nothing can be written: what the journal holds stays in memory. */
  async #keepLeft(journal: Journal): Promise<void> {
    await this.#mending.stop()
    for await (const record of journal.left(this.#first, this.#applied)) {
      this.#pending.encode(record, sizeOf(record.writes))
      this.#pending.keep(record)
      this.#last = record.number
      this.ending.spoil()
    }
  }

  /** Whether it lies on a file system that takes no writes, or was opened to be read. */
  get isReadOnly(): boolean {
    return this.#engine.isReadOnly
  }

  /** The losses that {@link recover} found in the journal. */
  get damage(): Damage | undefined {
    return this.#journal?.damage
  }

  /** The numbers go on behind what was found. */
  #number(): void {
    this.#issued = this.#last = this.#lastDirect = this.#applied
  }

  get isOpen(): boolean {
    return this.#engine.isOpen
  }

  /** Whether the last write failed: RocksDB takes none after one that it could not write to its log. */
  get refuses(): boolean {
    return this.#engine.refuses
  }

  /** Gives back memory that nothing is in. */
  releaseMemory(): void {
    this.#pending.releaseMemory()
  }

  /** Gives back the room of what was removed. @throws Error - as on a disk that is too full for it */
  mergeTables(family: Family): Promise<void> {
    return this.#engine.mergeTables(family)
  }

  /** Leaves nothing to replay, so that the next start is quick. Iterators that nobody finished are ended. */
  async close(): Promise<void> {
    await this.#mending.stop()
    if (!this.#engine.isOpen) return
    await this.#journal?.end()
    clearTimeout(this.#timer)
    let isNeeded = true
    try {
      const movedOn = this.#isRecovered ? this.#moveOn(this.#journal?.next ?? 0) : Promise.resolve()
      await movedOn.finally(() => this.#engine.close())
      isNeeded = false
    } finally {
      await this.#journal?.close(isNeeded)
    }
  }

  get(family: Family, key: Uint8Array): Promise<Uint8Array | undefined> {
    const written = this.#pending.get(family, key)
    return written === undefined ? this.#engine.get(family, key) : Promise.resolve(written.value)
  }

  /** Values of several keys, looked up as one. */
  getAll(family: Family, keys: readonly Uint8Array[]): Promise<ReadonlyArray<Uint8Array | undefined>> {
    return this.#pending.isEmpty ? this.#engine.getAll(family, keys) : valuesBehind(this.#behind, family, keys)
  }

  /** All or nothing. Resolves when they survive the death of this process. The arrays must not change until then. @throws E_STORAGE_WRITE */
  write(writes: readonly Write[]): Promise<void> {
    return writes.length === 0 || this.#writeJournal(writes) ? Promise.resolve() : this.#direct.add(writes)
  }

  /** The same past the journal: RocksDB has them, and they survive power loss, once this resolves. */
  async writeThrough(writes: readonly Write[]): Promise<void> {
    await this.#direct.add(writes)
    await this.#syncLog()
  }

  /** Entries of a range in the order of their keys, as of now. */
  entries(family: Family, range: Range, options: EntryOptions = {}): AsyncGenerator<KeyValue> {
    return this.#pending.isEmpty ? this.#engine.entries(family, range, options) : entriesBehind(this.#behind, family, range, options)
  }

  /** A durability point: what was written before survives power loss once this resolves. */
  sync(): Promise<void> {
    return this.#sync.run()
  }

  async #syncAll(): Promise<void> {
    const upTo = this.#last
    if (this.#durable >= upTo) return
    const file = this.#journal?.active
    // Where the journal alone has what is to be synced.
    if (file !== undefined && !file.isBroken && this.#durable >= Math.max(file.base, this.#lastDirect)) {
      this.#engine.checkPlace()
      try {
        await file.sync()
        this.#durable = Math.max(this.#durable, upTo)
        return
      } catch {
        // The journal is not written there any more; RocksDB's log has it all in its place.
      }
    }
    await this.#drain()
    await this.#syncLog()
  }

  async #syncLog(): Promise<void> {
    const upTo = this.#applied
    await this.#engine.sync()
    this.#durable = Math.max(this.#durable, upTo)
  }

  /** @returns false where it has to be written another way */
  #writeJournal(writes: readonly Write[]): boolean {
    if (this.#journal === undefined || this.#direct.isBusy || this.#engine.refuses || this.#pending.bytes > MOST_PENDING) return false
    const size = sizeOf(writes)
    if (!this.#journal.takes(size, this.#last)) return false
    const record = { number: ++this.#issued, before: this.#last, writes }
    if (!this.#journal.append(this.#pending.encode(record, size))) return false
    this.#last = record.number
    this.#pending.keep(record)
    for (const listener of this.#listeners) listener(writes)
    this.#applyInTime()
    return true
  }

  async #writeDirect(writes: readonly Write[]): Promise<void> {
    await this.#drain()
    const number = ++this.#issued
    this.#given = number
    await this.#engine.write([...writes, ...this.ending.of(number, writes), this.#marker(number)])
    this.#last = this.#applied = this.#lastDirect = number
    for (const listener of this.#listeners) listener(writes)
  }

  /** Resolves when RocksDB has all that is in the journal now. @throws E_STORAGE_WRITE */
  async #drain(): Promise<void> {
    const upTo = this.#last
    while (!this.#pending.isEmpty && this.#applied < upTo) await this.#apply()
  }

  #applyInTime(): void {
    if (this.#pending.isEmpty || this.#applying !== undefined || this.#engine.refuses) return
    if (this.#pending.bytes >= APPLIED_AT_ONCE) this.#apply().catch(() => {})
    else this.#timer ??= setTimeout(() => this.#apply().catch(() => {}), APPLIED_AFTER).unref()
  }

  #apply(): Promise<void> {
    clearTimeout(this.#timer)
    this.#timer = undefined
    this.#applying ??= this.#applyFirst().finally(() => {
      this.#applying = undefined
      this.#applyInTime()
    })
    return this.#applying
  }

  async #applyFirst(): Promise<void> {
    const slab = this.#pending.first()
    const number = slab.last
    this.#given = number
    await this.#engine.write([...slab.writes(), this.#marker(number)])
    this.#pending.done(slab)
    this.#applied = number
  }

  /** Has RocksDB take all there is, and remember that the files below a number are over. */
  async #moveOn(first: number): Promise<void> {
    await this.#drain()
    this.#first = Math.max(this.#first, first)
    await this.#direct.add([])
  }

  async #supersede(first: number): Promise<void> {
    await this.#moveOn(first)
    await this.#syncLog()
  }

  /** Whether a RocksDB that was opened in place has all that it took before. @throws E_STORAGE_BEHIND */
  async #checkKept(): Promise<void> {
    this.#durable = -1
    const { number } = readMarker(await this.#engine.get('state', MARKER_KEY))
    if (number < this.#applied) throw storageErrors.E_STORAGE_BEHIND(number, this.#applied)
  }

  #marker(number: number): Write {
    return { family: 'state', key: MARKER_KEY, value: markerOf({ number, first: this.#first }) }
  }
}
