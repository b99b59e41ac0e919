import { randomFillSync } from 'node:crypto'
import { bare } from '../blocks/values.ts'

/** Values up to this many bytes are kept. */
const LARGEST = 16 * 1024
/** Bytes before each record in the ring: the lengths of its key and of its value, the latter with a bit that says whether it is marked. */
const HEADER = 4
const MARK = 0x8000
/** Bytes of ring to a slot of the table. Where records are smaller than two of them, the table is what is full first. */
const TO_A_SLOT = 32
/**
 * The C library gives a piece of memory larger than 32 MiB back to the system when it is freed. A smaller one it may keep, and it keeps more
 * of everything from then on: it takes the size for one that comes again. Only what is written to takes memory.
 */
const GIVEN_BACK = (32 << 20) + 65_536
const NO_RING = Buffer.alloc(0)
const NO_SLOTS = new Uint32Array(1)
/** The factors, which are secret, so that nobody can make blocks whose keys all look for the same slot. */
const FACTORS = randomFillSync(new Int32Array(2)).map(factor => factor | 1)

/**
 * The values that were written or read last, in a ring of memory where what comes in takes the place of the oldest. A look-up in the
 * database is a way to another thread and back; one here is not. Nothing of it is an object of its own, so there is nothing for the
 * collector of garbage to walk; memory is taken as it is filled, and given back by {@link clear}.
 */
export class ValueCache {
  readonly #bytes: number
  #ring = NO_RING
  /** Open addressing by the hash of the key: a record's offset + 1, or 0. */
  #slots = NO_SLOTS
  #mask = 0
  /** Slots that are taken. At least half of them stay free: a search ends at a free one. */
  #count = 0
  /** Where the next record goes, and where the oldest one lies. */
  #head = 0
  #tail = 0
  /** Whether the oldest records lie behind the head, and where these end. */
  #isWrapped = false
  #top = 0
  #removals = 0

  /** @param bytes - of the ring; 0: nothing is kept */
  constructor(bytes: number) {
    this.#bytes = bytes
  }

