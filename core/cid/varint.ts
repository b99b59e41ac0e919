import { cidErrors } from './errors.ts'

/** The texts of go-varint 0.0.7 for a varint it cannot take. */
const varintFaults = {
  overflow: 'varints larger than uint63 not supported',
  underflow: 'varints malformed, could not reach the end',
  notMinimal: 'varint not minimally encoded'
} as const

interface Varint {
  readonly value: number
  /** Bytes it takes. */
  readonly size: number
}

/** Answers of {@link VarintReader} for what is no varint: it ends too early, or has more than 64 bits. */
export const TRUNCATED = -1
export const OVERFLOW = -2

/** Most bytes of a varint of 64 bits. */
const MOST_BYTES = 10

/** Reads varints of up to 64 bits out of one buffer, minimal or not, as protobuf has them. */
export class VarintReader {
  at: number
  readonly bytes: Uint8Array

  constructor(bytes: Uint8Array, at = 0) {
    this.bytes = bytes
    this.at = at
  }

  /** The varint at the cursor, which ends before `end`. Beyond 2^53 the nearest number; {@link TRUNCATED} or {@link OVERFLOW} for none. */
  varint(end: number): number {
    const { bytes, at } = this
    let value = 0
    let scale = 1
    for (let i = 0; i < MOST_BYTES && this.at < end; i++) {
      const byte = bytes[this.at++]!
      if (byte < 0x80) {
        if (i === MOST_BYTES - 1 && byte > 1) return OVERFLOW
        value += byte * scale
        return value <= Number.MAX_SAFE_INTEGER ? value : Number(this.#exactly(at))
      }
      value += (byte & 0x7f) * scale
      scale *= 0x80
    }
    return this.at - at === MOST_BYTES ? OVERFLOW : TRUNCATED
  }

  /** The same, a bigint where a number is not exact. */
  exact(end: number): number | bigint {
    const { at } = this
    const value = this.varint(end)
    return value <= Number.MAX_SAFE_INTEGER ? value : this.#exactly(at)
  }

  /** The varint from `start` to the cursor. */
  #exactly(start: number): bigint {
    let value = 0n
    for (let i = this.at - 1; i >= start; i--) value = (value << 7n) | BigInt(this.bytes[i]! & 0x7f)
    return value
  }
}

/**
 * The unsigned varint at `offset`, of at most 63 bits and written minimally. Beyond 2^53 the value is the nearest number.
 *
 * @throws E_VARINT
 */
export function readVarint(bytes: Uint8Array, offset = 0): Varint {
  const first = bytes[offset]
  if (first !== undefined && first < 0x80) return { value: first, size: 1 }
  const reader = new VarintReader(bytes, offset)
  const value = reader.varint(bytes.length)
  const size = reader.at - offset
  if (size >= MOST_BYTES || (size === MOST_BYTES - 1 && value < 0)) throw cidErrors.E_VARINT(varintFaults.overflow)
  if (value < 0) throw cidErrors.E_VARINT(varintFaults.underflow)
  if (size > 1 && bytes[reader.at - 1] === 0) throw cidErrors.E_VARINT(varintFaults.notMinimal)
  return { value, size }
}

/** Bytes that `value` takes as a varint. */
export function varintSize(value: number | bigint): number {
  let size = 1
  let remaining = value
  for (; typeof remaining === 'bigint'; size++, remaining >>= 7n) if (remaining < 0x80n) return size
  for (; remaining >= 0x80; remaining = Math.floor(remaining / 0x80)) size++
  return size
}

/** Writes `value` as a varint at `offset`; the offset after it. */
export function writeVarint(value: number | bigint, into: Uint8Array, offset: number): number {
  let at = offset
  let remaining = value
  if (typeof remaining === 'bigint') {
    for (; remaining >= 0x80n; remaining >>= 7n) into[at++] = Number(remaining & 0x7fn) | 0x80
    remaining = Number(remaining)
  }
  for (; remaining >= 0x80; remaining = Math.floor(remaining / 0x80)) into[at++] = (remaining % 0x80) | 0x80
  into[at++] = remaining
  return at
}
