import { readdirSync, statfsSync, statSync } from 'node:fs'
import { storageErrors } from './errors.ts'

/** Bytes written, and milliseconds, after which the file system is asked again. */
const ASK_AFTER_BYTES = 1 << 20
const ASK_AFTER = 1000
/** The largest part of a small file system that is kept free. */
const LARGEST_PART = 1 / 2

/** Bytes above what is kept free. */
const TIGHT = 16 << 20
/** The part of what is kept free that keys and small blocks may use: to unlink something from a folder writes a new one. */
const PART_FOR_SMALL = 1 / 2

/**
 * Most bytes that RocksDB needs for a moment to make new tables of old ones: a table of 64 MiB and the ten or so that it overlaps on the level
 * below. Of its first two levels all together take some 400 MiB.
 */
export const MOST_MERGED: number = 768 << 20
/** Inodes that are left, and the largest part of those there are: RocksDB makes files for its log, its manifest and its tables. */
export const KEPT_INODES: number = 256
const LARGEST_PART_OF_INODES = 1 / 8
/** Bytes and inodes above what is kept free from which on the disk is no longer said to be full, so that the log is not filled instead. */
const AMPLE = 4 << 20
const AMPLE_INODES = 64

/** Inodes that an opening takes: of its log, its manifest, what names that, and a table of each family. */
const INODES_TO_OPEN = 16

/** Milliseconds after which its tables are counted again, where the disk is so full. */
const COUNT_AFTER = 250

/**
 * Keeps the last of the disk free. A RocksDB that meets a full disk takes no writes until it is opened anew, not even those that remove
 * something, and opening it needs room as well: so what would fill the disk is refused while removing still works. One that cannot merge its
 * tables gives back nothing of what is removed: as much as that takes is kept besides.
 */
export class Room {
  readonly #folder: string
  readonly #tables: string
  readonly #keepFree: number
  /** Bytes that are free as last asked, less what was taken since. */
  #free = 0
  #kept = 0
  /** The same of inodes; without end where the file system has no table of them. */
  #inodes = Number.POSITIVE_INFINITY
  #keptInodes = 0
  /** Why something was refused, until there is ample room again. */
  #refusal: string | undefined
  readonly #tell: (refusal: string | undefined) => void
  /** Bytes that merging takes besides. */
  #merged = 0
  #countedAt = Number.NEGATIVE_INFINITY
  #taken = 0
  #askedAt = Number.NEGATIVE_INFINITY

  /** @param tables - the folder of RocksDB @param tell - of the first refusal, and when there is room again: undefined */
  constructor(folder: string, tables: string, keepFree: number, tell: (refusal: string | undefined) => void = () => {}) {
    this.#tell = tell
    this.#folder = folder
    this.#tables = tables
    this.#keepFree = keepFree
  }

  /** Looks whether the disk is full, and tells where that has changed. */
  look(): void {
    if (this.#keepFree === 0) return
    this.#ask()
    this.#judge(this.#problem(0, 1))
  }

  /** Call before a large block is stored. Costs nothing but for a call to the system now and then. @throws E_STORAGE_FULL, E_STORAGE_INODES */
  takeLarge(bytes: number): void {
    this.#take(bytes, 1)
  }

  /** The same for keys and small blocks. */
  takeSmall(bytes: number): void {
    this.#take(bytes, PART_FOR_SMALL)
  }

  /** Whether RocksDB has the room that it takes to open: for what its log holds, up to two of its buffers of that size, and a new manifest. */
  isEnoughToOpen(writeBuffer: number): boolean {
    const { bavail, bsize, files, ffree } = statfsSync(this.#folder)
    return bavail * bsize >= 3 * writeBuffer && (files === 0 || ffree >= INODES_TO_OPEN)
  }

  /** Whether large blocks are refused, or nearly so. */
  isTight(): boolean {
    if (this.#keepFree === 0) return false
    this.#ask()
    return this.#free < this.#kept + this.#merged + TIGHT
  }

  /** Whether RocksDB should give back the room of what was removed now, and has as much as it needs to make all its tables anew. */
  isWorthMerging(): boolean {
    return this.isTight() && this.#merged < Math.min(this.#free, MOST_MERGED)
  }

  #take(bytes: number, part: number): void {
    if (this.#keepFree === 0) return
    this.#free -= bytes
    this.#taken += bytes
    this.#inodes--
    const isRecent = this.#taken < ASK_AFTER_BYTES && performance.now() - this.#askedAt < ASK_AFTER
    if (isRecent && this.#problem(0, part) === undefined) return
    this.#ask()
    const problem = this.#problem(bytes, part)
    this.#judge(problem ?? this.#problem(0, 1))
    if (problem !== undefined) throw problem
    this.#free -= bytes
  }

  /** The refusal of so many bytes; undefined: there is room for them. */
  #problem(bytes: number, part: number): Error | undefined {
    if (this.#free - bytes < this.#kept * part + this.#merged)
      return storageErrors.E_STORAGE_FULL(this.#folder, this.#free, this.#kept * part, this.#merged)
    if (this.#inodes < this.#keptInodes * part) return storageErrors.E_STORAGE_INODES(this.#folder, this.#inodes, this.#keptInodes * part)
    return undefined
  }

  #judge(problem: Error | undefined): void {
    const isAmple = this.#free >= this.#kept + this.#merged + AMPLE && this.#inodes >= this.#keptInodes + AMPLE_INODES
    const before = this.#refusal
    this.#refusal = problem?.message ?? (isAmple ? undefined : before)
    if ((before === undefined) !== (this.#refusal === undefined)) this.#tell(this.#refusal)
  }

  #ask(): void {
    const { bavail, bsize, blocks, files, ffree } = statfsSync(this.#folder)
    this.#free = bavail * bsize
    this.#kept = Math.min(this.#keepFree, Math.floor(blocks * bsize * LARGEST_PART))
    this.#inodes = files === 0 ? Number.POSITIVE_INFINITY : ffree
    this.#keptInodes = Math.min(KEPT_INODES, Math.floor(files * LARGEST_PART_OF_INODES))
    this.#taken = 0
    this.#askedAt = performance.now()
    if (this.#free >= this.#kept + TIGHT + MOST_MERGED) this.#merged = 0
    else if (this.#askedAt - this.#countedAt >= COUNT_AFTER) this.#count()
  }

  #count(): void {
    this.#countedAt = this.#askedAt
    this.#merged = 0
    for (const name of readdirSync(this.#tables)) {
      if (name.endsWith('.sst')) this.#merged += statSync(`${this.#tables}/${name}`, { throwIfNoEntry: false })?.size ?? 0
      if (this.#merged >= MOST_MERGED) break
    }
    this.#merged = Math.min(this.#merged, MOST_MERGED)
  }
}
