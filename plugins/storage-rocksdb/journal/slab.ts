import { randomFillSync } from 'node:crypto'
import { type Family, families, type Write } from '../database/writes.ts'
import { encode, HEADER, type JournalRecord, lengthOf, memoryOf, mostWrites, WRITE_HEADER, writeAt } from './record.ts'

/** Secret, so that nobody can choose keys that all look for the same slot. */
const FACTOR = randomFillSync(new Int32Array(1))[0]! | 1

/**
 * Batches one after the other in one piece of memory, as the journal has them, and an index of their keys. Nothing of them is an object: they
 * wait for RocksDB longer than the collector of garbage takes for young, so that it would move each of them twice.
 */
export class Slab {
  readonly #bytes: Buffer
  /** Open addressing by the hash of the key: where the last write of a key begins + 1, or 0. */
  readonly #slots: Uint32Array
  #length = 0
  #weight = 0
  #last = 0

  /**
   * @param weight - bytes of memory of its batches, about, at which it takes no more
   * @param largest - bytes of the largest record
   */
  constructor(weight: number, largest: number) {
    this.#bytes = Buffer.allocUnsafeSlow(weight + largest)
    // at least half of them stay free: a search ends at a free one
    this.#slots = new Uint32Array(2 ** Math.ceil(Math.log2(2 * mostWrites(weight, largest))))
  }

  /** The number of its last batch. */
  get last(): number {
    return this.#last
  }

  /** Bytes of memory that its batches take, about, once RocksDB is given them. */
  get weight(): number {
    return this.#weight
  }

  /** Forgets all. */
  clear(): void {
    this.#slots.fill(0)
    this.#length = this.#weight = this.#last = 0
  }

  /** The bytes of a record behind those that are kept: the next takes its place, unless it is kept. @param size - of the record */
  encode(record: JournalRecord, size: number): Buffer {
    const bytes = this.#bytes.subarray(this.#length, this.#length + size)
    encode(record, bytes)
    return bytes
  }

  /** Keeps the record that was encoded last. */
  keep({ number, writes }: JournalRecord): void {
    let at = this.#length + HEADER
    for (const { key, value } of writes) {
      const keyAt = at + WRITE_HEADER
      this.#slots[this.#find(this.#bytes[at]! >> 1, this.#bytes, keyAt, keyAt + key.byteLength)] = at + 1
      at = keyAt + key.byteLength + (value?.byteLength ?? 0)
    }
    this.#length = at
    this.#weight += memoryOf(writes)
    this.#last = number
  }

  /** The last write of a key, as views of this memory; undefined where it has none. */
  get(family: Family, key: Uint8Array): Write | undefined {
    const at = this.#slots[this.#find(families.indexOf(family), key, 0, key.byteLength)]! - 1
    return at < 0 ? undefined : writeAt(this.#bytes, at)
  }

  /** All writes in their order, as views of this memory. */
  *writes(): Generator<Write> {
    for (let at = 0; at < this.#length; ) {
      const end = at + this.#recordLength(at)
      for (at += HEADER; at < end; ) {
        const write = writeAt(this.#bytes, at)
        yield write
        at += WRITE_HEADER + write.key.byteLength + (write.value?.byteLength ?? 0)
      }
    }
  }

  #recordLength(at: number): number {
    return lengthOf(this.#bytes.subarray(at, at + HEADER))!
  }

  /** The slot that names the last write of a key, or the empty one where that belongs. */
  #find(family: number, key: Uint8Array, from: number, to: number): number {
    const mask = this.#slots.length - 1
    for (let slot = slotOf(key, from, to, mask); ; slot = (slot + 1) & mask) {
      const at = this.#slots[slot]! - 1
      if (at < 0 || this.#isOf(at, family, key, from, to)) return slot
    }
  }

  #isOf(at: number, family: number, key: Uint8Array, from: number, to: number): boolean {
    const bytes = this.#bytes
    if (bytes[at]! >> 1 !== family || bytes.readUInt32BE(at + 1) !== to - from) return false
    const keyAt = at + WRITE_HEADER
    for (let i = to - from - 1; i >= 0; i--) if (bytes[keyAt + i] !== key[from + i]) return false
    return true
  }
}

/** The slot where the search for a key begins. Of all of the key: those of the records of one provider begin alike, and end alike. */
export function slotOf(bytes: Uint8Array, from: number, to: number, mask: number): number {
  let sum = FACTOR
  for (let i = from; i < to; i++) sum = Math.imul(sum ^ bytes[i]!, FACTOR)
  return sum >>> Math.clz32(mask)
}
