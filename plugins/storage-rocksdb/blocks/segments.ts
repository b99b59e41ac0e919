import { readdir } from 'node:fs/promises'
import { messageOf } from '../../../core/index.ts'
import { GroupCommit, SharedRun } from '../database/group-commit.ts'
import { storageErrors } from '../errors.ts'
import { fileSize, isMissing, makeFolder, mayHaveLost, open, syncData, syncFolder, unlink, unzeroed } from '../files.ts'
import { Pace } from '../pace.ts'
import { OpenFiles } from './open-files.ts'
import { readAt, writeAll, writeAllNow } from './positioned.ts'
import { headOf, recordsIn, type SegmentRecord } from './segment-record.ts'
import type { Place } from './values.ts'

const EXTENSION = '.blocks'
const NAME = /^(\d{8,10})\.blocks$/
/** Bytes and blocks handed to the system in one call. */
const BYTES_AT_ONCE = 4 << 20
const MOST_AT_ONCE = 256
/**
 * Bytes that are written from the event loop itself: the system takes so many in less time than it takes to wake another thread, on whose
 * processor they are not at hand. Whoever writes more has other work meanwhile.
 */
export const MOST_IN_LOOP: number = 512 * 1024
/** Segments kept open for reading. */
const KEPT_OPEN = 64
const NOTHING = new Uint8Array()

/** A block that is to be appended; once that was tried, its place or what went wrong. */
interface Append {
  readonly multihash: Uint8Array
  readonly bytes: Uint8Array
  place?: Place
  failure?: Error
}

/**
 * Blocks one after the other in files of some MiB. To create a file costs as much as to write 200 KiB into one, so many blocks share it.
 * Records are only ever appended, by one writer, so a segment is whole up to where its first broken record begins. What is removed stays
 * until its segment is written anew without it (see compaction.ts).
 */
export class Segments {
  readonly root: string
  readonly #limit: number
  readonly #pace: Pace
  /** Sizes of the segments in bytes; undefined: not looked at so far. */
  readonly #sizes = new Map<number, number | undefined>()
  readonly #files = new OpenFiles(segment => this.pathOf(segment), KEPT_OPEN)
  readonly #unsynced = new Set<number>()
  /** The files whose sync failed: the system takes them for written, so that the success of a later one says nothing. */
  readonly #broken = new Set<number>()
  /** Appended to segments whose keys are not written yet. */
  readonly #pending = new Map<number, number>()
  readonly #appends = new GroupCommit<Append>(appends => this.#write(appends))
  /** The sync, one for all who ask: of what one has taken up already, a second would find nothing left to wait for. */
  readonly #sync = new SharedRun(() => this.#syncAll())
  #active: number | undefined
  #last = 0
  /** The last segment of the run before, until it is known whether to go on with it. */
  #resumable = 0
  /** Whether the names of all of them have reached the disk. The run before may have been killed before they did. */
  #isNamed = false
  #isOpen = false

  /** @param limit - bytes after which the next segment begins; a block that is larger has one of its own */
  constructor(root: string, limit: number, pace: Pace = new Pace()) {
    this.root = root
    this.#limit = limit
    this.#pace = pace
  }

  async open(): Promise<void> {
    await makeFolder(this.root)
    for (const name of await readdir(this.root)) {
      const number = NAME.exec(name)?.[1]
      if (number === undefined) continue
      this.#sizes.set(Number(number), undefined)
      this.#last = Math.max(this.#last, Number(number))
    }
    this.#resumable = this.#last
    this.#files.open()
    this.#isOpen = true
  }

  /** Goes on in a new segment: call where the last one may have lost what was written to it. */
  beginAnew(): void {
    this.#resumable = 0
  }

  /** The end of appending: what is under way is appended, nothing else from now on. */
  async close(): Promise<void> {
    this.#isOpen = false
    await this.#appends.add([])
    await this.#files.close()
    this.#active = undefined
  }

