import { cidErrors } from '../errors.ts'
import type { DigitCodec } from './types.ts'

const STANDARD = 'abcdefghijklmnopqrstuvwxyz234567'
const HEX = '0123456789abcdefghijklmnopqrstuv'

interface Base32 {
  hex?: boolean
  upper?: boolean
  padded?: boolean
}

/** RFC 4648 base 32, read in either case, as go-base32 0.1 reads it: line ends are skipped, bits that make no whole byte dropped. */
export function base32({ hex = false, upper = false, padded = false }: Base32 = {}): DigitCodec {
  const alphabet = upper ? (hex ? HEX : STANDARD).toUpperCase() : hex ? HEX : STANDARD
  const pairs = pairsOf(alphabet)
  const values = valuesOf(alphabet)
  return {
    group: 5,
    encode: bytes => encode(bytes, alphabet, pairs, padded),
    decode: digits => decode(digits, values, padded)
  }
}

/** Two digits for each ten bits: a table that makes encoding a CID twice as fast. */
function pairsOf(alphabet: string): Uint8Array {
  const pairs = new Uint8Array(2048)
  for (let bits = 0; bits < 1024; bits++) {
    pairs[2 * bits] = alphabet.charCodeAt(bits >> 5)
    pairs[2 * bits + 1] = alphabet.charCodeAt(bits & 31)
  }
  return pairs
}

function valuesOf(alphabet: string): Int8Array {
  const values = new Int8Array(256).fill(-1)
  for (let i = 0; i < 32; i++) {
    values[alphabet.toLowerCase().charCodeAt(i)] = i
    values[alphabet.toUpperCase().charCodeAt(i)] = i
  }
  return values
}

/** Digits are put down as bytes: a text made of many small ones has to be put together again by whoever first looks into it. */
function encode(bytes: Uint8Array, alphabet: string, pairs: Uint8Array, padded: boolean): string {
  const { length } = bytes
  const whole = length - (length % 5)
  const digits = Buffer.allocUnsafe(Math.ceil((length * 8) / 5))
  let at = 0
  for (let i = 0; i < whole; i += 5) {
    const high = (bytes[i]! << 12) | (bytes[i + 1]! << 4) | (bytes[i + 2]! >> 4)
    const low = ((bytes[i + 2]! & 15) << 16) | (bytes[i + 3]! << 8) | bytes[i + 4]!
    for (const pair of [high >> 10, high & 1023, low >> 10, low & 1023]) {
      digits[at++] = pairs[2 * pair]!
      digits[at++] = pairs[2 * pair + 1]!
    }
  }
  let bits = 0
  let pending = 0
  for (let i = whole; i < length; i++) {
    pending = (pending << 8) | bytes[i]!
    bits += 8
    for (; bits >= 5; pending &= (1 << bits) - 1) {
      bits -= 5
      digits[at++] = alphabet.charCodeAt(pending >> bits)
    }
  }
  if (bits > 0) digits[at++] = alphabet.charCodeAt(pending << (5 - bits))
  const text = digits.toString('latin1')
  return padded ? text.padEnd(Math.ceil(length / 5) * 8, '=') : text
}

function decode(text: string, values: Int8Array, padded: boolean): Uint8Array {
  const digits = /[\r\n]/.test(text) ? text.replace(/[\r\n]/g, '') : text
  const end = padded ? paddingStart(digits) : digits.length
  const bytes = new Uint8Array(byteLength(end))
  let bits = 0
  let pending = 0
  let at = 0
  for (let i = 0; i < end; i++) {
    const value = values[digits.charCodeAt(i)]!
    if (value < 0) throw illegal(i)
    pending = ((pending << 5) | value) & 4095
    bits += 5
    if (bits < 8) continue
    bits -= 8
    if (at < bytes.length) bytes[at++] = (pending >> bits) & 255
  }
  if (padded && end === digits.length && end % 8 !== 0) throw illegal(end - (end % 8))
  return bytes
}

/** Whole bytes in `digits` digits. One, three or six digits over a multiple of eight hold none, as in the reference. */
function byteLength(digits: number): number {
  const over = digits % 8
  return Math.floor(digits / 8) * 5 + (over === 1 || over === 3 || over === 6 ? 0 : Math.floor((over * 5) / 8))
}

/** Where the padding starts that ends the text; its end where there is none. */
function paddingStart(digits: string): number {
  const start = digits.indexOf('=')
  if (start < 0) return digits.length
  const over = start % 8
  const after = digits.length - start - 1
  if (over < 2 || after >= 8) throw firstIllegal(digits, start)
  if (after + over < 7) throw illegal(digits.length)
  for (let k = 0; k < 7 - over; k++) {
    if (digits[start + 1 + k] !== '=') throw illegal(start + k)
  }
  if (over === 3 || over === 6) throw illegal(start)
  return start
}

function firstIllegal(digits: string, start: number): Error {
  const before = /[^0-9a-z]/i.exec(digits.slice(0, start))
  return illegal(before ? before.index : start)
}

function illegal(at: number): Error {
  return cidErrors.E_MULTIBASE_TEXT(`illegal base32 data at input byte ${at}`)
}
