import { WholeBlocks } from '../../core/blocks/whole-blocks.ts'
import { messageOf, type Token, token } from '../../core/index.ts'
import { KeyedLock } from '../../core/keyed-lock.ts'
import { adoptFiles, FORMAT, type Following, formatMark, readFormat } from './adoption.ts'
import { BlockFiles } from './blocks/block-files.ts'
import { Census } from './blocks/census.ts'
import { KeptBlocks } from './blocks/kept-blocks.ts'
import { Segments } from './blocks/segments.ts'
import { type BlockValue, decodeValue, fileValue, segmentValue } from './blocks/values.ts'
import type { DamageOptions } from './database/damage.ts'
import { Database } from './database/database.ts'
import { SharedRun } from './database/group-commit.ts'
import { Lost } from './durability/lost.ts'
import { rescue } from './durability/rescue.ts'
import { isIntact, Suspects } from './durability/suspects.ts'
import { Unsynced, type UnsyncedBlock } from './durability/unsynced.ts'
import { storageErrors } from './errors.ts'
import { reachedDisk, syncFolder } from './files.ts'
import { Gate, READS_AT_ONCE } from './gate.ts'
import { Pace } from './pace.ts'
import { pair, refuseWithoutDatabase } from './pair.ts'
import { Room } from './room.ts'
import type { StorageSettings } from './settings.ts'
import type { Mended } from './tables/mend.ts'

/** Where block files lie, below the repo. */
export const BLOCK_FOLDER = 'blocks'
/** Blocks that may wait for the disk before the store syncs by itself, and before it lets puts wait: bounds a durability point and a recovery. */
const MANY_UNSYNCED = 16_384
const MOST_UNSYNCED = 32_768

