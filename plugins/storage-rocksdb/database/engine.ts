import { existsSync } from 'node:fs'
import type RocksDB from 'rocksdb'
import type { Iterator, Range } from 'rocksdb'
import { messageOf } from '../../../core/index.ts'
import { bare } from '../blocks/values.ts'
import { storageErrors } from '../errors.ts'
import { makeFolder } from '../files.ts'
import { isDamage } from '../tables/mend.ts'
import { loadBinding } from './binding.ts'
import { Damage, type DamageOptions, type EntryOptions } from './damage.ts'
import { Flushes } from './flushes.ts'
import { SharedRun } from './group-commit.ts'
import { barely, Reads } from './reads.ts'
import { MANY_TABLES, STOPPED_AT, Stalls } from './stalls.ts'
import { removeOldReports, WriteAheadLog } from './write-ahead-log.ts'
import { type Family, families, type KeyValue, type Write } from './writes.ts'

export interface EngineOptions extends DamageOptions {
  /** Bytes of a memtable of `blocks`. */
  writeBuffer: number
  /** Told of every write: why it was refused, or undefined. */
  onWrite?(refused: string | undefined): void
}

export interface Opening {
  readonly createIfMissing?: boolean
  readonly readOnly?: boolean
}

/** A memtable of the families that hold little. */
const SMALL_BUFFER = 1 << 20
/** Bytes written after which the small families are flushed: the log lives as long as the oldest memtable, and is read again after a crash. */
const LOG_LIMIT = 32 << 20
/** Entries an iterator fetches at a time. */
const FETCH = 256
/** RocksDB's words on a lock that another process, or another store of this one, has. */
const HELD = /lock hold by current process|while lock file/i
const OTHER = 'another process holds its lock, and works on this repo, perhaps in another container'
const READ_ONLY = /read-only file system/i
const NOTHING = new Uint8Array()

