import { bare, nameOf } from './values.ts'

/** Values up to this many bytes are kept. */
const LARGEST = 8192
/** An entry as one number: its offset in the ring, times this, and its length. */
const LENGTHS = 2 ** 20

/**
 * The values that were written or read last, copied into a ring of memory: what comes in takes the place of the oldest. A look-up in the
 * database is a way to another thread and back; one here is not. Memory is taken as it is filled, and never more than `bytes`.
 */
export class ValueCache {
  readonly #ring: Uint8Array
  /** By the name of the key, the oldest first. */
  readonly #entries = new Map<string, number>()
  #end = 0
  #removals = 0

  constructor(bytes: number) {
    this.#ring = new Uint8Array(bytes)
  }

  /** A copy. @returns undefined when it is not known, which says nothing of the database */
  get(key: Uint8Array): Uint8Array | undefined {
    const entry = this.#entries.get(nameOf(key))
    if (entry === undefined) return undefined
    const [offset, length] = [Math.floor(entry / LENGTHS), entry % LENGTHS]
    const copy = Buffer.allocUnsafe(length)
    copy.set(this.#ring.subarray(offset, offset + length))
    return bare(copy)
  }

  has(key: Uint8Array): boolean {
    return this.#entries.has(nameOf(key))
  }

  /** As the database has it from now on. */
  set(key: Uint8Array, value: Uint8Array): void {
    const name = nameOf(key)
    this.#entries.delete(name)
    const length = value.byteLength
    if (length > LARGEST || length > this.#ring.byteLength) return
    if (this.#end + length > this.#ring.byteLength) {
      this.#evict(this.#end, this.#ring.byteLength)
      this.#end = 0
    }
    this.#evict(this.#end, this.#end + length)
    this.#ring.set(value, this.#end)
    this.#entries.set(name, this.#end * LENGTHS + length)
    this.#end += length
  }

  delete(key: Uint8Array): void {
    this.#removals++
    this.#entries.delete(nameOf(key))
  }

  /** To be asked for before a value is looked up elsewhere, and handed to {@link found}. */
  get moment(): number {
    return this.#removals
  }

  /** Keeps what was looked up, unless it may have changed meanwhile. */
  found(key: Uint8Array, value: Uint8Array, moment: number): void {
    if (moment === this.#removals && !this.#entries.has(nameOf(key))) this.set(key, value)
  }

  /** Gives up the oldest entries as long as they lie between these offsets. */
  #evict(from: number, to: number): void {
    for (const [name, entry] of this.#entries) {
      const offset = Math.floor(entry / LENGTHS)
      if (offset >= to || offset + (entry % LENGTHS) <= from) return
      this.#entries.delete(name)
    }
  }
}
