import { randomFillSync } from 'node:crypto'
import { RowTable } from '../../../core/blocks/row-table.ts'

/** A table for each value of so many bits, so that one that grows holds up nobody for long. */
const TABLE_BITS = 6
const FIRST_ROWS = 64
/** Words of 32 bits that stand for a multihash. */
const WORDS = 3
/**
 * Pieces of 16 bits of a multihash or CID that have secret factors of their own; those of a longer one use them again. They are half as wide as
 * the sums: where two wider ones differ in their highest bit alone, the sums do not for every second factor.
 */
const LONGEST = 80

/**
 * Blocks by their multihash and the codec under which something links to them: under another one the same bytes may have other links.
 * Takes 15 to 30 bytes for each: some 90 bits of a sum with secret factors, so that nobody can make two blocks that look the same to it.
 * Of 100 million any two do with a probability of 10^-11.
 */
export class Marks {
  readonly #factors: Int32Array
  readonly #codecFactors: Int32Array
  /** The codecs that something was marked under. */
  readonly #codecs: number[] = []
  /** Tables, made as they are needed: most graphs are small. */
  readonly #tables: Array<RowTable | undefined> = new Array(1 << TABLE_BITS).fill(undefined)
  #a = 0
  #b = 0
  #c = 0
  #size = 0

  /** @param like - whose factors it shares: what the one has can be added to the other */
  constructor(like?: Marks) {
    this.#factors = like === undefined ? randomFillSync(new Int32Array(WORDS * LONGEST)) : like.#factors
    this.#codecFactors = like === undefined ? randomFillSync(new Int32Array(WORDS)) : like.#codecFactors
  }

  get size(): number {
    return this.#size
  }

  /** Bytes that it takes. */
  get memory(): number {
    return this.#tables.reduce((sum, table) => sum + (table?.memory ?? 0), 0)
  }

  /** Whether it is there under any codec. */
  has(multihash: Uint8Array): boolean {
    this.#sum(multihash)
    for (const codec of this.#codecs) if (this.#look(codec, false)) return true
    return false
  }

  /** Whether it is there under this codec. */
  hasUnder(multihash: Uint8Array, codec: number): boolean {
    if (this.#size === 0) return false
    this.#sum(multihash)
    return this.#look(codec, false)
  }

  /** What this one and one that shares its factors have together: one of the two, to which the other was added. */
  with(other: Marks): Marks {
    if (other.#size > this.#size) return other.with(this)
    for (const codec of other.#codecs) if (!this.#codecs.includes(codec)) this.#codecs.push(codec)
    for (const [at, table] of other.#tables.entries()) {
      if (table === undefined) continue
      const mine = this.#tableAt(at)
      const { count } = mine
      mine.addAll(table)
      this.#size += mine.count - count
    }
    return this
  }

  /** @returns whether it was not there before under this codec */
  add(multihash: Uint8Array, codec: number): boolean {
    if (!this.#codecs.includes(codec)) this.#codecs.push(codec)
    this.#sum(multihash)
    if (this.#look(codec, true)) return false
    this.#size++
    return true
  }

  #sum(multihash: Uint8Array): void {
    const factors = this.#factors
    const { length } = multihash
    let a = length
    let b = length
    let c = length
    let f = 0
    for (let at = 0; at < length; at += 2) {
      // Zeros beyond the end are told from others by the length.
      const piece = multihash[at]! | ((multihash[at + 1] ?? 0) << 8)
      a = (a + Math.imul(piece, factors[f]!)) | 0
      b = (b + Math.imul(piece, factors[f + 1]!)) | 0
      c = (c + Math.imul(piece, factors[f + 2]!)) | 0
      f = f + WORDS === WORDS * LONGEST ? 0 : f + WORDS
    }
    this.#a = a
    this.#b = b
    this.#c = c
  }

  /** Whether what was summed up last was there under this codec; `add` puts it there. */
  #look(codec: number, add: boolean): boolean {
    const factors = this.#codecFactors
    const a = (this.#a + Math.imul(codec, factors[0]!)) | 0
    const b = (this.#b + Math.imul(codec, factors[1]!)) | 0
    // The last word of a key is never 0.
    const c = (this.#c + Math.imul(codec, factors[2]!)) | 1
    const table = this.#tableAt(a >>> (32 - TABLE_BITS))
    if (!add) return table.find(b, a, c) >= 0
    const { count } = table
    table.add(b, a, c)
    return table.count === count
  }

  #tableAt(at: number): RowTable {
    this.#tables[at] ??= new RowTable({ key: WORDS, rows: FIRST_ROWS })
    return this.#tables[at]
  }
}
