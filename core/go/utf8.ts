/**
 * Go's strings are bytes; JavaScript's are UTF-16. A byte that is no UTF-8 travels through a JavaScript string as the lone surrogate
 * U+DC00 + byte (0x80–0xff), so that nothing is lost: {@link encodeUtf8} gives the byte back, `goQuote` writes it as `\xNN`, and
 * `goJsonString` as `\ufffd`, which is what Go does with each.
 */
import { isAscii, isUtf8 } from 'node:buffer'

const ESCAPE = 0xdc00

/** The text of `bytes`, keeping bytes that are no UTF-8 as lone surrogates. */
export function decodeUtf8(bytes: Uint8Array): string {
  const buffer = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength)
  return isUtf8(buffer) ? buffer.toString('utf8') : decodeBroken(buffer)
}

/** The text of bytes that are not all UTF-8, made in one piece of memory, as each byte may be a character of its own. */
function decodeBroken(bytes: Uint8Array): string {
  const units = new Uint16Array(bytes.length)
  let size = 0
  for (let i = 0; i < bytes.length; ) {
    const width = sequenceLength(bytes, i)
    if (width === 0) units[size++] = ESCAPE + bytes[i]!
    else if (width < 4) units[size++] = codePoint(bytes, i, width)
    else {
      const beyond = codePoint(bytes, i, width) - 0x10000
      units[size++] = 0xd800 + (beyond >> 10)
      units[size++] = 0xdc00 + (beyond & 0x3ff)
    }
    i += width || 1
  }
  return Buffer.from(units.buffer, 0, 2 * size).toString('utf16le')
}

/** Bytes of the well-formed sequence at `i`; 0 where there is none. */
function sequenceLength(bytes: Uint8Array, i: number): number {
  const first = bytes[i]!
  if (first < 0x80) return 1
  if (first < 0xc2 || first > 0xf4) return 0
  const width = first < 0xe0 ? 2 : first < 0xf0 ? 3 : 4
  for (let k = 1; k < width; k++) if ((bytes[i + k]! & 0xc0) !== 0x80) return 0
  const point = codePoint(bytes, i, width)
  if (width === 3) return point < 0x800 || (point >= 0xd800 && point < 0xe000) ? 0 : 3
  return width === 4 && (point < 0x10000 || point > 0x10ffff) ? 0 : width
}

/** The code point of a sequence of `width` bytes at `i`. */
function codePoint(bytes: Uint8Array, i: number, width: number): number {
  let point = width === 1 ? bytes[i]! : bytes[i]! & (0x7f >> width)
  for (let k = 1; k < width; k++) point = (point << 6) | (bytes[i + k]! & 0x3f)
  return point
}

/** Text from a file without the byte order mark that editors of Windows put before it. */
export function withoutMark(text: string): string {
  return text.startsWith('\ufeff') ? text.slice(1) : text
}

/** The bytes of `text`: UTF-8, with the lone surrogates of {@link decodeUtf8} as the bytes they stand for, others as U+FFFD. */
export function encodeUtf8(text: string): Buffer {
  const bytes = Buffer.from(text, 'utf8')
  return text.isWellFormed() ? bytes : restored(bytes, text)
}

/** Puts the bytes that lone surrogates stand for in the place of the U+FFFD, three bytes, that UTF-8 has for each. */
function restored(bytes: Buffer, text: string): Buffer {
  let to = 0
  for (let i = 0, from = 0; i < text.length; i++) {
    const point = text.codePointAt(i)!
    if (point >= ESCAPE + 0x80 && point <= ESCAPE + 0xff) {
      bytes[to++] = point - ESCAPE
      from += 3
      continue
    }
    if (point > 0xffff) i++
    for (const end = from + utf8Length(point); from < end; from++) bytes[to++] = bytes[from]!
  }
  return bytes.subarray(0, to)
}

function utf8Length(point: number): number {
  if (point < 0x80) return 1
  if (point < 0x800) return 2
  return point < 0x10000 ? 3 : 4
}

/** The order of two strings by their bytes. UTF-16 orders the same way up to the first surrogate. */
export function compareUtf8(a: string, b: string): number {
  const shared = Math.min(a.length, b.length)
  for (let i = 0; i < shared; i++) {
    const x = a.charCodeAt(i)
    const y = b.charCodeAt(i)
    if (x === y) continue
    return x >= 0xd800 || y >= 0xd800 ? Buffer.compare(encodeUtf8(a), encodeUtf8(b)) : x - y
  }
  return a.length - b.length
}

/** `text` with one character a byte (0–255), so that an index into it is the byte offset that Go would name. */
export function byteString(text: string | Uint8Array): string {
  if (typeof text !== 'string') return Buffer.from(text.buffer, text.byteOffset, text.byteLength).toString('latin1')
  return Buffer.byteLength(text) === text.length ? text : encodeUtf8(text).toString('latin1')
}

/** The text of a {@link byteString}. */
export function fromByteString(bytes: string): string {
  const buffer = Buffer.from(bytes, 'latin1')
  return isAscii(buffer) ? bytes : decodeUtf8(buffer)
}
