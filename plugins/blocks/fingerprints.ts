import { randomInt } from 'node:crypto'

/** Slots up to which fingerprints are kept one by one: 16 MiB. */
const MOST_SLOTS = 1 << 22
const FIRST_SLOTS = 16
/** Bits of the filter into which more of them are folded, as a power of two: 16 MiB. */
const FILTER_BITS = 27
const NONE = new Uint32Array(0)

/** 32 bits of a multihash's digest; never 0. */
export function fingerprintOf(multihash: Uint8Array): number {
  const n = multihash.length
  return (multihash[n - 1]! | (multihash[n - 2]! << 8) | (multihash[n - 3]! << 16) | (multihash[n - 4]! << 24)) >>> 0 || 1
}

/**
 * A set of fingerprints of blocks: a table of 4 bytes a slot that grows with them, and from some 3 million on a filter of fixed size. It may
 * say of a block that it has it when it has another (one in 1,400 at 3 million, one in 40 beyond); never the other way round.
 */
export class Fingerprints {
  /** The first one as long as it is alone, which it is in most sets: for it there is neither table nor filter. 0 where there is none. */
  #alone = 0
  #table: Uint32Array = NONE
  #filter: Uint32Array | undefined
  #size = 0
  /** The factor of the table: odd, and another one in each, so that nobody can make blocks whose fingerprints all belong into the same slots. */
  #factor = 1
  /** Bits of a product that do not count. */
  #shift = 32

  /** How many there are; of a filter, how many bits are set. */
  get size(): number {
    return this.#alone === 0 ? this.#size : 1
  }

  has(print: number): boolean {
    if (this.#alone !== 0) return this.#alone === print
    if (this.#filter !== undefined) return ((this.#filter[print >>> (32 - FILTER_BITS + 5)]! >>> bitOf(print)) & 1) === 1
    return this.#size > 0 && this.#table[this.#slotOf(print)] === print
  }

  add(print: number): void {
    if (print === this.#alone) return
    if (this.#alone === 0 && this.#table === NONE && this.#filter === undefined) {
      this.#alone = print
      return
    }
    const first = this.#alone
    this.#alone = 0
    if (first !== 0) this.#addTo(first)
    this.#addTo(print)
  }

  #addTo(print: number): void {
    if (this.#filter === undefined && this.#size >= this.#table.length * 0.75) this.#makeRoom()
    if (this.#filter !== undefined) this.#mark(print)
    else this.#put(print)
  }

  #put(print: number): void {
    const slot = this.#slotOf(print)
    if (this.#table[slot] === print) return
    this.#table[slot] = print
    this.#size++
  }

  addAll(other: Fingerprints): void {
    if (other.#filter !== undefined) {
      this.#fold()
      const mine = this.#filter!
      other.#filter.forEach((bits, i) => {
        this.#size += onesIn(bits & ~mine[i]!)
        mine[i]! |= bits
      })
    } else if (other.#alone !== 0) this.add(other.#alone)
    else for (const print of other.#table) if (print !== 0) this.add(print)
  }

  /** Where the fingerprint is, or belongs. */
  #slotOf(print: number): number {
    const last = this.#table.length - 1
    let slot = Math.imul(print, this.#factor) >>> this.#shift
    while (this.#table[slot] !== 0 && this.#table[slot] !== print) slot = (slot + 1) & last
    return slot
  }

  #makeRoom(): void {
    if (this.#table.length === MOST_SLOTS) this.#fold()
    else this.#grow()
  }

  #grow(): void {
    const before = this.#table
    if (before === NONE) this.#factor = randomInt(2 ** 31) * 2 + 1
    this.#table = new Uint32Array(Math.max(FIRST_SLOTS, 2 * before.length))
    this.#shift = Math.clz32(this.#table.length - 1)
    for (const print of before) if (print !== 0) this.#table[this.#slotOf(print)] = print
  }

  #fold(): void {
    if (this.#filter !== undefined) return
    const [first, before] = [this.#alone, this.#table]
    this.#alone = 0
    this.#filter = new Uint32Array(2 ** FILTER_BITS / 32)
    this.#table = NONE
    this.#size = 0
    for (const print of before) if (print !== 0) this.#mark(print)
    if (first !== 0) this.#mark(first)
  }

  #mark(print: number): void {
    const at = print >>> (32 - FILTER_BITS + 5)
    const bits = this.#filter![at]! | (1 << bitOf(print))
    if (bits >>> 0 === this.#filter![at]) return
    this.#filter![at] = bits
    this.#size++
  }
}

function bitOf(print: number): number {
  return (print >>> (32 - FILTER_BITS)) & 31
}

function onesIn(bits: number): number {
  let count = 0
  for (let remaining = bits; remaining !== 0; remaining &= remaining - 1) count++
  return count
}
