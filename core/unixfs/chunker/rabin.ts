import type { Cutter } from './cutter.ts'

/** A polynomial over GF(2) of degree 53, in halves: 0x3df305dfb2a805 (whyrusleeping/chunker, as boxo 0.19 has it). */
const POLYNOMIAL = { high: 0x3df305, low: 0xdfb2a805 } as const
/** The bit of the degree within the high half. */
const TOP = 1 << 21
/** Bytes that a fingerprint is of. */
export const RABIN_WINDOW = 16

/** Sizes in bytes. */
export interface RabinSpec {
  readonly min: number
  readonly average: number
  readonly max: number
}

/** Terms by byte, each of 64 bits in halves. */
interface Tables {
  /** The share that it has in the hash when it leaves the window. */
  readonly outHigh: Int32Array
  readonly outLow: Int32Array
  /** The terms that reduce a fingerprint that a shift has pushed past the degree by these eight bits, and removes them. */
  readonly modHigh: Int32Array
  readonly modLow: Int32Array
}

function makeTables(): Tables {
  const [outHigh, outLow, modHigh, modLow] = Array.from({ length: 4 }, () => new Int32Array(256)) as [
    Int32Array,
    Int32Array,
    Int32Array,
    Int32Array
  ]
  for (let byte = 0; byte < 256; byte++) {
    let high = 0
    let low = 0
    for (let bit = 7; bit >= 0; bit--) {
      high = (high << 1) | (low >>> 31)
      low <<= 1
      // What is shifted past the degree and what this bit adds there cancel each other out.
      if (((high & TOP) !== 0) !== ((byte >> bit) % 2 === 1)) {
        high ^= POLYNOMIAL.high
        low ^= POLYNOMIAL.low
      }
      high &= TOP - 1
    }
    modHigh[byte] = high ^ (byte << 21)
    modLow[byte] = low
  }
  for (let byte = 0; byte < 256; byte++) {
    let high = 0
    let low = byte
    for (let i = 1; i < RABIN_WINDOW; i++) {
      const over = high >>> 13
      high = ((high << 8) | (low >>> 24)) ^ modHigh[over]!
      low = (low << 8) ^ modLow[over]!
    }
    outHigh[byte] = high
    outLow[byte] = low
  }
  return { outHigh, outLow, modHigh, modLow }
}

/** Cuts where the fingerprint of the last 16 bytes ends in zeros, as the reference does (whyrusleeping/chunker). */
class RabinCutter implements Cutter {
  readonly most: number
  readonly #min: number
  readonly #mask: number
  readonly #tables: Tables
  #high = 0
  #low = 1

  constructor({ min, average, max }: RabinSpec, tables: Tables) {
    this.most = max
    this.#min = min
    this.#mask = 2 ** Math.floor(Math.log2(average)) - 1
    this.#tables = tables
  }

  /** The window starts with zeros and a one behind them. */
  begin(): void {
    this.#high = 0
    this.#low = 1
  }

  end(bytes: Uint8Array, from: number, to: number): number {
    const { outHigh, outLow, modHigh, modLow } = this.#tables
    const mask = this.#mask
    const first = this.#min - RABIN_WINDOW
    let high = this.#high
    let low = this.#low
    for (let at = Math.max(from, first); at < to; at++) {
      const inside = at - first
      const leaving = inside >= RABIN_WINDOW ? bytes[at - RABIN_WINDOW]! : inside === RABIN_WINDOW - 1 ? 1 : 0
      high ^= outHigh[leaving]!
      low ^= outLow[leaving]!
      const over = high >>> 13
      high = ((high << 8) | (low >>> 24)) ^ modHigh[over]!
      low = ((low << 8) | bytes[at]!) ^ modLow[over]!
      if ((low & mask) === 0 && at + 1 >= this.#min) return at + 1
    }
    this.#high = high
    this.#low = low
    return -1
  }
}

/** Makes cutters for the files of one import: the tables are made once, and only where somebody wants them. */
export function rabinCutters(spec: RabinSpec): () => RabinCutter {
  const tables = makeTables()
  return () => new RabinCutter(spec, tables)
}
