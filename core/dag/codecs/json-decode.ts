import { base64 } from '../../cid/base/base64.ts'
import { parseCid } from '../../cid/parse.ts'
import type { NodeError } from '../../errors.ts'
import { parseFloat64, parseInteger } from '../../go/number.ts'
import { decodeUtf8 } from '../../go/utf8.ts'
import { dagErrors } from '../errors.ts'
import { finished, type Node } from '../model.ts'

export interface JsonDecodeOptions {
  /** Whether `{"/": …}` means links and bytes (dag-json), or is a map like any other (json). */
  special: boolean
  /** Most values in a block, lists and maps among them, so that a few bytes each do not fill the memory. Default {@link MAX_VALUES}. */
  maxValues?: number | undefined
}

export const MAX_VALUES = 1_000_000

/**
 * Reads one JSON value as the reference does (refmt 0.89, go-ipld-prime 0.21): commas between entries may be missing or trail, `null`,
 * `true` and `false` are known by their first letter, integers stay integers, text that is no UTF-8 becomes U+FFFD. No recursion.
 *
 * @throws E_UNEXPECTED_EOF, E_EOF (the input ended inside a list or map), E_JSON_…, E_NUMBER_…, E_MAP_KEY_REPEATED, E_MAP_KEY_KIND,
 * E_CID_INVALID, E_JSON_VALUES
 */
export function decodeJson(bytes: Uint8Array, { special, maxValues = MAX_VALUES }: JsonDecodeOptions): Node {
  return new JsonReader(bytes, special, maxValues).read()
}

const QUOTE = 0x22
const PLUS = 0x2b
const COMMA = 0x2c
const MINUS = 0x2d
const POINT = 0x2e
const COLON = 0x3a
const BACKSLASH = 0x5c
const SLASH = 0x2f
const LIST_OPEN = 0x5b
const LIST_CLOSE = 0x5d
const MAP_OPEN = 0x7b
const MAP_CLOSE = 0x7d
const END = -1

const ESCAPES: Readonly<Record<string, string>> = { b: '\b', f: '\f', n: '\n', r: '\r', t: '\t', '"': '"', '\\': '\\', '/': '/' }

const plainBase64 = base64()
const paddedBase64 = base64({ padded: true })

/** A list or map whose entries are still coming. */
interface Frame {
  readonly list: Node[] | undefined
  readonly map: Map<string, Node> | undefined
  readonly close: number
  key: string
  /** Whether it has an entry, so that a comma may come next. */
  some: boolean
}

class JsonReader {
  readonly #bytes: Buffer
  /** The same with a character for each byte: slices of it cost next to nothing. */
  readonly #latin1: string
  readonly #special: boolean
  readonly #maxValues: number
  #values = 0
  #at = 0
  /** Whether a list or map was opened: the reference tells an input that ends there from one without a root. */
  #inside = false

  constructor(bytes: Uint8Array, special: boolean, maxValues: number) {
    this.#bytes = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength)
    this.#latin1 = this.#bytes.toString('latin1')
    this.#special = special
    this.#maxValues = maxValues
  }

  read(): Node {
    const stack: Frame[] = []
    let top: Frame | undefined
    for (;;) {
      const first = top === undefined ? this.#present(this.#next()) : this.#entry(top)
      let value: Node | undefined
      if (first !== END && ++this.#values > this.#maxValues) throw dagErrors.E_JSON_VALUES(this.#maxValues)
      if (first === END) {
        const { list, map } = stack.pop()!
        value = finished(list ?? map!)
        top = stack.at(-1)
      } else if (first === LIST_OPEN) {
        this.#inside = true
        top = { list: [], map: undefined, close: LIST_CLOSE, key: '', some: false }
        stack.push(top)
        continue
      } else if (first === MAP_OPEN) {
        this.#inside = true
        value = this.#special ? this.#linkOrBytes() : undefined
        if (value === undefined) {
          top = { list: undefined, map: new Map(), close: MAP_CLOSE, key: '', some: false }
          stack.push(top)
          continue
        }
      } else value = this.#scalar(first, top === undefined)
      if (top === undefined) return this.#whole(value)
      if (top.list !== undefined) top.list.push(value)
      else top.map!.set(top.key, value)
    }
  }

  /** Finds where the next value of a list or map starts, reading a map's key first. {@link END}: there is none. */
  #entry(frame: Frame): number {
    let first = this.#present(this.#next())
    if (frame.some && first === COMMA) first = this.#present(this.#next())
    if (first === frame.close) return END
    frame.some = true
    if (frame.list !== undefined) return first
    frame.key = this.#key(first)
    if (frame.map!.has(frame.key)) throw dagErrors.E_MAP_KEY_REPEATED(frame.key)
    return this.#present(this.#next())
  }

