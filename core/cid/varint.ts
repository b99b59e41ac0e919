import { cidErrors } from '../errors/cid.ts'

/** What go-varint 0.0.7 says of a varint it cannot take. */
export const varintFaults = {
  overflow: 'varints larger than uint63 not supported',
  underflow: 'varints malformed, could not reach the end',
  notMinimal: 'varint not minimally encoded'
} as const

export interface Varint {
  readonly value: number
  /** Bytes it takes. */
  readonly size: number
}

/**
 * The unsigned varint at `offset`, of at most 63 bits and written minimally. Beyond 2^53 the value is the nearest number.
 *
 * @throws E_VARINT
 */
export function readVarint(bytes: Uint8Array, offset = 0): Varint {
  let value = 0
  let scale = 1
  for (let i = 0; offset + i < bytes.length; i++) {
    const byte = bytes[offset + i]!
    if ((i === 8 && byte >= 0x80) || i >= 9) throw cidErrors.E_VARINT(varintFaults.overflow)
    if (byte < 0x80) {
      if (byte === 0 && i > 0) throw cidErrors.E_VARINT(varintFaults.notMinimal)
      return { value: value + byte * scale, size: i + 1 }
    }
    value += (byte & 0x7f) * scale
    scale *= 128
  }
  throw cidErrors.E_VARINT(varintFaults.underflow)
}

/** Bytes that `value` takes as a varint. */
export function varintSize(value: number): number {
  let size = 1
  for (let rest = value; rest >= 128; rest = Math.floor(rest / 128)) size++
  return size
}

/** Writes `value` as a varint at `offset`; the offset after it. */
export function writeVarint(value: number, into: Uint8Array, offset: number): number {
  let at = offset
  let rest = value
  for (; rest >= 128; rest = Math.floor(rest / 128)) into[at++] = (rest % 128) + 128
  into[at++] = rest
  return at
}
