/** Rabin fingerprints over GF(2), as the reference cuts by them (whyrusleeping/chunker): degree 53, a window of 16 bytes. */
const POLYNOMIAL = 17437180132763653n
const DEGREE = 53n
const WINDOW = 16

/** 64-bit words as two halves, low 32 bits in even places. */
interface Tables {
  /** What a byte that leaves the window has contributed. */
  readonly out: Uint32Array
  /** The reduction of the eight bits that a shift pushes past the degree. */
  readonly mod: Uint32Array
}

const tables: Tables = makeTables()

function makeTables(): Tables {
  const out = new Uint32Array(512)
  const mod = new Uint32Array(512)
  for (let b = 0; b < 256; b++) {
    let hash = append(0n, b)
    for (let i = 0; i < WINDOW - 1; i++) hash = append(hash, 0)
    put(out, b, hash)
    put(mod, b, reduce(BigInt(b) << DEGREE) | (BigInt(b) << DEGREE))
  }
  return { out, mod }
}

function put(table: Uint32Array, at: number, value: bigint): void {
  table[at * 2] = Number(value & 0xffffffffn)
  table[at * 2 + 1] = Number((value >> 32n) & 0xffffffffn)
}

function append(hash: bigint, byte: number): bigint {
  return reduce((hash << 8n) | BigInt(byte))
}

/** The remainder of a polynomial over GF(2). */
function reduce(value: bigint): bigint {
  let rest = value
  for (let degree = bits(rest); degree >= DEGREE; degree = bits(rest)) rest ^= POLYNOMIAL << (degree - DEGREE)
  return rest
}

/** The degree of a polynomial; -1 of zero. */
function bits(value: bigint): bigint {
  return BigInt(value === 0n ? -1 : value.toString(2).length - 1)
}

/** Where the chunk at the start of `bytes` ends: `bytes` are the next `max`, fewer only at the end of the stream. */
export function rabinCut(bytes: Uint8Array, { min, average, max }: { min: number; average: number; max: number }): number {
  // 53 bits: the eight bits above, by which a shift is reduced, are bits 45 to 52
  const { out, mod } = tables
  const splitBits = Math.floor(Math.log2(average))
  const maskLow = splitBits >= 32 ? 0xffffffff : 2 ** splitBits - 1
  const maskHigh = splitBits > 32 ? 2 ** (splitBits - 32) - 1 : 0
  const window = new Uint8Array(WINDOW)
  let at = 0
  let low = 0
  let high = 0

  const slide = (byte: number) => {
    const leaving = window[at]! * 2
    window[at] = byte
    at = (at + 1) % WINDOW
    low ^= out[leaving]!
    high ^= out[leaving + 1]!
    const index = ((high >>> 13) & 0xff) * 2
    high = ((high << 8) | (low >>> 24)) >>> 0
    low = ((low << 8) | byte) >>> 0
    low ^= mod[index]!
    high ^= mod[index + 1]!
  }

  slide(1)
  const end = Math.min(bytes.length, max)
  // an average below 48 leaves no room for the window before the least: then nothing is cut
  const skipped = min - WINDOW
  if (skipped < 0) return end
  for (let i = skipped; i < end; i++) {
    slide(bytes[i]!)
    const length = i + 1
    if (length >= min && ((low & maskLow) | (high & maskHigh)) === 0) return length
  }
  return end
}