/** What keeps the store from its work: it takes no writes, it has lost blocks, or the guard of free space refuses what would be stored. */
export type StoreFault = 'writes' | 'blocks' | 'space'

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
  /** The locks under which the keys of large blocks change. Nobody may wait for a sync who holds one. */
  readonly locks = new KeyedLock()
  readonly kept: KeptBlocks
  readonly #reads = new Gate(READS_AT_ONCE)
  readonly room: Room
  readonly lost: Lost
  /** Large blocks that were written since the start. */
  readonly written = new WholeBlocks()
  readonly #repo: string
  #users = 0
  #opened: Promise<void> | undefined
  #opening = new AbortController()
  readonly #sync = new SharedRun(() => this.#syncAll())
  /** The last failure of a sync, and the last that somebody who asked for durability was told of. */
  #failure: unknown
  #told: unknown

  /** @param tell - of what keeps the store from its work; undefined: it is over */
  constructor(repo: string, options: StorageSettings, tell: (fault: StoreFault, reason: string | undefined) => void = () => {}) {
    this.#repo = repo
    this.options = options
    const pace = new Pace()
    const onRefusing = (reason: string | undefined) => tell('writes', reason)
    const onReopened = () => {
      this.kept.clear()
      this.census.forget()
    }
    const damage: DamageOptions = {
      believes: async (family, key, value) => family === 'blocks' && (value === undefined || this.#isOf(key, value)),
      onMended: mended => this.onMended(mended)
    }
    this.database = new Database(`${repo}/db`, { ...options, ...damage, pace, onRefusing, onReopened }, `${repo}/journal`)
    this.files = new BlockFiles(`${repo}/${BLOCK_FOLDER}`, options.fileWriters)
    this.segments = new Segments(`${repo}/segments`, options.segmentSize, pace)
    this.unsynced = new Unsynced(this.database, this.files, this.segments)
    this.suspects = new Suspects(this.database, (multihash, value) => this.#readAt(multihash, value), this.unsynced, repo)
    this.census = new Census(this.database)
    this.kept = new KeptBlocks(this.database, options.cache)
    this.lost = new Lost(reason => tell('blocks', reason))
    this.room = new Room(repo, `${repo}/db`, options.keepFree, reason => tell('space', reason))
  }

  /**
   * Both stores open what they share; the last one closes it.
   *
   * @param readsOnly - whether it is enough that it can be read, as it lies on a disk without the room that opening takes
   * @throws E_STORAGE_OPEN, E_STORAGE_FORMAT, E_STORAGE_CLOSED
   */
  open(following: Following = {}, readsOnly = false): Promise<void> {
    this.#users++
    if (this.#opened === undefined) {
      this.#opening = new AbortController()
      const { signal = this.#opening.signal, progress } = following
      this.#opened = this.#open({ signal: AbortSignal.any([signal, this.#opening.signal]), progress }, readsOnly)
    }
    return this.#opened
  }

  /** Looks whether the disk is full, where there is something to look at. */
  lookAtRoom(): void {
    if (this.database.isOpen) this.room.look()
  }

  /** `progress` is called whenever a file of the last sync, or a table, has reached the disk. */
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
      if (this.database.isReadOnly) return
      await this.sync()
      await this.suspects.trust()
      this.database.ending.leave(() => this.census.known())
    } finally {
      await this.segments.close()
      await this.database.close().finally(() => reachedDisk.unsubscribe(follow))
    }
  }

  async #open(following: Following, readsOnly: boolean): Promise<void> {
    await refuseWithoutDatabase(this.#repo)
    await this.database.open({ readOnly: readsOnly && !this.room.isEnoughToOpen(this.options.writeBuffer) })
    try {
      const isBegun = (await readFormat(this.database)) !== undefined
      await this.database.recover()
      if (this.database.ending.found !== undefined) await this.census.resume(this.database.ending.found)
      // The journal alone may have it: after a power loss, files that a begun database names would else be taken for another program's.
      const format = await readFormat(this.database)
      await pair(this.database, [this.segments.root, this.files.root], isBegun || format !== undefined)
      await this.files.open()
      await this.segments.open()
      if (this.database.isReadOnly) await this.suspects.start()
      else if (format === undefined) await this.#begin(following)
      else if (format < FORMAT) await this.#raiseFormat()
      if (!this.database.isReadOnly && (await this.suspects.start())) this.segments.beginAnew()
    } catch (error) {
      await this.database.close()
      throw error
    }
  }

  /**
   * A durability point for blocks and keys alike, shared by all who ask meanwhile: what was acknowledged before survives power loss.
   *
   * @param options - with `looksAtLost`, blocks that are lost do not let it fail
   * @throws E_STORAGE_SYNC
   */
  async sync({ looksAtLost = false }: { readonly looksAtLost?: boolean } = {}): Promise<void> {
    const told = this.#told
    const [run] = await Promise.allSettled([this.#sync.run()])
    // Of compaction's sync, or of one that nobody waited for: it may have taken up what this caller asks for, and a disk reports a loss once.
    const failure = this.#failure
    this.#told = failure
    if (run.status === 'rejected') throw run.reason
    if (failure !== told) throw storageErrors.E_STORAGE_SYNC(messageOf(failure))
    if (looksAtLost || this.lost.size === 0) return
    throw storageErrors.E_STORAGE_SYNC(messageOf(storageErrors.E_STORAGE_LOST(this.lost.size, String(this.lost))))
  }

  /** Stores the bytes of a large block under its key, whose lock the caller holds. */
  async writeLarge(multihash: Uint8Array, bytes: Uint8Array): Promise<void> {
    this.room.takeLarge(bytes.byteLength)
    // Where keys are refused, nothing should be left that none will name.
    if (this.database.refuses) await this.database.write([this.unsynced.mark({ multihash, segment: undefined })])
    if (this.options.largeBlocks === 'segments') await this.writeToSegment(multihash, bytes)
    else await this.writeToFile(multihash, bytes)
    this.written.add(multihash)
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

  /** Moves a block to a segment: its key says the new place only when the bytes are on the disk there, so that nothing is lost on the way. */
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

  /**
   * The bytes that a value of `blocks` stands for: as many as are there, be they more or less than it says.
   *
   * @param transient - whether their memory goes back to the system after their reader: see `unzeroed`
   * @returns undefined where they are lost
   */
  async read(multihash: Uint8Array, value: BlockValue, transient = false): Promise<Uint8Array | undefined> {
    if (value.kind !== 'segment') return this.readFromDisk(multihash, value)
    const kept = this.kept.bytes(multihash, value)
    if (kept !== undefined) return kept
    const bytes = await this.readFromDisk(multihash, value, transient)
    if (bytes?.byteLength === value.size) this.kept.keepBytes(multihash, value, bytes)
    return bytes
  }

  /** The same, whatever is kept in memory. */
  async readFromDisk(multihash: Uint8Array, value: BlockValue, transient = false): Promise<Uint8Array | undefined> {
    const bytes = await this.#readAt(multihash, value, transient)
    if (bytes !== undefined || value.kind !== 'segment') return bytes
    // The segment may have been written anew since the key was looked up.
    const now = await this.database.get('blocks', multihash)
    return now === undefined ? undefined : this.#readAt(multihash, decodeValue(now), transient)
  }

  /** Whether the disk has these bytes where a value says that they lie. What cannot be read is not there. */
  async holds(multihash: Uint8Array, value: BlockValue, bytes: Uint8Array): Promise<boolean> {
    if (value.size !== bytes.byteLength) return false
    if (value.kind === 'segment') return this.segments.holds(multihash, value, bytes).catch(() => false)
    const found = await this.#readAt(multihash, value).catch(() => undefined)
    return found !== undefined && Buffer.compare(found, bytes) === 0
  }

  /** Whether a value that nothing vouches for can only be that of the block. */
  async #isOf(multihash: Uint8Array, value: Uint8Array): Promise<boolean> {
    try {
      const found = decodeValue(value)
      if (found.kind === 'inline') return isIntact(multihash, found.bytes)
      return found.kind === 'segment' ? await this.segments.holds(multihash, found) : (await this.files.size(multihash)) === found.size
    } catch {
      return false
    }
  }

  /** Told of each bit of the database that was wrong on the disk, and is right again. */
  protected onMended(_: Mended): void {}

  async #readAt(multihash: Uint8Array, value: BlockValue, transient = false): Promise<Uint8Array | undefined> {
    if (value.kind === 'inline') return value.bytes
    return this.#reads.run(() => (value.kind === 'file' ? this.files.read(multihash, value.size) : this.segments.read(value, transient)))
  }

  async #writeKey(marked: UnsyncedBlock, value: Uint8Array): Promise<void> {
    // Before its mark is written, so that a sync which is about to remove an older mark of this block spares it.
    this.unsynced.add(marked)
    await this.database.write([{ family: 'blocks', key: marked.multihash, value }, this.unsynced.mark(marked)])
    this.lost.forget(marked.multihash)
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
