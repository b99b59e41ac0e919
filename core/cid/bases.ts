import { byteString, encodeUtf8, fromByteString } from '../go/utf8.ts'
import { base32 } from './base/base32.ts'
import { base64 } from './base/base64.ts'
import { base36, base58 } from './base/big.ts'
import { base2, base16, identity } from './base/binary.ts'
import { base256emoji } from './base/emoji.ts'
import type { DigitCodec } from './base/types.ts'
import { cidErrors } from './errors.ts'

/** A multibase: its digits, and the character that stands before them. */
export interface Multibase extends DigitCodec {
  readonly name: string
  readonly prefix: string
  /** Unicode code point of the prefix. */
  readonly code: number
}

function multibase(prefix: string, name: string, codec: DigitCodec): Multibase {
  return { name, prefix, code: prefix.codePointAt(0)!, ...codec }
}

/** All that go-multibase 0.2.0 knows, by letter without regard to case, lower case first. */
export const multibases: readonly Multibase[] = [
  multibase('\0', 'identity', identity),
  multibase('0', 'base2', base2),
  multibase('b', 'base32', base32()),
  multibase('B', 'base32upper', base32({ upper: true })),
  multibase('c', 'base32pad', base32({ padded: true })),
  multibase('C', 'base32padupper', base32({ padded: true, upper: true })),
  multibase('f', 'base16', base16()),
  multibase('F', 'base16upper', base16(true)),
  multibase('k', 'base36', base36()),
  multibase('K', 'base36upper', base36(true)),
  multibase('m', 'base64', base64()),
  multibase('M', 'base64pad', base64({ padded: true })),
  multibase('t', 'base32hexpad', base32({ hex: true, padded: true })),
  multibase('T', 'base32hexpadupper', base32({ hex: true, padded: true, upper: true })),
  multibase('u', 'base64url', base64({ url: true })),
  multibase('U', 'base64urlpad', base64({ url: true, padded: true })),
  multibase('v', 'base32hex', base32({ hex: true })),
  multibase('V', 'base32hexupper', base32({ hex: true, upper: true })),
  multibase('z', 'base58btc', base58()),
  multibase('Z', 'base58flickr', base58(true)),
  multibase('🚀', 'base256emoji', base256emoji)
]

const byName: ReadonlyMap<string, Multibase> = new Map(
  multibases.flatMap(base => [[base.name, base] as const, [base.prefix, base] as const])
)
const byByte: ReadonlyMap<number, Multibase> = new Map(multibases.map(base => [base.code, base]))

/**
 * The multibase with this name, or with this prefix.
 *
 * @throws E_MULTIBASE_EMPTY, E_MULTIBASE_UNSUPPORTED
 */
export function multibaseByName(name: string): Multibase {
  if (name === '') throw cidErrors.E_MULTIBASE_EMPTY()
  const base = byName.get(name)
  if (base === undefined) throw cidErrors.E_MULTIBASE_UNSUPPORTED(name)
  return base
}

export const base32Lower: Multibase = multibaseByName('base32')
export const base36Lower: Multibase = multibaseByName('base36')
export const base58btc: Multibase = multibaseByName('base58btc')

/** `bytes` in `base`, with its prefix. Bytes that are no UTF-8 in base `identity` become lone surrogates (core/go/utf8.ts). */
export function encodeMultibase(base: Multibase, bytes: Uint8Array): string {
  return base.prefix + base.encode(bytes)
}

/**
 * The bytes that a multibase text stands for, and its base.
 *
 * @throws E_MULTIBASE_TEXT
 */
export function decodeMultibase(text: string | Uint8Array): { base: Multibase; bytes: Uint8Array } {
  const digits = byteString(text)
  if (digits === '') throw cidErrors.E_MULTIBASE_TEXT('cannot decode multibase for zero length string')
  const { base, size } = prefixOf(digits)
  return { base, bytes: base.decode(digits.slice(size)) }
}

function prefixOf(digits: string): { base: Multibase; size: number } {
  const first = digits.charCodeAt(0)
  const prefix = first < 128 ? digits[0]! : String.fromCodePoint(fromByteString(digits.slice(0, 4)).codePointAt(0)!)
  const base = byByte.get(prefix.codePointAt(0)!)
  if (base === undefined) throw cidErrors.E_MULTIBASE_TEXT('selected encoding not supported')
  return { base, size: first < 128 ? 1 : encodeUtf8(prefix).length }
}
