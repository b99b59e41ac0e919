import { statfsSync } from 'node:fs'
import { storageErrors } from './errors.ts'

/** Bytes written, and milliseconds, after which the file system is asked again. */
const ASK_AFTER_BYTES = 1 << 20
const ASK_AFTER = 1000
/** Of a small file system no more than this part is kept free. */
const LARGEST_PART = 1 / 2

/**
 * Keeps the last of the disk free. A RocksDB that meets a full disk takes no writes until it is opened anew, not even those that remove
 * something, and opening it needs room as well: so what would fill the disk is refused while removing still works.
 */
export class Room {
  readonly #folder: string
  readonly #keepFree: number
  #left = 0
  #askedAt = 0

  constructor(folder: string, keepFree: number) {
    this.#folder = folder
    this.#keepFree = keepFree
  }

  /** Call before something is stored. Costs nothing but for a call to the system now and then. @throws E_STORAGE_FULL */
  take(bytes: number): void {
    if (this.#keepFree === 0) return
    this.#left -= bytes
    const now = performance.now()
    if (this.#left >= 0 && now - this.#askedAt < ASK_AFTER) return
    const { bavail, bsize, blocks } = statfsSync(this.#folder)
    const free = bavail * bsize
    const kept = Math.min(this.#keepFree, Math.floor(blocks * bsize * LARGEST_PART))
    if (free - bytes < kept) {
      this.#left = 0
      throw storageErrors.E_STORAGE_FULL(this.#folder, free, kept)
    }
    this.#askedAt = now
    this.#left = Math.min(ASK_AFTER_BYTES, free - bytes - kept)
  }
}
