import { trimRight } from '../../go/trim.ts'
import { cidErrors } from '../errors.ts'
import { type DigitCodec, readDigits, view } from './types.ts'

interface Base64 {
  url?: boolean
  padded?: boolean
}

/** RFC 4648 base 64 as Go's `encoding/base64` reads it: line ends are skipped, bits after the last byte are not looked at. */
export function base64({ url = false, padded = false }: Base64 = {}): DigitCodec {
  const digit = url ? /^[\w-]$/ : /^[A-Za-z0-9+/]$/
  const plain = url ? /^[\w-]*$/ : /^[A-Za-z0-9+/]*$/
  return {
    group: 3,
    encode(bytes) {
      const digits = url ? view(bytes).toString('base64url') : view(bytes).toString('base64')
      if (!padded) return url ? digits : trimRight(digits, '=')
      return url ? digits.padEnd(Math.ceil(digits.length / 4) * 4, '=') : digits
    },
    decode(text) {
      const fits = plain.test(text) && (padded ? text.length % 4 === 0 : text.length % 4 !== 1)
      const digits = fits ? text : checked(text, digit, padded)
      return readDigits(digits, 'base64', Math.floor((digits.length * 3) / 4))
    }
  }
}

/** The digits alone, without line ends and padding, which must be where Go wants it. */
function checked(text: string, digit: RegExp, padded: boolean): string {
  let digits = ''
  for (let i = 0; i < text.length; i++) {
    const char = text[i]!
    if (isLineEnd(char)) continue
    if (digit.test(char)) digits += char
    else if (char === '=' && padded) return closed(text, i, digits)
    else throw illegal(i)
  }
  const over = digits.length % 4
  if (over === 1 || (padded && over !== 0)) throw illegal(text.length - over)
  return digits
}

function closed(text: string, first: number, digits: string): string {
  const over = digits.length % 4
  if (over < 2) throw illegal(first)
  let at = afterLineEnds(text, first + 1)
  if (over === 2) {
    if (at === text.length) throw illegal(at)
    if (text[at] !== '=') throw illegal(at - 1)
    at = afterLineEnds(text, at + 1)
  }
  if (at < text.length) throw illegal(at)
  return digits
}

function afterLineEnds(text: string, at: number): number {
  let next = at
  while (next < text.length && isLineEnd(text[next]!)) next++
  return next
}

function isLineEnd(char: string): boolean {
  return char === '\n' || char === '\r'
}

function illegal(at: number): Error {
  return cidErrors.E_MULTIBASE_TEXT(`illegal base64 data at input byte ${at}`)
}
