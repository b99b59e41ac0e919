import { messageOf, type Token, token } from '../../core/index.ts'
import { KeyedLock } from '../../core/keyed-lock.ts'
import { adoptFiles, FORMAT, type Following, formatMark, readFormat } from './adoption.ts'
import { BlockFiles } from './block-files.ts'
import { Census } from './census.ts'
import { Database, type Write } from './database.ts'
import { storageErrors } from './errors.ts'
import { reachedDisk, syncFolder } from './files.ts'
import { Gate } from './gate.ts'
import { SharedRun } from './group-commit.ts'
import { rescue } from './rescue.ts'
import { Room } from './room.ts'
import { Segments } from './segments.ts'
import type { StorageSettings } from './settings.ts'
import { Suspects } from './suspects.ts'
import { type Marked, Unsynced } from './unsynced.ts'
import { ValueCache } from './value-cache.ts'
import { type BlockValue, decodeValue, fileValue, isSegmentValue, type Place, segmentValue } from './values.ts'

/** Where block files lie, below the repo. */
export const BLOCK_FOLDER = 'blocks'
/** Blocks that may wait for the disk before the store syncs by itself, and before it lets puts wait: bounds a durability point and a recovery. */
const MANY_UNSYNCED = 16_384
const MOST_UNSYNCED = 32_768
/** Large blocks up to this size are mostly inner nodes of files and folders, which are read again and again: their bytes are kept too. */
const NODE_BYTES = 16 * 1024
/** Large blocks that are read at a time, each into memory of its own: Node.js has four threads for it by itself. */
const READS_AT_ONCE = 32

export const SharedStorage: Token<Storage> = token<Storage>('storage-rocksdb.storage')

/** The database and the block files of one repo, as the two stores over them share it. */
export class Storage {
  readonly options: StorageSettings
  readonly database: Database
  readonly files: BlockFiles
  readonly segments: Segments
  readonly unsynced: Unsynced
  readonly suspects: Suspects
  readonly census: Census
  /** Under which the keys of large blocks change. Nobody may wait for a sync who holds one. */
  readonly locks = new KeyedLock()
  /** Of the family `blocks`. */
  readonly #values: ValueCache
  /** The large block that was read last. */
  #last: { readonly multihash: Uint8Array; readonly bytes: Uint8Array } | undefined
  readonly #reads = new Gate(READS_AT_ONCE)
  readonly room: Room
  readonly #repo: string
  #users = 0
  #opened: Promise<void> | undefined
  #opening = new AbortController()
  readonly #sync = new SharedRun(() => this.#syncAll())
  /** The last failure of a sync, and the last that somebody who asked for durability was told of. */
  #failure: unknown
  #told: unknown

