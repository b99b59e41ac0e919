import { cidErrors } from '../../errors/cid.ts'
import { messageOf } from '../../errors.ts'
import { parseInteger } from '../../go/number.ts'
import { goUnicode } from '../../go/quote.ts'
import { decodeUtf8, fromByteString } from '../../go/utf8.ts'
import { type DigitCodec, readDigits, view } from './types.ts'

/** The bytes themselves. */
export const identity: DigitCodec = {
  group: 1,
  encode: decodeUtf8,
  decode: digits => Buffer.from(digits, 'latin1')
}

/** Eight binary digits a byte; a text that is too short is filled with zeros in front. */
export const base2: DigitCodec = {
  group: 1,
  encode(bytes) {
    let digits = ''
    for (const byte of bytes) digits += byte.toString(2).padStart(8, '0')
    return digits
  },
  decode(digits) {
    const whole = digits.padStart(Math.ceil(digits.length / 8) * 8, '0')
    const bytes = new Uint8Array(whole.length / 8)
    for (let i = 0; i < bytes.length; i++) bytes[i] = octet(whole.slice(i * 8, i * 8 + 8))
    return bytes
  }
}

function octet(digits: string): number {
  if (/^[01]+$/.test(digits)) return Number.parseInt(digits, 2)
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