/** RocksDB with its column families: reads, atomic batches, ranges, and the sync of its log. */
export class Engine {
  readonly #path: string
  readonly #options: EngineOptions
  #root: RocksDB | undefined
  #sessions: Readonly<Record<Family, RocksDB>> | undefined
  #log: WriteAheadLog | undefined
  readonly #damage: Damage
  readonly #iterators = new Set<Iterator>()
  readonly #reads = new Reads(
    (family, capacity) => this.#session(family).read({ capacity }),
    (...read) => this.#again(...read)
  )
  readonly #sync = new SharedRun(() => this.#syncLog())
  readonly #flushes: Flushes
  readonly #stalls = new Stalls(
    (family, names) => this.#numbers(family, names),
    () => this.#errors(),
    family => this.#bufferOf(family)
  )
  #sinceFlush = 0
  #isReadOnly = false
  /** Why it could not be opened again for writing. */
  #unopened: string | undefined
  #isRefusing = false
  /** Settles when RocksDB is open again; undefined: it is. */
  #reopening: Promise<void> | undefined
  /** Whether a sync of the log failed: what it lost the system reports once, so from then on only tables tell that all is there. */
  #isLogBroken = false
  /** RocksDB's errors so far of which it is known that nothing is lost by them. */
  #settledErrors = 0
  #batches = 0
  /** The count of batches at the last sync; -1 before the first: the run before may have been killed before it synced what it wrote. */
  #durable = -1

  constructor(path: string, options: EngineOptions) {
    this.#path = path
    this.#options = options
    this.#flushes = new Flushes(path, family => this.#session(family).flush())
    this.#damage = new Damage(options)
  }

  /**
   * @param how - with `readOnly`, nothing is written, as opening it otherwise does
   * @throws E_STORAGE_OPEN, E_STORAGE_MANIFEST, and what {@link loadBinding} throws
   */
  async open({ readOnly = false }: Opening = {}): Promise<void> {
    await loadBinding()
    if (readOnly) return this.#openMended({ readOnly })
    await makeFolder(this.#path)
    try {
      await this.#openMended({ createIfMissing: true })
      await removeOldReports(this.#path)
    } catch (error) {
      if (!READ_ONLY.test(messageOf(error))) throw error
      await this.#openMended({ readOnly: true })
    }
  }

  #openMended(how: Opening): Promise<void> {
    return this.#damage.open(this.#path, () => this.#openRocks(how))
  }

  async #openRocks(how: Opening): Promise<void> {
    const Rocks = await loadBinding()
    const columns = families.map(
      name =>
        new Rocks.ColumnFamily(name, {
          writeBufferSize: this.#bufferOf(name),
          maxWriteBufferNumber: STOPPED_AT,
          // The kernel caches the files already; a second cache costs 32 MiB a family and gained nothing measurable.
          blockCache: false,
          tableCacheIndexAndFilterBlocks: false
        })
    )
    const root = new Rocks(this.#path, {
      columnFamilies: columns,
      // Of the default family, which nobody uses. RocksDB sets as much of the disk aside for every log; its own default is 64 MiB.
      writeBufferSize: SMALL_BUFFER,
      createIfMissing: false,
      ...how,
      maxBackgroundJobs: 2,
      maxFileOpeningThreads: 2
    })
    try {
      await root.ready()
    } catch (error) {
      const why = messageOf(error)
      throw HELD.test(why) ? new Error(`${OTHER} (${why})`, { cause: error }) : error
    }
    this.#root = root
    this.#sessions = Object.fromEntries(columns.map((columnFamily, i) => [families[i], root.session({ columnFamily })])) as never
    this.#log = new WriteAheadLog(this.#path, () => root.currentWalFile())
    this.#isLogBroken = false
    this.#settledErrors = 0
    this.#durable = -1
    this.#isReadOnly = how.readOnly === true
  }

  /**
   * Closes RocksDB and opens it again in place, for one that takes no writes any more: its log has all that was answered, which is made sure of
   * before. Whoever asks meanwhile waits.
   *
   * @param check - looks whether all that was answered is there again
   * @throws Error where it cannot be closed at this moment, or does not open; then what is there can be read as far as possible
   */
  async reopen(check: () => Promise<void>): Promise<void> {
    const why = await this.#keptOpen()
    if (why !== undefined) throw new Error(why)
    const done = Promise.withResolvers<void>()
    this.#reopening = done.promise
    try {
      const root = this.#root
      this.#root = undefined
      await root?.close({ force: true }).catch(() => {})
      await this.#openMended({}).catch(async error => {
        this.#unopened = messageOf(error)
        await this.#openMended({ readOnly: true }).catch(() => {})
        throw error
      })
    } finally {
      this.#reopening = undefined
      done.resolve()
    }
    await check()
  }

  /** Why RocksDB cannot be closed now without harm to others, or to what was written. */
  async #keptOpen(): Promise<string | undefined> {
    if (this.#root !== undefined && (await this.#isStuck())) return 'it waits for the merge of its tables'
    // Of a log that may have lost something, its memory is the only copy. One that follows a log that did must not reach the disk before that.
    if ((await this.#errors()) === this.#settledErrors) await this.#log?.sync()
    if (this.#isLogBroken) return 'what its log may have lost is in memory alone'
    return this.#iterators.size > 0 || this.#flushes.isBusy ? 'it is being read or written out' : undefined
  }

  /** Whether it lies on a file system that takes no writes, or could only be opened again to be read. */
  get isReadOnly(): boolean {
    return this.#isReadOnly
  }

  get isOpen(): boolean {
    return this.#root !== undefined
  }

  /** Whether the last write failed: RocksDB takes none after one that it could not write to its log. */
  get refuses(): boolean {
    return this.#isRefusing
  }

  /** Leaves nothing to replay, so that the next start is quick. Iterators that nobody finished are ended. */
  async close(): Promise<void> {
    await this.#reopening
    if (this.#root === undefined) return
    for (const iterator of this.#iterators) iterator.destroy()
    const root = this.#root
    try {
      if (!(await this.#isStuck())) await this.#flush()
    } finally {
      this.#root = undefined
      await root.close({ force: true })
    }
  }

  /** Makes new tables of a family's old ones, without what was removed. @throws Error - as on a disk that is too full for it */
  async mergeTables(family: Family): Promise<void> {
    if (!(await this.#isStuck())) await this.#session(family).compact()
  }

  /** Whether a flush may wait for ever: where there are many tables it waits until RocksDB has merged some, which it may not be able to. */
  async #isStuck(): Promise<boolean> {
    if ((await this.#errors()) === 0) return false
    const tables = await Promise.all(families.map(family => this.#numbers(family, ['num-files-at-level0'])))
    return Math.max(...tables.flat()) >= MANY_TABLES
  }

  /** How often RocksDB failed to write out its memory, to sync an ended log, or to merge tables. */
  async #errors(): Promise<number> {
    while (this.#reopening !== undefined) await this.#reopening
    // They are counted by the default family, for all: the others say 0.
    return this.#root === undefined ? this.#settledErrors : Number(await this.#root.getProperty('rocksdb.background-errors'))
  }

  /** What RocksDB says of a family. */
  async #numbers(family: Family, names: readonly string[]): Promise<number[]> {
    while (this.#reopening !== undefined) await this.#reopening
    const session = this.#session(family)
    return Promise.all(names.map(async name => Number(await session.getProperty(`rocksdb.${name}`))))
  }

  #bufferOf(family: Family): number {
    return family === 'blocks' ? this.#options.writeBuffer : SMALL_BUFFER
  }

  get(family: Family, key: Uint8Array): Promise<Uint8Array | undefined> {
    return this.#reopening === undefined ? this.#reads.get(family, key) : this.#reopening.then(() => this.get(family, key))
  }

  /** Values of several keys, looked up as one. */
  getAll(family: Family, keys: readonly Uint8Array[]): Promise<ReadonlyArray<Uint8Array | undefined>> {
    return this.#reopening === undefined ? this.#reads.getAll(family, keys) : this.#reopening.then(() => this.getAll(family, keys))
  }

  /** A look-up that failed once. @throws E_STORAGE_DAMAGED */
  async #again(family: Family, key: Uint8Array, error: unknown): Promise<Uint8Array | undefined> {
    if (!(await this.#damage.mend(error))) return this.#damage.valueOf(family, key, error)
    return barely(await this.#session(family).get(key))
  }

  /**
   * All or nothing. Resolves when they survive the death of this process. The arrays must not change until then, and batches that
   * overlap have no order.
   *
   * @throws E_STORAGE_WRITE
   */
  async write(writes: readonly Write[]): Promise<void> {
    const why = this.#stalls.isDue || this.#isRefusing ? await this.#stalls.pass(this.#isRefusing) : undefined
    if (why !== undefined) throw this.#refused(why)
    while (this.#reopening !== undefined) await this.#reopening
    const batch = this.#session('state').write({ capacity: writes.length })
    try {
      for (const write of writes) {
        const { family, key, value } = write
        if (value === undefined) batch.tryDelete(key)
        else batch.tryPut(key, value)
        // A batch of the binding knows one column family; each operation in it may well name another.
        const operation = batch._operations.at(-1) as { columnFamily: unknown }
        operation.columnFamily = this.#session(family)._columnFamily._handle
        this.#stalls.wrote(write)
        this.#sinceFlush += key.byteLength + (value?.byteLength ?? 0)
      }
      await batch.flush()
      // Only now: a flush that is under way may miss it.
      for (const { family } of writes) this.#flushes.wrote(family)
      this.#isRefusing = false
      this.#batches++
      this.#options.onWrite?.(undefined)
    } catch (error) {
      this.#isRefusing = true
      // The binding's own message is that the batch was not applied; what went wrong is its cause.
      const cause = (error as Error).cause ?? error
      // A merge met it: once the bit is turned back, RocksDB opened again writes again.
      await this.#damage.mend(cause)
      throw this.#refused((this.#isReadOnly && this.#unopened) || messageOf(cause), isDamage(cause))
    } finally {
      batch.destroy()
    }
    if (this.#sinceFlush > LOG_LIMIT) {
      this.#sinceFlush = 0
      this.#flush('blocks').catch(() => {})
    }
  }

  #refused(why: string, isDamaged = false): Error {
    this.#isRefusing = true
    this.#options.onWrite?.(why)
    return storageErrors.E_STORAGE_WRITE(why, isDamaged)
  }

  /** Entries of a range in the order of their keys, as of now; past what is damaged, where nobody minds, key by key. @throws E_STORAGE_DAMAGED */
  entries(family: Family, range: Range, options?: EntryOptions): AsyncGenerator<KeyValue> {
    return this.#damage.entries(range, options, {
      iterate: (from, how) => this.#iterate(family, from, how),
      get: key => this.get(family, key),
      flush: async () => {
        if (!(await this.#isStuck())) await this.#session(family).flush()
      }
    })
  }

  async *#iterate(family: Family, range: Range, { signal, ...how }: EntryOptions): AsyncGenerator<KeyValue> {
    signal?.throwIfAborted()
    while (this.#reopening !== undefined) await this.#reopening
    const iterator = this.#session(family).iterator(range, { capacity: FETCH, ...how })
    this.#iterators.add(iterator)
    try {
      for await (const entry of iterator) {
        signal?.throwIfAborted()
        yield { key: bare(entry.key), value: entry.value === null ? NOTHING : bare(entry.value) }
      }
    } finally {
      this.#iterators.delete(iterator)
      iterator.destroy()
    }
  }

  /** RocksDB's writes go on where its folder was moved to. @throws E_STORAGE_MOVED */
  checkPlace(): void {
    const path = `${this.#path}/CURRENT`
    if (!existsSync(path)) throw storageErrors.E_STORAGE_MOVED(path)
  }

  /** The sync after which all that was written before survives power loss. */
  sync(): Promise<void> {
    return this.#sync.run()
  }

  async #syncLog(): Promise<void> {
    const batches = this.#batches
    if (batches === this.#durable) return
    // RocksDB syncs a log itself that it has ended: the system tells it of a loss, and nobody who syncs that log afterwards.
    const errors = await this.#errors()
    if (errors > this.#settledErrors) this.#isLogBroken = true
    // Where the log cannot be opened beside RocksDB (Windows may refuse), a flush says the same at the price of a table file.
    if (!this.#isLogBroken) {
      await this.#log?.sync().catch(() => {
        this.#isLogBroken = true
      })
    }
    if (this.#isLogBroken) {
      if (await this.#isStuck()) throw this.#refused('what its log may have lost is in memory alone until its tables are merged')
      await this.#flush()
      // RocksDB begins a new log with the first table; what came into the old one until then, behind what it lost, becomes one as well.
      await this.#flush()
    }
    this.#isLogBroken = false
    this.#settledErrors = errors
    this.#durable = batches
  }

  async #flush(but?: Family): Promise<void> {
    while (this.#reopening !== undefined) await this.#reopening
    await this.#flushes.flush(but)
  }

  #session(family: Family): RocksDB {
    if (this.#sessions === undefined || this.#root === undefined) throw storageErrors.E_STORAGE_NOT_OPEN()
    return this.#sessions[family]
  }
}