  /** Forgets everything, and gives the memory back. */
  clear(): void {
    if (this.#ring === NO_RING) return
    ;(this.#ring.buffer as ArrayBuffer).transfer(0)
    this.#ring = NO_RING
    this.#slots = NO_SLOTS
    this.#mask = 0
    this.#count = 0
    this.#head = this.#tail = this.#top = 0
    this.#isWrapped = false
  }

  #open(): void {
    const slots = 2 ** Math.ceil(Math.log2(Math.max(2, this.#bytes / TO_A_SLOT)))
    const table = slots * Uint32Array.BYTES_PER_ELEMENT
    const memory = new ArrayBuffer(Math.max(table + this.#bytes, GIVEN_BACK))
    this.#slots = new Uint32Array(memory, 0, slots)
    this.#mask = slots - 1
    this.#ring = Buffer.from(memory, table, this.#bytes)
  }

  /** A copy. @returns undefined when it is not known, which says nothing of the database */
  get(key: Uint8Array): Uint8Array | undefined {
    const record = this.#slots[this.#find(key)]! - 1
    if (record < 0) return undefined
    const from = record + HEADER + key.byteLength
    const length = this.#lengthAt(record)
    const copy = Buffer.allocUnsafe(length)
    this.#ring.copy(copy, 0, from, from + length)
    return bare(copy)
  }

  has(key: Uint8Array): boolean {
    return this.#slots[this.#find(key)] !== 0
  }

  /** The first byte of a value that has one. @returns undefined when the key is not known */
  firstByte(key: Uint8Array): number | undefined {
    const record = this.#slots[this.#find(key)]! - 1
    return record < 0 ? undefined : this.#ring[record + HEADER + key.byteLength]
  }

  /** Marks a value that is kept, until another takes its place. */
  mark(key: Uint8Array): void {
    const record = this.#slots[this.#find(key)]! - 1
    if (record >= 0) this.#ring.writeUInt16LE(this.#lengthAt(record) | MARK, record + 2)
  }

  isMarked(key: Uint8Array): boolean {
    const record = this.#slots[this.#find(key)]! - 1
    return record >= 0 && this.#ring.readUInt16LE(record + 2) >= MARK
  }

  /** Bytes of the value of a record. */
  #lengthAt(record: number): number {
    return this.#ring.readUInt16LE(record + 2) & ~MARK
  }

  /** Keeps a value as the database has it from now on. */
  set(key: Uint8Array, value: Uint8Array): void {
    this.#forget(this.#find(key))
    const length = HEADER + key.byteLength + value.byteLength
    if (value.byteLength > LARGEST || length > this.#bytes) return
    if (this.#ring === NO_RING) this.#open()
    this.#makeRoom(length)
    const record = this.#head
    this.#ring.writeUInt16LE(key.byteLength, record)
    this.#ring.writeUInt16LE(value.byteLength, record + 2)
    this.#ring.set(key, record + HEADER)
    this.#ring.set(value, record + HEADER + key.byteLength)
    this.#head += length
    this.#slots[this.#find(key)] = record + 1
    this.#count++
  }

  delete(key: Uint8Array): void {
    this.#removals++
    this.#forget(this.#find(key))
  }

  /** The moment that is asked for before a value is looked up elsewhere, and handed to {@link found}. */
  get moment(): number {
    return this.#removals
  }

  /** Keeps what was looked up, unless it may have changed meanwhile. */
  found(key: Uint8Array, value: Uint8Array, moment: number): void {
    if (moment === this.#removals && !this.has(key)) this.set(key, value)
  }

  /** The slot that names the key's record, or the empty one where that belongs. */
  #find(key: Uint8Array): number {
    for (let slot = slotFor(key, 0, key.byteLength, this.#mask); ; slot = (slot + 1) & this.#mask) {
      const record = this.#slots[slot]! - 1
      if (record < 0 || this.#isOf(record, key)) return slot
    }
  }

  #isOf(record: number, key: Uint8Array): boolean {
    const ring = this.#ring
    const length = key.byteLength
    if (ring.readUInt16LE(record) !== length) return false
    const from = record + HEADER
    for (let i = length - 1; i >= 0; i--) if (ring[from + i] !== key[i]) return false
    return true
  }

  /** Empties a slot and moves up those that stand behind it only because it was taken. */
  #forget(slot: number): void {
    const [slots, mask] = [this.#slots, this.#mask]
    if (slots[slot] === 0) return
    let gap = slot
    for (let next = (gap + 1) & mask; slots[next] !== 0; next = (next + 1) & mask) {
      const record = slots[next]! - 1
      const wanted = slotFor(this.#ring, record + HEADER, record + HEADER + this.#ring.readUInt16LE(record), mask)
      if (((next - wanted) & mask) < ((next - gap) & mask)) continue
      slots[gap] = slots[next]!
      gap = next
    }
    slots[gap] = 0
    this.#count--
  }

  #makeRoom(length: number): void {
    while (this.#count >= this.#slots.length / 2) this.#evict()
    if (this.#head + length > this.#ring.byteLength) {
      while (this.#isWrapped) this.#evict()
      this.#top = this.#head
      this.#head = 0
      this.#isWrapped = true
      if (this.#tail === this.#top) this.#unwrap()
    }
    while (this.#isWrapped && this.#head + length > this.#tail) this.#evict()
  }

  /** Gives up the oldest record. */
  #evict(): void {
    const record = this.#tail
    const keyEnd = record + HEADER + this.#ring.readUInt16LE(record)
    const slot = this.#find(this.#ring.subarray(record + HEADER, keyEnd))
    if (this.#slots[slot] === record + 1) this.#forget(slot)
    this.#tail = keyEnd + this.#lengthAt(record)
    if (this.#isWrapped && this.#tail === this.#top) this.#unwrap()
  }

  /** No record lies behind the head any more. */
  #unwrap(): void {
    this.#tail = 0
    this.#isWrapped = false
  }
}

/** The slot where the search for a key begins. Of the key's end, where a multihash has its digest. */
function slotFor(bytes: Uint8Array, from: number, to: number, mask: number): number {
  const sum = Math.imul(wordBefore(bytes, from, to), FACTORS[0]!) + Math.imul(wordBefore(bytes, from, to - 4), FACTORS[1]!)
  return (sum >>> Math.clz32(mask)) & mask
}

function wordBefore(bytes: Uint8Array, from: number, to: number): number {
  let word = 0
  for (let i = Math.max(from, to - 4); i < to; i++) word = (word << 8) | bytes[i]!
  return word
}