  constructor(repo: string, options: StorageSettings) {
    this.#repo = repo
    this.options = options
    this.database = new Database(`${repo}/db`, options, `${repo}/journal`)
    this.files = new BlockFiles(`${repo}/${BLOCK_FOLDER}`, options.fileWriters)
    this.segments = new Segments(`${repo}/segments`, options.segmentSize)
    this.unsynced = new Unsynced(this.database, this.files, this.segments)
    this.suspects = new Suspects(this.database, (multihash, value) => this.#readAt(multihash, value), this.unsynced, repo)
    this.census = new Census(this.database)
    this.#values = new ValueCache(options.cache)
    this.database.onWritten(writes => this.#follow(writes))
    this.room = new Room(repo, options.keepFree)
  }

  /** Both stores open what they share; the last one closes it. @throws E_STORAGE_OPEN, E_STORAGE_FORMAT, E_STORAGE_CLOSED */
  open(following: Following = {}): Promise<void> {
    this.#users++
    if (this.#opened === undefined) {
      this.#opening = new AbortController()
      const { signal = this.#opening.signal, progress } = following
      this.#opened = this.#open({ signal: AbortSignal.any([signal, this.#opening.signal]), progress })
    }
    return this.#opened
  }

  /** `progress` is called whenever a file of the last sync has reached the disk. */
  async close(progress?: () => void): Promise<void> {
    if (this.#users === 0 || --this.#users > 0) return
    const opened = this.#opened
    this.#opened = undefined
    this.#opening.abort(storageErrors.E_STORAGE_CLOSED())
    await opened?.catch(() => {})
    if (!this.database.isOpen) return
    const follow = (path: unknown) => {
      if ((path as string).startsWith(`${this.#repo}/`)) progress?.()
    }
    reachedDisk.subscribe(follow)
    try {
      await this.suspects.stop()
      await this.sync()
      await this.suspects.trust()
    } finally {
      reachedDisk.unsubscribe(follow)
      await this.segments.close()
      await this.database.close()
    }
  }

  /** Blocks are looked up again, until they are known again. */
  rest(): void {
    this.#values.clear()
    this.#last = undefined
  }

  async #open(following: Following): Promise<void> {
    await this.database.open()
    try {
      await readFormat(this.database)
      await this.database.recover()
      // The journal alone may have it: after a power loss, files that a begun database names would else be taken for another program's.
      const format = await readFormat(this.database)
      await this.files.open()
      await this.segments.open()
      if (format === undefined) await this.#begin(following)
      else if (format < FORMAT) await this.#raiseFormat()
      if (await this.suspects.start()) this.segments.beginAnew()
    } catch (error) {
      await this.database.close()
      throw error
    }
  }

  /**
   * A durability point for blocks and keys alike, shared by all who ask meanwhile: what was acknowledged before survives power loss.
   *
   * @throws E_STORAGE_SYNC
   */
  async sync(): Promise<void> {
    const told = this.#told
    const [run] = await Promise.allSettled([this.#sync.run()])
    // Of compaction's sync, or of one that nobody waited for: it may have taken up what this caller asks for, and a disk reports a loss once.
    const failure = this.#failure
    this.#told = failure
    if (run.status === 'rejected') throw run.reason
    if (failure !== told) throw storageErrors.E_STORAGE_SYNC(messageOf(failure))
  }

  /** Stores the bytes of a large block under its key, whose lock the caller holds. */
  async writeLarge(multihash: Uint8Array, bytes: Uint8Array): Promise<void> {
    this.room.takeLarge(bytes.byteLength)
    // Where keys are refused, nothing should be left that none will name.
    if (this.database.refuses) await this.database.write([this.unsynced.mark({ multihash, segment: undefined })])
    if (this.options.largeBlocks === 'segments') await this.writeToSegment(multihash, bytes)
    else await this.writeToFile(multihash, bytes)
  }

  async writeToFile(multihash: Uint8Array, bytes: Uint8Array): Promise<void> {
    await this.files.write(multihash, bytes)
    await this.#writeKey({ multihash, segment: undefined }, fileValue(bytes.byteLength))
  }

  /** The same by another name of a file that is there. @returns false where there is no such thing as a second name for it */
  async linkFile(multihash: Uint8Array, file: string, size: number): Promise<boolean> {
    // Where keys are refused, nothing should be left that none will name.
    if (this.database.refuses) await this.database.write([this.unsynced.mark({ multihash, segment: undefined })])
    if (!(await this.files.link(multihash, file))) return false
    await this.#writeKey({ multihash, segment: undefined }, fileValue(size))
    return true
  }

  /** For a block that lies elsewhere: its key says the new place only when the bytes are on the disk there, so that nothing is lost on the way. */
  moveToSegment(multihash: Uint8Array, bytes: Uint8Array): Promise<void> {
    return this.segments.append(multihash, bytes, async place => {
      this.segments.suspect(place.segment)
      await this.segments.sync().catch(error => this.#fail(error))
      // A sync that came before may have failed while this was appended.
      if (this.segments.isBroken(place.segment)) throw storageErrors.E_STORAGE_SYNC(`an earlier sync of segment ${place.segment} failed`)
      await this.#writeKey({ multihash, segment: place.segment }, segmentValue(place))
    })
  }

  writeToSegment(multihash: Uint8Array, bytes: Uint8Array): Promise<void> {
    return this.segments.append(multihash, bytes, place => this.#writeKey({ multihash, segment: place.segment }, segmentValue(place)))
  }

  /** The value of a block's key. What is known without a way to another thread is there at once. */
  value(multihash: Uint8Array): Uint8Array | Promise<Uint8Array | undefined> {
    return this.#values.get(multihash) ?? this.#lookUp(multihash)
  }

  /** Whether the key is there, as far as that can be said at once. */
  knows(multihash: Uint8Array): boolean {
    return this.#values.has(multihash)
  }

  /** The same of several. */
  async valuesOf(multihashes: readonly Uint8Array[]): Promise<Array<Uint8Array | undefined>> {
    const values = multihashes.map(multihash => this.#values.get(multihash))
    const missing = multihashes.filter((_, i) => values[i] === undefined)
    if (missing.length === 0) return values
    const moment = this.#values.moment
    const found = await this.database.getAll('blocks', missing)
    missing.forEach((multihash, i) => {
      if (found[i] !== undefined) this.#values.found(multihash, found[i], moment)
    })
    const left = found.values()
    return values.map(value => value ?? left.next().value)
  }

  /** Whether the keys of several are there. Their values are not kept: whoever asks that of a whole graph reads none of them soon. */
  async hasAll(multihashes: readonly Uint8Array[]): Promise<boolean[]> {
    const known = multihashes.map(multihash => this.#values.has(multihash))
    const asked = multihashes.filter((_, i) => !known[i])
    if (asked.length === 0) return known
    const left = (await this.database.getAll('blocks', asked)).values()
    return known.map(isKnown => isKnown || left.next().value !== undefined)
  }

  async #lookUp(multihash: Uint8Array): Promise<Uint8Array | undefined> {
    const moment = this.#values.moment
    const value = await this.database.get('blocks', multihash)
    if (value !== undefined) this.#values.found(multihash, value, moment)
    return value
  }

  #follow(writes: readonly Write[]): void {
    for (const { family, key, value } of writes) {
      if (family !== 'blocks') continue
      // A segment has it because it is new, or written anew where its bytes were lost.
      if (value === undefined || isSegmentValue(value)) this.#forgetBytes(key)
      if (value === undefined) this.#values.delete(key)
      else this.#values.set(key, value)
    }
  }

  /**
   * The bytes that a value of `blocks` stands for: as many as are there, be they more or less than it says.
   *
   * @param transient - whether their memory goes back to the system after their reader: see `unzeroed`
   * @returns undefined where they are lost
   */
  async read(multihash: Uint8Array, value: BlockValue, transient = false): Promise<Uint8Array | undefined> {
    if (value.kind !== 'segment') return this.readFromDisk(multihash, value)
    if (value.size > NODE_BYTES) return this.#readLeaf(multihash, value, transient)
    const key = bytesKey(multihash)
    const kept = this.#values.get(key)
    if (kept !== undefined) return kept
    const bytes = await this.readFromDisk(multihash, value)
    if (bytes?.byteLength === value.size && this.#liesAt(multihash, value)) this.#values.set(key, bytes)
    return bytes
  }

  /** The block read last: who reads a file a little at a time reads the same one again and again. */
  async #readLeaf(multihash: Uint8Array, value: BlockValue & Place, transient: boolean): Promise<Uint8Array | undefined> {
    if (this.#last !== undefined && areEqual(this.#last.multihash, multihash)) return this.#last.bytes
    const bytes = await this.readFromDisk(multihash, value, transient)
    if (bytes?.byteLength === value.size && this.#liesAt(multihash, value)) this.#last = { multihash, bytes }
    return bytes
  }

  /** Whether that is known to be the block's place still: what was read elsewhere may be what was lost there. */
  #liesAt(multihash: Uint8Array, place: Place): boolean {
    const now = this.#values.get(multihash)
    return now !== undefined && areEqual(now, segmentValue(place))
  }

  #forgetBytes(multihash: Uint8Array): void {
    const key = bytesKey(multihash)
    if (this.#values.has(key)) this.#values.delete(key)
    if (this.#last !== undefined && areEqual(this.#last.multihash, multihash)) this.#last = undefined
  }

  /** The same, whatever is kept in memory. */
  async readFromDisk(multihash: Uint8Array, value: BlockValue, transient = false): Promise<Uint8Array | undefined> {
    const bytes = await this.#readAt(multihash, value, transient)
    if (bytes !== undefined || value.kind !== 'segment') return bytes
    // The segment may have been written anew since the key was looked up.
    const now = await this.database.get('blocks', multihash)
    return now === undefined ? undefined : this.#readAt(multihash, decodeValue(now), transient)
  }

  /** Whether what a value stands for lies there, as long as it says. */
  async isWhole(multihash: Uint8Array, value: BlockValue): Promise<boolean> {
    if (value.kind === 'inline') return true
    return value.kind === 'file' ? (await this.files.size(multihash)) === value.size : this.segments.holds(value)
  }

  async #readAt(multihash: Uint8Array, value: BlockValue, transient = false): Promise<Uint8Array | undefined> {
    if (value.kind === 'inline') return value.bytes
    return this.#reads.run(() => (value.kind === 'file' ? this.files.read(multihash, value.size) : this.segments.read(value, transient)))
  }

  async #writeKey(marked: Marked, value: Uint8Array): Promise<void> {
    // Before its mark is written, so that a sync which is about to remove an older mark of this block spares it.
    this.unsynced.add(marked)
    await this.database.write([{ family: 'blocks', key: marked.multihash, value }, this.unsynced.mark(marked)])
  }

  /** Call after large blocks were stored, and their locks given back. */
  async syncIfMany(): Promise<void> {
    if (this.unsynced.size >= MOST_UNSYNCED) await this.sync()
    // Whoever asks for durability next is told of a failure.
    else if (this.unsynced.size >= MANY_UNSYNCED) this.#sync.run().catch(() => {})
  }

  /** The block files that a new database finds become blocks. */
  async #begin(following: Following): Promise<void> {
    if (await this.#isEmpty()) this.census.begin()
    await adoptFiles(this.files, this.database, following)
    await this.database.writeThrough([formatMark()])
    await syncFolder(this.#repo)
  }

  async #isEmpty(): Promise<boolean> {
    for await (const _ of this.database.entries('blocks', {}, { values: false, limit: 1 })) return false
    return true
  }

  /** Past the journal: a program that knows none finds the format before anything is there that it would not see. */
  async #raiseFormat(): Promise<void> {
    await this.database.writeThrough([formatMark()])
    // A newer format may have brought a new folder.
    await syncFolder(this.#repo)
  }

  /** @throws E_STORAGE_SYNC */
  async #syncAll(): Promise<void> {
    try {
      // Those that come in between as well.
      for (let broken = this.unsynced.broken(); broken.length > 0; broken = this.unsynced.broken()) await rescue(broken, this)
      const settled = await this.unsynced.sync()
      await this.database.sync()
      await this.database.write(this.unsynced.unmarksOf(settled))
    } catch (error) {
      await this.#fail(storageErrors.E_STORAGE_SYNC(messageOf(error)))
    }
  }

  async #fail(error: unknown): Promise<never> {
    this.#failure = error
    // Should this process die before it has written once more what may be lost, or find that it is.
    await this.suspects.doubt().catch(() => {})
    throw error
  }
}

/** Under which the cache has the bytes of a block that lie in a segment; no multihash ends like this. */
function bytesKey(multihash: Uint8Array): Uint8Array {
  const key = new Uint8Array(multihash.byteLength + 1)
  key.set(multihash)
  return key
}

function areEqual(one: Uint8Array, other: Uint8Array): boolean {
  return Buffer.compare(one, other) === 0
}
