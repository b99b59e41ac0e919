import { goQuoteRune } from '../../go/quote.ts'
import { fromByteString } from '../../go/utf8.ts'
import { cidErrors } from '../errors.ts'
import { fromRadix, toRadix } from './radix.ts'
import type { DigitCodec } from './types.ts'

const LOWER36 = '0123456789abcdefghijklmnopqrstuvwxyz'
const BITCOIN = '123456789ABCDEFGHJKLMNPQRSTUVWXYZabcdefghijkmnopqrstuvwxyz'
const FLICKR = '123456789abcdefghijkmnopqrstuvwxyzABCDEFGHJKLMNPQRSTUVWXYZ'

/** The most bytes and digits that are converted. Time grows faster than length: this much takes about a fifth of a second. */
export const MOST_DIGITS = 131_072

/** Base 36, read in either case (go-base36 0.2). */
export function base36(upper = false): DigitCodec {
  const alphabet = upper ? LOWER36.toUpperCase() : LOWER36
  const values = valuesOf(LOWER36, LOWER36.toUpperCase())
  return {
    encode: bytes => toRadix(fitting(bytes, 'base36'), alphabet),
    decode(digits) {
      if (digits === '') throw cidErrors.E_MULTIBASE_TEXT('can not decode zero-length string')
      return fromRadix(read(fitting(digits, 'base36'), values, badDigit36), 36)
    }
  }
}

/** Base 58 in Bitcoin's or Flickr's order of digits (mr-tron/base58 1.1). */
export function base58(flickr = false): DigitCodec {
  const alphabet = flickr ? FLICKR : BITCOIN
  const values = valuesOf(alphabet)
  return {
    encode: bytes => toRadix(fitting(bytes, 'base58'), alphabet),
    decode(digits) {
      if (digits === '') throw cidErrors.E_MULTIBASE_TEXT('zero length string')
      return fromRadix(read(fitting(digits, 'base58'), values, badDigit58), 58)
    }
  }
}

function fitting<T extends { readonly length: number }>(what: T, base: string): T {
  if (what.length > MOST_DIGITS) throw cidErrors.E_MULTIBASE_LENGTH(base, MOST_DIGITS)
  return what
}

function valuesOf(...alphabets: string[]): Uint8Array {
  const values = new Uint8Array(256).fill(255)
  for (const alphabet of alphabets) {
    for (let i = 0; i < alphabet.length; i++) values[alphabet.charCodeAt(i)] = i
  }
  return values
}

function read(digits: string, values: Uint8Array, complain: (digits: string, at: number) => string): Uint8Array {
  const read = new Uint8Array(digits.length)
  for (let i = 0; i < digits.length; i++) {
    const value = values[digits.charCodeAt(i)]!
    if (value === 255) throw cidErrors.E_MULTIBASE_TEXT(complain(digits, i))
    read[i] = value
  }
  return read
}

function badDigit36(digits: string, at: number): string {
  const char = String.fromCodePoint(fromByteString(digits.slice(at, at + 4)).codePointAt(0)!)
  return `invalid base36 character (${goQuoteRune(char)})`
}

function badDigit58(digits: string, at: number): string {
  if (digits.charCodeAt(at) > 127) return 'High-bit set on invalid digit'
  return `Invalid base58 digit (${goQuoteRune(digits[at]!)})`
}
