import type { NodeError } from '../../../errors.ts'
import { parseFloat64, parseInteger } from '../../../go/number.ts'
import { decodeUtf8 } from '../../../go/utf8.ts'
import { dagErrors } from '../../errors.ts'
import { isExact } from './precision.ts'

export const QUOTE = 0x22
const PLUS = 0x2b
export const COMMA = 0x2c
const MINUS = 0x2d
const POINT = 0x2e
export const COLON = 0x3a
export const BACKSLASH = 0x5c
export const SLASH = 0x2f
export const LIST_OPEN = 0x5b
export const LIST_CLOSE = 0x5d
export const MAP_OPEN = 0x7b
export const MAP_CLOSE = 0x7d
/** The mark that stands for the place behind the last byte. */
export const END = -1

const SURROGATE = /\\u[dD][89a-fA-F]/

const ESCAPES: Readonly<Record<string, string>> = { b: '\b', f: '\f', n: '\n', r: '\r', t: '\t', '"': '"', '\\': '\\', '/': '/' }

/** The tokens of JSON as the reference reads them (refmt 0.89), one after the other. */
export class JsonTokens {
  readonly #bytes: Buffer
  /** The same with a character for each byte: slices of it cost next to nothing. */
  readonly #latin1: string
  #at = 0
  /** Whether a list or map was opened: the reference tells an input that ends there from one without a root. */
  inside = false
  readonly #isLenient: boolean

  /** @param isLenient - whether strings may have what is no character, for who looks at links alone */
  constructor(bytes: Uint8Array, isLenient = false) {
    this.#isLenient = isLenient
    this.#bytes = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength)
    this.#latin1 = this.#bytes.toString('latin1')
  }

  /** The place of the next byte, to come back to by {@link goBack}. */
  get at(): number {
    return this.#at
  }

  goBack(at: number): void {
    this.#at = at
  }

  /** Passes the byte that ended a number, which the reference reads with it. */
  skipOne(): void {
    this.#at++
  }

  /** The next byte, left to be read; undefined behind the last one. */
  get peeked(): number | undefined {
    return this.#bytes[this.#at]
  }

  /** `null`, `true` or `false`, known by the first letter, which was read; undefined: none of them. */
  word(first: number): null | boolean | undefined {
    switch (first) {
      case 0x6e:
        this.#at += 3
        return null
      case 0x74:
        this.#at += 3
        return true
      case 0x66:
        this.#at += 4
        return false
      default:
        return undefined
    }
  }