  /**
   * Appends a block, then has `commit` write down where it lies; only then may its segment be removed.
   * The memory of `bytes` may be used again once this resolves.
   *
   * @throws E_STORAGE_BLOCK, E_STORAGE_NOT_OPEN
   */
  async append(multihash: Uint8Array, bytes: Uint8Array, commit: (place: Place) => Promise<void>): Promise<void> {
    // A segment that is made now would be in the way of whoever opens the folder next.
    if (!this.#isOpen) throw storageErrors.E_STORAGE_NOT_OPEN()
    const append: Append = { multihash, bytes }
    await this.#appends.add([append])
    if (append.failure !== undefined) throw append.failure
    const place = append.place!
    try {
      await commit(place)
    } finally {
      const left = this.#pending.get(place.segment)! - 1
      if (left === 0) this.#pending.delete(place.segment)
      else this.#pending.set(place.segment, left)
    }
  }

  /** As much of the block as is there. @returns undefined when there is no such segment */
  async read({ segment, offset, size }: Place, transient = false): Promise<Uint8Array | undefined> {
    const bytes = unzeroed(size, transient)
    const at = await this.#files.use(segment, fd => readAt(fd, bytes, offset))
    return at === undefined ? undefined : bytes.subarray(0, at)
  }

  /** Whether the record of a block is at its place: its head, and the bytes where they are given. */
  async holds(multihash: Uint8Array, { segment, offset, size }: Place, bytes: Uint8Array = NOTHING): Promise<boolean> {
    const head = headOf(multihash, size)
    const record = Buffer.concat([head, bytes])
    const found = await this.read({ segment, offset: Math.max(0, offset - head.byteLength), size: record.byteLength })
    return found !== undefined && Buffer.compare(found, record) === 0
  }

  /** The size in bytes; 0 when there is no such segment. */
  async sizeOf(segment: number): Promise<number> {
    const known = this.#sizes.get(segment)
    if (known !== undefined || !this.#sizes.has(segment)) return known ?? 0
    const size = (await fileSize(this.pathOf(segment))) ?? 0
    // Meanwhile it may have grown, or be gone.
    if (this.#sizes.has(segment) && this.#sizes.get(segment) === undefined) this.#sizes.set(segment, size)
    return this.#sizes.get(segment) ?? 0
  }

  all(): number[] {
    return [...this.#sizes.keys()]
  }

  /** The segments that nothing will be appended to, and whose every block has its key. */
  sealed(): number[] {
    return this.all().filter(number => number !== this.#active && number !== this.#resumable && !this.#pending.has(number))
  }

  /** The blocks that were appended to a segment, removed ones included, up to the first record that is not whole. */
  async *records(segment: number): AsyncGenerator<SegmentRecord> {
    const end = await this.sizeOf(segment)
    const readInto = async (bytes: Uint8Array, at: number) => (await this.#files.use(segment, fd => readAt(fd, bytes, at))) ?? 0
    yield* recordsIn(segment, end, readInto)
  }

  /** The removal of a segment; those who read from it at this moment may finish. */
  async remove(segment: number): Promise<void> {
    this.#sizes.delete(segment)
    this.#unsynced.delete(segment)
    this.#broken.delete(segment)
    await this.#files.drop(segment)
    await unlink(this.pathOf(segment)).catch(error => {
      if (!isMissing(error)) throw error
    })
  }

  /** Call for a segment that an earlier run of this machine may not have synced. */
  suspect(segment: number): void {
    if (this.#sizes.has(segment)) this.#unsynced.add(segment)
  }

  get hasBroken(): boolean {
    return this.#broken.size > 0
  }

  /** Whether a sync of the segment failed. What was not synced before has to be appended once more, which goes to another one. */
  isBroken(segment: number): boolean {
    return this.#broken.has(segment)
  }

  /** Call for a segment whose sync failed in an earlier run. */
  doubt(segment: number): void {
    if (this.#sizes.has(segment)) this.#broken.add(segment)
  }

  /** The sync after which all that was appended survives power loss, but in segments that are broken. */
  sync(): Promise<void> {
    return this.#sync.run()
  }

  async #syncAll(): Promise<void> {
    const segments = [...this.#unsynced].filter(segment => !this.#broken.has(segment))
    this.#unsynced.clear()
    try {
      for (const segment of segments) {
        const isThere = await syncData(this.pathOf(segment)).catch(error => {
          if (mayHaveLost(error)) this.#broken.add(segment)
          throw error
        })
        if (!isThere && this.#sizes.has(segment)) throw storageErrors.E_STORAGE_MOVED(this.pathOf(segment))
      }
      if (!this.#isNamed) {
        this.#isNamed = true
        await syncFolder(this.root)
      }
    } catch (error) {
      for (const segment of segments) this.#unsynced.add(segment)
      this.#isNamed = false
      throw error
    }
  }

  /** Each batch fails by itself. */
  async #write(appends: readonly Append[]): Promise<void> {
    for (const batch of batchesOf(appends)) {
      await this.#writeBatch(batch).catch(error => {
        for (const append of batch) append.failure = storageErrors.E_STORAGE_BLOCK(messageOf(error))
      })
    }
  }

  async #writeBatch(batch: readonly Append[]): Promise<void> {
    const active = await this.#writable()
    const start = this.#sizes.get(active)!
    const pieces: Uint8Array[] = []
    let end = start
    for (const append of batch) {
      const head = headOf(append.multihash, append.bytes.byteLength)
      pieces.push(head, append.bytes)
      append.place = { segment: active, offset: end + head.byteLength, size: append.bytes.byteLength }
      end += head.byteLength + append.bytes.byteLength
    }
    this.#unsynced.add(active)
    await this.#files.use(active, async fd => {
      if (end - start > MOST_IN_LOOP || !this.#pace.run(() => writeAllNow(fd, pieces, start))) await writeAll(fd, pieces, start)
    })
    // Only now: the next batch takes the place of one that failed.
    this.#sizes.set(active, end)
    this.#pending.set(active, (this.#pending.get(active) ?? 0) + batch.length)
  }

  /** The number of a segment that has room. */
  async #writable(): Promise<number> {
    if (this.#resumable > 0) await this.#resume(this.#resumable)
    const active = this.#active
    if (active !== undefined && this.#sizes.get(active)! < this.#limit && !this.#broken.has(active)) return active
    for (;;) {
      const number = this.#last + 1
      const fd = await open(this.pathOf(number), 'wx+', 0o600).catch(error => {
        if (error.code !== 'EEXIST') throw error
      })
      this.#last = number
      // Somebody else's, which is nothing to be appended to.
      if (fd === undefined) continue
      this.#isNamed = false
      await this.#activate(number, fd, 0)
      return number
    }
  }

  /** Goes on with the last segment of the run before, if nothing in it was broken off. */
  async #resume(segment: number): Promise<void> {
    const size = await this.sizeOf(segment)
    let end = 0
    for await (const { place } of this.records(segment)) end = place.offset + place.size
    if (end !== size || size >= this.#limit) {
      this.#resumable = 0
      return
    }
    await this.#activate(segment, await open(this.pathOf(segment), 'r+'), size)
    // Not before it is the active one: at no moment may it look like one that nothing will be appended to.
    this.#resumable = 0
  }

  async #activate(segment: number, fd: number, size: number): Promise<void> {
    this.#sizes.set(segment, size)
    this.#active = segment
    await this.#files.write(segment, fd)
  }

  pathOf(segment: number): string {
    return `${this.root}/${String(segment).padStart(8, '0')}${EXTENSION}`
  }
}

function* batchesOf(appends: readonly Append[]): Generator<readonly Append[]> {
  let batch: Append[] = []
  let bytes = 0
  for (const append of appends) {
    batch.push(append)
    bytes += append.bytes.byteLength
    if (bytes < BYTES_AT_ONCE && batch.length < MOST_AT_ONCE) continue
    yield batch
    batch = []
    bytes = 0
  }
  if (batch.length > 0) yield batch
}
