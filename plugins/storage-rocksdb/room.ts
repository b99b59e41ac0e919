import { statfsSync } from 'node:fs'
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
 * Keeps the last of the disk free. A RocksDB that meets a full disk takes no writes until it is opened anew, not even those that remove
 * something, and opening it needs room as well: so what would fill the disk is refused while removing still works.
 */
export class Room {
  readonly #folder: string
  readonly #keepFree: number
  /** Bytes that are free as last asked, less what was taken since. */
  #free = 0
  #kept = 0
  #taken = 0
  #askedAt = Number.NEGATIVE_INFINITY

  constructor(folder: string, keepFree: number) {
    this.#folder = folder
    this.#keepFree = keepFree
  }

  /** Call before a large block is stored. Costs nothing but for a call to the system now and then. @throws E_STORAGE_FULL */
  takeLarge(bytes: number): void {
    this.#take(bytes, 1)
  }

  /** The same for keys and small blocks. */
  takeSmall(bytes: number): void {
    this.#take(bytes, PART_FOR_SMALL)
  }

  /** Whether large blocks are refused, or nearly so. */
  isTight(): boolean {
    if (this.#keepFree === 0) return false
    this.#ask()
    return this.#free < this.#kept + TIGHT
  }

  #take(bytes: number, part: number): void {
    if (this.#keepFree === 0) return
    this.#free -= bytes
    this.#taken += bytes
    const isRecent = this.#taken < ASK_AFTER_BYTES && performance.now() - this.#askedAt < ASK_AFTER
    if (isRecent && this.#free >= this.#kept * part) return
    this.#ask()
    if (this.#free - bytes < this.#kept * part) throw storageErrors.E_STORAGE_FULL(this.#folder, this.#free, this.#kept * part)
    this.#free -= bytes
  }

  #ask(): void {
    const { bavail, bsize, blocks } = statfsSync(this.#folder)
    this.#free = bavail * bsize
    this.#kept = Math.min(this.#keepFree, Math.floor(blocks * bsize * LARGEST_PART))
    this.#taken = 0
    this.#askedAt = performance.now()
  }
}
