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
import { SharedRun } from './group-commit.ts'
import { removeOldReports, WriteAheadLog } from './write-ahead-log.ts'
import { type Family, families, type KeyValue, type Write } from './writes.ts'

interface Read {
  readonly key: Uint8Array
  resolve(value: Uint8Array | undefined | Promise<Uint8Array | undefined>): void
}

export interface EngineOptions extends DamageOptions {
  /** Bytes of a memtable of `blocks`. */
  writeBuffer: number
}

/** A memtable of the families that hold little. */
const SMALL_BUFFER = 1 << 20
/** Bytes written after which the small families are flushed: the log lives as long as the oldest memtable, and is read again after a crash. */
const LOG_LIMIT = 32 << 20
/** Entries an iterator fetches at a time. */
const FETCH = 256
/** Tables of the first level, which are not merged yet: from 20 on RocksDB holds up writes. */
const MANY_TABLES = 16
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
  /** The reads that are asked for in this turn, by family. */
  readonly #reads = new Map<Family, Read[]>()
  readonly #sync = new SharedRun(() => this.#syncLog())
  readonly #unflushed = new Set<Family>()
  #flushing: Promise<void> = Promise.resolve()
  #sinceFlush = 0
  #isRefusing = false
  /** Whether a sync of the log failed: what it lost the system reports once, so from then on only tables tell that all is there. */
  #isLogBroken = false
  #batches = 0
  /** The count of batches at the last sync; -1 before the first: the run before may have been killed before it synced what it wrote. */
  #durable = -1

  constructor(path: string, options: EngineOptions) {
    this.#path = path
    this.#options = options
    this.#damage = new Damage(options)
  }

  /** @throws E_STORAGE_OPEN, E_STORAGE_MANIFEST, and what {@link loadBinding} throws */
  async open(): Promise<void> {
    await loadBinding()
    await makeFolder(this.#path)
    await this.#damage.open(this.#path, () => this.#open())
    await removeOldReports(this.#path)
  }

  async #open(): Promise<void> {
    const Rocks = await loadBinding()
    const columns = families.map(
      name =>
        new Rocks.ColumnFamily(name, {
          writeBufferSize: name === 'blocks' ? this.#options.writeBuffer : SMALL_BUFFER,
          // The kernel caches the files already; a second cache costs 32 MiB a family and gained nothing measurable.
          blockCache: false,
          tableCacheIndexAndFilterBlocks: false
        })
    )
    const root = new Rocks(this.#path, {
      columnFamilies: columns,
      // Of the default family, which nobody uses. RocksDB sets as much of the disk aside for every log; its own default is 64 MiB.
      writeBufferSize: SMALL_BUFFER,
      maxBackgroundJobs: 2,
      maxFileOpeningThreads: 2
    })
    await root.ready()
    this.#root = root
    this.#sessions = Object.fromEntries(columns.map((columnFamily, i) => [families[i], root.session({ columnFamily })])) as never
    this.#log = new WriteAheadLog(this.#path, () => root.currentWalFile())
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
    const blocks = this.#session('blocks')
    const [errors, tables] = await Promise.all(
      ['background-errors', 'num-files-at-level0'].map(name => blocks.getProperty(`rocksdb.${name}`))
    )
    return Number(errors) > 0 && Number(tables) >= MANY_TABLES
  }

  /** The look-ups of one turn of the event loop, made as one: half of the time of a look-up goes into the call. */
  get(family: Family, key: Uint8Array): Promise<Uint8Array | undefined> {
    return new Promise(resolve => {
      const reads = this.#reads.get(family)
      if (reads !== undefined) reads.push({ key, resolve })
      else {
        this.#reads.set(family, [{ key, resolve }])
        queueMicrotask(() => this.#readAll(family))
      }
    })
  }

  /** Values of several keys, looked up as one. */
  async getAll(family: Family, keys: readonly Uint8Array[]): Promise<ReadonlyArray<Uint8Array | undefined>> {
    if (keys.length <= 1) return Promise.all(keys.map(key => this.get(family, key)))
    const batch = this.#session(family).read({ capacity: keys.length })
    try {
      const found = Promise.all(keys.map(key => batch.get(key).then(barely, error => this.#again(family, key, error))))
      // Each read reports its own failure, and the batch that one of them failed.
      await Promise.allSettled([found, batch.flush()])
      return await found
    } finally {
      batch.destroy()
    }
  }

  #readAll(family: Family): void {
    const reads = this.#reads.get(family) ?? []
    this.#reads.delete(family)
    try {
      const batch = this.#session(family).read({ capacity: reads.length })
      for (const { key, resolve } of reads)
        batch.get(key).then(
          value => resolve(barely(value)),
          error => resolve(this.#again(family, key, error))
        )
      // Each read reports its own failure.
      const over = () => batch.destroy()
      batch.flush().then(over, over)
    } catch (error) {
      for (const { resolve } of reads) resolve(Promise.reject(error))
    }
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
    const batch = this.#session('state').write({ capacity: writes.length })
    try {
      for (const { family, key, value } of writes) {
        if (value === undefined) batch.tryDelete(key)
        else batch.tryPut(key, value)
        // A batch of the binding knows one column family; each operation in it may well name another.
        const operation = batch._operations.at(-1) as { columnFamily: unknown }
        operation.columnFamily = this.#session(family)._columnFamily._handle
        this.#sinceFlush += key.byteLength + (value?.byteLength ?? 0)
      }
      await batch.flush()
      // Only now: a flush that is under way may miss it.
      for (const { family } of writes) this.#unflushed.add(family)
      this.#isRefusing = false
      this.#batches++
    } catch (error) {
      this.#isRefusing = true
      // The binding's own message is that the batch was not applied; what went wrong is its cause.
      const cause = (error as Error).cause ?? error
      // A merge met it: once the bit is turned back, the next start writes again.
      await this.#damage.mend(cause)
      throw storageErrors.E_STORAGE_WRITE(messageOf(cause), isDamage(cause))
    } finally {
      batch.destroy()
    }
    if (this.#sinceFlush > LOG_LIMIT) {
      this.#sinceFlush = 0
      this.#flush('blocks').catch(() => {})
    }
  }

  /** Entries of a range in the order of their keys, as of now; past what is damaged, where nobody minds, key by key. @throws E_STORAGE_DAMAGED */
  entries(family: Family, range: Range, options?: EntryOptions): AsyncGenerator<KeyValue> {
    return this.#damage.entries(range, options, {
      iterate: (from, how) => this.#iterate(family, from, how),
      get: key => this.get(family, key),
      flush: () => this.#session(family).flush()
    })
  }

  async *#iterate(family: Family, range: Range, { signal, ...how }: EntryOptions): AsyncGenerator<KeyValue> {
    signal?.throwIfAborted()
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
    // Where the log cannot be opened beside RocksDB (Windows may refuse), a flush says the same at the price of a table file.
    if (!this.#isLogBroken) {
      await this.#log?.sync().catch(() => {
        this.#isLogBroken = true
      })
    }
    if (this.#isLogBroken) {
      await this.#flush()
      // RocksDB begins a new log with the first table; what came into the old one until then, behind what it lost, becomes one as well.
      await this.#flush()
    }
    this.#isLogBroken = false
    this.#durable = batches
  }

  /** Flushes, one at a time, so that who asks also waits for what an earlier one took up. */
  #flush(but?: Family): Promise<void> {
    this.#flushing = this.#flushing
      .catch(() => {})
      .then(async () => {
        const written = [...this.#unflushed].filter(family => family !== but)
        for (const family of written) this.#unflushed.delete(family)
        try {
          await Promise.all(written.map(family => this.#session(family).flush()))
        } catch (error) {
          for (const family of written) this.#unflushed.add(family)
          throw error
        }
      })
    return this.#flushing
  }

  #session(family: Family): RocksDB {
    if (this.#sessions === undefined || this.#root === undefined) throw storageErrors.E_STORAGE_NOT_OPEN()
    return this.#sessions[family]
  }
}

function barely(value: Buffer | null): Uint8Array | undefined {
  return value === null ? undefined : bare(value)
}
