import type { Range } from 'rocksdb'
import type { BlockTotals } from '../../../core/index.ts'
import type { SizeTable } from './size-table.ts'

export interface Count extends BlockTotals {
  /** Bytes of those blocks that lie in files of their own. */
  readonly apart: number
}

/**
 * How multihashes of sha2-256 begin, and bits of their digests by which they are divided. The others are one part before them and one behind. With more
 * parts, the stored form would be too large for a wrong bit of the disk to be found in it.
 */
const [CODE, LENGTH] = [0x12, 0x20]
const BITS = 10
const WITHIN = 1 << BITS
const PARTS = WITHIN + 2
/** What is known of a part: nothing, or what was there when its counting began, if nothing is written meanwhile, or all. */
const [UNKNOWN, COUNTING, KNOWN] = [0, 1, 2]
/** First byte of the form in which it is stored. */
const FORM = 1
/** Bytes of a part there: of its count, 2^32 - 1 where it is not known, and of its two sums. */
const [WIDTH, COUNT, SUM] = [16, 4, 6]
const NONE = 0xffffffff
/** Parts that are not known, of all, up to which they alone are counted. */
const FEW = 1 / 8

/** A row of parts that are counted together, from `first` to the one before `end`. */
interface Run {
  readonly first: number
  readonly end: number
}

/**
 * The counts of a store's blocks, in a thousand parts by their keys: after writes only the parts in which they are have to be counted anew,
 * and what is known survives a restart. 25 KiB of memory.
 */
export class Tally {
  readonly #known = new Uint8Array(PARTS)
  readonly #blocks = new Float64Array(PARTS)
  readonly #bytes = new Float64Array(PARTS)
  readonly #apart = new Float64Array(PARTS)

  /** There are no blocks. */
  begin(): void {
    this.#known.fill(KNOWN)
    for (const sums of [this.#blocks, this.#bytes, this.#apart]) sums.fill(0)
  }

  /** Nothing is known any more. */
  clear(): void {
    this.#known.fill(UNKNOWN)
  }

  /** The part with a key is not known any more. */
  forget(key: Uint8Array): void {
    this.#known[partOf(key)] = UNKNOWN
  }

  /** What a write has changed. */
  change(key: Uint8Array, before: Count, { count, total, apart }: SizeTable): void {
    const part = partOf(key)
    if (this.#known[part] !== KNOWN) {
      this.forget(key)
      return
    }
    this.#blocks[part]! += count - before.blocks
    this.#bytes[part]! += total - before.bytes
    this.#apart[part]! += apart - before.apart
  }

  get isKnown(): boolean {
    return this.#known.every(known => known === KNOWN)
  }

  /** Whether so little is unknown that {@link missing} takes far less than to count all. */
  get isNearlyKnown(): boolean {
    return this.#known.reduce((sum, known) => sum + (known === KNOWN ? 0 : 1), 0) <= PARTS * FEW
  }

  /** Begins to count all parts that are not known. @returns the ranges of their keys */
  missing(): Range[] {
    const ranges: Range[] = []
    for (const { first, end } of this.#unknown()) {
      ranges.push({ ...(first > 0 && { gte: startOf(first) }), ...(end < PARTS && { lt: startOf(end) }) })
      this.#known.fill(COUNTING, first, end)
      for (const sums of [this.#blocks, this.#bytes, this.#apart]) sums.fill(0, first, end)
    }
    return ranges
  }

  /** Counts a block that {@link missing} asked for. */
  count(key: Uint8Array, bytes: number, apart: number): void {
    const part = partOf(key)
    this.#blocks[part]!++
    this.#bytes[part]! += bytes
    this.#apart[part]! += apart
  }

  /** Ends a counting. @returns what there was, with as much as it saw of what was written meanwhile */
  counted(): Count {
    this.#replace(COUNTING, KNOWN)
    return this.totals
  }

  /** Gives a counting up. */
  giveUp(): void {
    this.#replace(COUNTING, UNKNOWN)
  }

  get totals(): Count {
    const [blocks, bytes, apart] = [this.#blocks, this.#bytes, this.#apart].map(sums => sums.reduce((sum, one) => sum + one, 0))
    return { blocks: blocks!, bytes: bytes!, apart: apart! }
  }

  /** What is known, to be stored. @returns undefined where nothing is */
  encode(): Uint8Array | undefined {
    if (!this.#known.includes(KNOWN)) return undefined
    const stored = Buffer.alloc(1 + PARTS * WIDTH)
    stored[0] = FORM
    for (let part = 0, at = 1; part < PARTS; part++, at += WIDTH) {
      if (this.#known[part] !== KNOWN) {
        stored.writeUInt32BE(NONE, at)
        continue
      }
      stored.writeUInt32BE(this.#blocks[part]!, at)
      stored.writeUIntBE(this.#bytes[part]!, at + COUNT, SUM)
      stored.writeUIntBE(this.#apart[part]!, at + COUNT + SUM, SUM)
    }
    return stored
  }

  /** Takes over what was stored; nothing of what has another form. */
  decode(stored: Uint8Array): void {
    if (stored.byteLength !== 1 + PARTS * WIDTH || stored[0] !== FORM) return
    const from = Buffer.from(stored.buffer, stored.byteOffset, stored.byteLength)
    for (let part = 0, at = 1; part < PARTS; part++, at += WIDTH) {
      const blocks = from.readUInt32BE(at)
      this.#known[part] = blocks === NONE ? UNKNOWN : KNOWN
      this.#blocks[part] = blocks
      this.#bytes[part] = from.readUIntBE(at + COUNT, SUM)
      this.#apart[part] = from.readUIntBE(at + COUNT + SUM, SUM)
    }
  }

  *#unknown(): Generator<Run> {
    for (let first = 0; first < PARTS; first++) {
      if (this.#known[first] === KNOWN) continue
      let end = first + 1
      while (end < PARTS && this.#known[end] !== KNOWN) end++
      yield { first, end }
      first = end
    }
  }

  #replace(before: number, after: number): void {
    this.#known.forEach((known, part) => {
      if (known === before) this.#known[part] = after
    })
  }
}

/** Parts follow each other as their keys do. */
function partOf(key: Uint8Array): number {
  if (key[0] === CODE && key[1] === LENGTH) return 1 + ((((key[2] ?? 0) << 8) | (key[3] ?? 0)) >> (16 - BITS))
  const isBefore = key.length === 0 || key[0]! < CODE || (key[0] === CODE && (key[1] ?? 0) < LENGTH)
  return isBefore ? 0 : PARTS - 1
}

/** The least key of a part behind the first. */
function startOf(part: number): Uint8Array {
  if (part === PARTS - 1) return Uint8Array.of(CODE, LENGTH + 1)
  const bits = (part - 1) << (16 - BITS)
  const start = Uint8Array.of(CODE, LENGTH, bits >> 8, bits & 0xff)
  // a shorter key may end in its zeros
  return start.subarray(0, bits === 0 ? 2 : (bits & 0xff) === 0 ? 3 : 4)
}
