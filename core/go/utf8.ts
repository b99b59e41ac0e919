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

function decodeBroken(buffer: Buffer): string {
  let text = ''
  for (let i = 0; i < buffer.length; ) {
    const size = sequenceLength(buffer, i)
    text += size === 0 ? String.fromCharCode(ESCAPE + buffer[i]!) : buffer.toString('utf8', i, i + size)
    i += size || 1
  }
  return text
}

/** Bytes of the well-formed sequence at `i`; 0 where there is none. */
function sequenceLength(buffer: Buffer, i: number): number {
  const first = buffer[i]!
  const size = first < 0x80 ? 1 : first < 0xe0 ? 2 : first < 0xf0 ? 3 : 4
  return i + size <= buffer.length && isUtf8(buffer.subarray(i, i + size)) ? size : 0
}

/** The bytes of `text`: UTF-8, with the lone surrogates of {@link decodeUtf8} as the bytes they stand for, others as U+FFFD. */
export function encodeUtf8(text: string): Buffer {
  if (text.isWellFormed()) return Buffer.from(text, 'utf8')
  const parts: Buffer[] = []
  for (const char of text) {
    const code = char.codePointAt(0)!
    parts.push(code >= ESCAPE + 0x80 && code <= ESCAPE + 0xff ? Buffer.from([code - ESCAPE]) : Buffer.from(char, 'utf8'))
  }
  return Buffer.concat(parts)
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
