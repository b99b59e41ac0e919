import { randomInt } from 'node:crypto'

/** First number of slots; a power of two, like all that follow. */
const SLOTS = 1 << 10
const EMPTY = 0
const GONE = 1
/** The largest size there is room for. */
const MOST = 0x7fffffff
/** The bit that is set where the block lies in a file of its own. */
const APART = 0x80000000
/** The factor, which is secret, so that nobody can make blocks whose keys all look for the same slot. */
const FACTOR = randomInt(2 ** 31) * 2 + 1
/** Slots used, gone ones included, per slot there is, before the table grows. */
const FULL = 0.6

/**
 * Sizes by a fingerprint of 52 bits of a key: 12 bytes a slot and nothing for the collector of garbage to walk. Two keys with the same
 * fingerprint count as one, which happens by chance once in millions of tables of this size.
 */
export class SizeTable {
  #prints = new Float64Array(SLOTS)
  #sizes = new Uint32Array(SLOTS)
  #used = 0
  #count = 0
  #total = 0
  #apart = 0

  /** Keys there are. */
  get count(): number {
    return this.#count
  }

  /** Sum of their sizes. */
  get total(): number {
    return this.#total
  }

  /** Sum of the sizes of those in files of their own. */
  get apart(): number {
    return this.#apart
  }

  /** Sizes that 31 bits do not hold count as the largest that they do. */
  set(key: Uint8Array, given: number, apart: boolean): void {
    const size = Math.min(given, MOST)
    if (this.#used >= this.#prints.length * FULL) this.#grow()
    const print = fingerprint(key)
    const slot = this.#find(print)
    if (this.#prints[slot] === print) {
      this.#forget(slot)
    } else {
      this.#prints[slot] = print
      this.#used++
      this.#count++
    }
    this.#total += size
    if (apart) this.#apart += size
    this.#sizes[slot] = apart ? size + APART : size
  }

  /** Never false of a key that is there. */
  has(key: Uint8Array): boolean {
    const print = fingerprint(key)
    return this.#prints[this.#find(print)] === print
  }

  delete(key: Uint8Array): void {
    const print = fingerprint(key)
    const slot = this.#find(print)
    if (this.#prints[slot] !== print) return
    this.#prints[slot] = GONE
    this.#count--
    this.#forget(slot)
  }

  /** Takes what a slot holds out of the sums. */
  #forget(slot: number): void {
    const held = this.#sizes[slot] as number
    const size = held % APART
    this.#total -= size
    if (held >= APART) this.#apart -= size
  }

  /** The slot of a fingerprint, or the empty one where it belongs. */
  #find(print: number): number {
    const mask = this.#prints.length - 1
    for (let slot = Math.imul(print, FACTOR) >>> Math.clz32(mask); ; slot = (slot + 1) & mask) {
      const found = this.#prints[slot]
      if (found === print || found === EMPTY) return slot
    }
  }

  #grow(): void {
    const [prints, sizes] = [this.#prints, this.#sizes]
    // Twice the room, unless it is the gone ones that fill it.
    const slots = this.#count * 4 > prints.length ? prints.length * 2 : prints.length
    this.#prints = new Float64Array(slots)
    this.#sizes = new Uint32Array(slots)
    this.#used = this.#count
    prints.forEach((print, i) => {
      if (print === EMPTY || print === GONE) return
      const slot = this.#find(print)
      this.#prints[slot] = print
      this.#sizes[slot] = sizes[i] as number
    })
  }
}

/** The end of the key, where a multihash has its digest; 0 and 1 mean something else. */
function fingerprint(key: Uint8Array): number {
  const end = key.length
  let high = 0
  let low = 0
  for (let i = 0; i < 3; i++) high = high * 256 + (key[end - 8 + i] ?? 0)
  for (let i = 0; i < 4; i++) low = low * 256 + (key[end - 4 + i] ?? 0)
  const print = (high % 0x100000) * 0x100000000 + low
  return print <= GONE ? print + 2 : print
}
