import { RowTable } from '../../core/blocks/row-table.ts'

/** Rows up to which fingerprints are kept one by one: 16 MiB. */
const MOST_ROWS = 1 << 22
const FIRST_ROWS = 16
/** Bits of the filter into which more of them are folded, as a power of two: 16 MiB. */
const FILTER_BITS = 27

/** 32 bits of a multihash's digest; never 0. */
export function fingerprintOf(multihash: Uint8Array): number {
  const n = multihash.length
  return (multihash[n - 1]! | (multihash[n - 2]! << 8) | (multihash[n - 3]! << 16) | (multihash[n - 4]! << 24)) >>> 0 || 1
}

/**
 * A set of fingerprints of blocks: a table of 4 bytes a row that grows with them, and from some 3 million on a filter of fixed size. It may
 * say of a block that it has it when it has another (one in 1,400 at 3 million, one in 40 beyond); never the other way round.
 */
export class Fingerprints {
  /** The first one as long as it is alone, which it is in most sets: for it there is neither table nor filter. 0 where there is none. */
  #alone = 0
  #table: RowTable | undefined
  #filter: Uint32Array | undefined
  /** Bits that are set in the filter. */
  #bits = 0

  /** How many there are; of a filter, how many bits are set. */
  get size(): number {
    if (this.#alone !== 0) return 1
    return this.#filter === undefined ? (this.#table?.count ?? 0) : this.#bits
  }

  has(print: number): boolean {
    if (this.#alone !== 0) return this.#alone === print
    if (this.#filter !== undefined) return ((this.#filter[print >>> (32 - FILTER_BITS + 5)]! >>> bitOf(print)) & 1) === 1
    return this.#table !== undefined && this.#table.find(print) >= 0
  }

  add(print: number): void {
    if (print === this.#alone) return
    if (this.#alone === 0 && this.#table === undefined && this.#filter === undefined) {
      this.#alone = print
      return
    }
    const first = this.#alone
    this.#alone = 0
    if (first !== 0) this.#addTo(first)
    this.#addTo(print)
  }

  #addTo(print: number): void {
    if (this.#table?.isFull && this.#table.rows === MOST_ROWS) this.#fold()
    if (this.#filter !== undefined) this.#mark(print)
    else {
      this.#table ??= new RowTable({ key: 1, rows: FIRST_ROWS })
      this.#table.add(print)
    }
  }

  addAll(other: Fingerprints): void {
    if (other.#filter !== undefined) {
      this.#fold()
      const mine = this.#filter!
      other.#filter.forEach((bits, i) => {
        this.#bits += onesIn(bits & ~mine[i]!)
        mine[i]! |= bits
      })
    } else if (other.#alone !== 0) this.add(other.#alone)
    else for (const print of other.#table?.firstWords() ?? []) this.add(print)
  }

  #fold(): void {
    if (this.#filter !== undefined) return
    const before = this.#alone === 0 ? (this.#table?.firstWords() ?? []) : [this.#alone]
    this.#alone = 0
    this.#table = undefined
    this.#filter = new Uint32Array(2 ** FILTER_BITS / 32)
    for (const print of before) this.#mark(print)
  }

  #mark(print: number): void {
    const at = print >>> (32 - FILTER_BITS + 5)
    const bits = this.#filter![at]! | (1 << bitOf(print))
    if (bits >>> 0 === this.#filter![at]) return
    this.#filter![at] = bits
    this.#bits++
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