  /** A key and its colon. The reference looks for the colon before it says what is wrong with the key. */
  #key(first: number): string {
    let key = ''
    let kind = 'string'
    if (first === QUOTE) key = this.#attempt(() => this.#string()) ?? ''
    else kind = this.#keyKind(first)
    const colon = this.#present(this.#next())
    if (colon !== COLON) throw dagErrors.E_JSON_COLON(colon)
    if (kind !== 'string') throw dagErrors.E_MAP_KEY_KIND(kind)
    return key
  }

  #keyKind(first: number): string {
    if (first === MAP_OPEN) return 'map open'
    if (first === LIST_OPEN) return 'array open'
    if (isNumberStart(first)) return typeof this.#attempt(() => this.#number()) === 'number' ? 'float' : 'int'
    const word = this.#word(first)
    return word === undefined ? 'invalid' : word === null ? 'null' : 'bool'
  }

  #attempt<T>(read: () => T): T | undefined {
    try {
      return read()
    } catch {
      return undefined
    }
  }

  #scalar(first: number, root: boolean): Node {
    if (first === QUOTE) return this.#string()
    if (isNumberStart(first)) {
      const value = this.#number()
      // The byte that ended a number was read with it; behind a root nobody looks at it again.
      if (root) this.#at++
      return value
    }
    const word = this.#word(first)
    if (word === undefined) throw dagErrors.E_JSON_VALUE(first)
    return word
  }

  #word(first: number): null | boolean | undefined {
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

  /** `{"/":"cid"}` or `{"/":{"bytes":"base64"}}`, the brace already read; otherwise the cursor stays. */
  #linkOrBytes(): Node | undefined {
    const start = this.#at
    const found = this.#mayBeSpecial() ? this.#attempt(() => this.#specialText()) : undefined
    if (found === undefined) {
      this.#at = start
      return undefined
    }
    return found.bytes ? decodeBase64(found.text) : parseCid(found.text)
  }

  /** Whether the first key begins as `"/"` would, escaped or not. */
  #mayBeSpecial(): boolean {
    const quote = this.#next()
    const byte = this.#bytes[this.#at--]
    return quote === QUOTE && (byte === SLASH || byte === BACKSLASH)
  }

  #specialText(): { bytes: boolean; text: string } | undefined {
    if (!this.#keyIs('/')) return undefined
    const first = this.#next()
    if (first === QUOTE) {
      const text = this.#string()
      return this.#closes() ? { bytes: false, text } : undefined
    }
    if (first !== MAP_OPEN || !this.#keyIs('bytes') || this.#next() !== QUOTE) return undefined
    const text = this.#string()
    return this.#closes() && this.#closes() ? { bytes: true, text } : undefined
  }

  #keyIs(key: string): boolean {
    return this.#next() === QUOTE && this.#string() === key && this.#next() === COLON
  }

  #closes(): boolean {
    const byte = this.#next()
    return byte === MAP_CLOSE || (byte === COMMA && this.#next() === MAP_CLOSE)
  }

  /** The text up to the closing quote. */
  #string(): string {
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
    const text = bits < 0x80 ? this.#latin1.slice(start, end) : decodeUtf8(bytes.subarray(start, end)).toWellFormed()
    return escaped ? unescaped(text) : text
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

  /** A number whose first character was read: an integer where it has no fraction and no exponent. */
  #number(): bigint | number {
    const start = this.#at - 1
    this.#at = numberEnd(this.#bytes, start)
    const text = this.#latin1.slice(start, this.#at)
    if (!/^-?\d+$/.test(text)) return parseFloat64(text)
    return text.length < 16 ? BigInt(Number(text)) : parseInteger(text, 64, true, 10)
  }

  /** The next byte that is no white space, or {@link END}. */
  #next(): number {
    for (;;) {
      const byte = this.#bytes[this.#at]
      if (byte === undefined) return END
      this.#at++
      if (byte !== 0x20 && byte !== 0x0a && byte !== 0x0d && byte !== 0x09) return byte
    }
  }

  #present(byte: number): number {
    if (byte !== END) return byte
    throw this.#eof()
  }

  #eof(): NodeError {
    return this.#inside ? dagErrors.E_EOF() : dagErrors.E_UNEXPECTED_EOF()
  }

  #whole(value: Node): Node {
    for (; this.#at < this.#bytes.length; this.#at++) {
      const byte = this.#bytes[this.#at]!
      if (byte > 0x20 || !' \0\t\r\n'.includes(String.fromCharCode(byte))) throw dagErrors.E_JSON_TRAILING()
    }
    return value
  }
}

function isNumberStart(byte: number): boolean {
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
  return Buffer.from(units.buffer, 0, 2 * size)
    .toString('utf16le')
    .toWellFormed()
}

/** Unpadded, or with padding where that fails. */
function decodeBase64(text: string): Uint8Array {
  try {
    return plainBase64.decode(text)
  } catch {
    return paddedBase64.decode(text)
  }
}