  /** The text up to the closing quote; bytes in it that are no UTF-8 as in `core/go/utf8.ts`. @throws E_JSON_SURROGATE */
  string(): string {
    const bytes = this.#bytes
    const start = this.#at
    let escaped = false
    let bits = 0
    for (;;) {
      if (this.#at >= bytes.length) throw this.#eof()
      const byte = bytes[this.#at++]!
      bits |= byte
      if (byte === QUOTE) break
      if (byte === BACKSLASH) {
        escaped = true
        this.#escape()
      } else if (byte < 0x20) throw dagErrors.E_JSON_STRING(byte)
    }
    const end = this.#at - 1
    const text = bits < 0x80 ? this.#latin1.slice(start, end) : decodeUtf8(bytes.subarray(start, end))
    return escaped ? this.#unescaped(text) : text
  }

  #escape(): void {
    const byte = this.#bytes[this.#at++]
    if (byte === undefined) throw this.#eof()
    if (byte !== 0x75) {
      if (ESCAPES[String.fromCharCode(byte)] === undefined) throw dagErrors.E_JSON_ESCAPE(byte)
      return
    }
    for (let i = 0; i < 4; i++) {
      const digit = this.#bytes[this.#at++]
      if (digit === undefined) throw this.#eof()
      if (!isHex(digit)) throw dagErrors.E_JSON_UNICODE(digit)
    }
  }

  #unescaped(text: string): string {
    const whole = unescaped(text)
    if (this.#isLenient) return whole.toWellFormed()
    // bytes that are no UTF-8 are surrogates themselves, which an escaped one may go with
    if (text.isWellFormed() ? !whole.isWellFormed() : SURROGATE.test(text)) throw dagErrors.E_JSON_SURROGATE()
    return whole
  }

  /** A number whose first character was read: an integer where it has no fraction and no exponent. @throws E_JSON_PRECISION */
  number(): bigint | number {
    const start = this.#at - 1
    this.#at = numberEnd(this.#bytes, start)
    const text = this.#latin1.slice(start, this.#at)
    if (/^-?\d+$/.test(text)) return text.length < 16 ? BigInt(Number(text)) : parseInteger(text, text.startsWith('-') ? 64 : 65, true, 10)
    const value = parseFloat64(text)
    if (!this.#isLenient && !isExact(text, value)) throw dagErrors.E_JSON_PRECISION(text)
    return value
  }

  /** The next byte that is no white space, or {@link END}. */
  next(): number {
    for (;;) {
      const byte = this.#bytes[this.#at]
      if (byte === undefined) return END
      this.#at++
      if (byte !== 0x20 && byte !== 0x0a && byte !== 0x0d && byte !== 0x09) return byte
    }
  }

  /** The next byte that is no white space. @throws where there is none */
  required(): number {
    const byte = this.next()
    if (byte !== END) return byte
    throw this.#eof()
  }

  #eof(): NodeError {
    return this.inside ? dagErrors.E_EOF() : dagErrors.E_UNEXPECTED_EOF()
  }

  /** @throws E_JSON_TRAILING where anything but white space is left */
  end(): void {
    for (; this.#at < this.#bytes.length; this.#at++) {
      const byte = this.#bytes[this.#at]!
      if (byte > 0x20 || !' \0\t\r\n'.includes(String.fromCharCode(byte))) throw dagErrors.E_JSON_TRAILING()
    }
  }
}

export function isNumberStart(byte: number): boolean {
  return byte === MINUS || isDigit(byte)
}

function isHex(byte: number): boolean {
  return (byte >= 0x30 && byte <= 0x39) || ((byte | 0x20) >= 0x61 && (byte | 0x20) <= 0x66)
}

/** Where the reference's scanner stops: it takes a dangling point or exponent along, and nothing after a leading zero. */
function numberEnd(bytes: Uint8Array, start: number): number {
  let at = bytes[start] === MINUS ? start + 1 : start
  if (!isDigit(bytes[at])) return at
  at = bytes[at] === 0x30 ? at + 1 : digitsEnd(bytes, at)
  if (bytes[at] === POINT) {
    if (!isDigit(bytes[++at])) return at
    at = digitsEnd(bytes, at)
  }
  if (bytes[at] !== 0x65 && bytes[at] !== 0x45) return at
  at++
  return digitsEnd(bytes, bytes[at] === MINUS || bytes[at] === PLUS ? at + 1 : at)
}

function digitsEnd(bytes: Uint8Array, start: number): number {
  let at = start
  while (isDigit(bytes[at])) at++
  return at
}

function isDigit(byte: number | undefined): boolean {
  return byte !== undefined && byte >= 0x30 && byte <= 0x39
}

/** The text that escapes stand for; made in one piece of memory, as each may be an escape. */
function unescaped(text: string): string {
  const units = new Uint16Array(text.length)
  let size = 0
  for (let i = 0; i < text.length; i++) {
    let unit = text.charCodeAt(i)
    if (unit === BACKSLASH) {
      const letter = text[++i]!
      unit = letter === 'u' ? Number.parseInt(text.slice(i + 1, i + 5), 16) : ESCAPES[letter]!.charCodeAt(0)
      if (letter === 'u') i += 4
    }
    units[size++] = unit
  }
  return Buffer.from(units.buffer, 0, 2 * size).toString('utf16le')
}
