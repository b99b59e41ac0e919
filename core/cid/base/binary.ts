import { messageOf } from '../../errors.ts'
import { parseInteger } from '../../go/number.ts'
import { goUnicode } from '../../go/quote.ts'
import { decodeUtf8, fromByteString } from '../../go/utf8.ts'
import { cidErrors } from '../errors.ts'
import { type DigitCodec, readDigits, view } from './types.ts'

/** The bytes themselves. */
export const identity: DigitCodec = {
  group: 1,
  encode: decodeUtf8,
  decode: digits => Buffer.from(digits, 'latin1')
}

const ZERO = 48
const ONE = 49

/** Eight binary digits a byte; a text that is too short is filled with zeros in front. */
export const base2: DigitCodec = {
  group: 1,
  encode(bytes) {
    // in one piece of memory: a string that grows by a byte's digits is a chain of as many
    const digits = Buffer.allocUnsafe(bytes.length * 8)
    let size = 0
    for (const byte of bytes) for (let mask = 0x80; mask > 0; mask >>= 1) digits[size++] = (byte & mask) === 0 ? ZERO : ONE
    return digits.toString('latin1')
  },
  decode(digits) {
    const bytes = new Uint8Array(Math.ceil(digits.length / 8))
    const missing = bytes.length * 8 - digits.length
    for (let i = 0; i < bytes.length; i++) {
      const start = i * 8 - missing
      let byte = 0
      for (let at = Math.max(start, 0); at < start + 8; at++) {
        const digit = digits.charCodeAt(at) - ZERO
        byte = digit === 0 || digit === 1 ? (byte << 1) | digit : Number.NaN
        if (Number.isNaN(byte)) break
      }
      bytes[i] = Number.isNaN(byte) ? octet(digits.slice(Math.max(start, 0), start + 8).padStart(8, '0')) : byte
    }
    return bytes
  }
}

function octet(digits: string): number {
  try {
    return Number(parseInteger(fromByteString(digits), 64, true, 2))
  } catch (error) {
    throw cidErrors.E_MULTIBASE_TEXT(`error while conversion: ${messageOf(error)}`)
  }
}

/** Hexadecimal digits; read in either case. */
export function base16(upper = false): DigitCodec {
  return {
    group: 1,
    encode: bytes => (upper ? view(bytes).toString('hex').toUpperCase() : view(bytes).toString('hex')),
    decode: decodeHex
  }
}

function decodeHex(digits: string): Uint8Array {
  const invalid = /[^0-9a-f]/i.exec(digits)
  if (invalid) throw cidErrors.E_MULTIBASE_TEXT(`encoding/hex: invalid byte: ${goUnicode(invalid[0])}`)
  if (digits.length % 2 !== 0) throw cidErrors.E_MULTIBASE_TEXT('encoding/hex: odd length hex string')
  return readDigits(digits, 'hex', digits.length / 2)
}
