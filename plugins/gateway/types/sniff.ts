import { isUtf8 } from 'node:buffer'

/** How much of a file's beginning is looked at, in bytes. */
export const SNIFFED = 3072

/** A type, and what its files have: bytes, as one character each, at a place. */
type Magic = readonly [type: string, at: number, bytes: string]

/** The bytes that formats begin with (their specifications; WHATWG MIME Sniffing for those that browsers know). */
const MAGIC: readonly Magic[] = [
  ['image/png', 0, '\x89PNG\r\n\x1a\n'],
  ['image/jpeg', 0, '\xff\xd8\xff'],
  ['image/gif', 0, 'GIF87a'],
  ['image/gif', 0, 'GIF89a'],
  ['image/bmp', 0, 'BM'],
  ['image/x-icon', 0, '\0\0\x01\0'],
  ['image/tiff', 0, 'II*\0'],
  ['image/tiff', 0, 'MM\0*'],
  ['image/jxl', 0, '\xff\x0a'],
  ['image/vnd.adobe.photoshop', 0, '8BPS'],
  ['application/pdf', 0, '%PDF-'],
  ['application/postscript', 0, '%!PS-Adobe-'],
  ['application/gzip', 0, '\x1f\x8b'],
  ['application/x-bzip2', 0, 'BZh'],
  ['application/x-xz', 0, '\xfd7zXZ\0'],
  ['application/zstd', 0, '(\xb5/\xfd'],
  ['application/x-7z-compressed', 0, '7z\xbc\xaf\x27\x1c'],
  ['application/vnd.rar', 0, 'Rar!\x1a\x07'],
  ['application/zip', 0, 'PK\x03\x04'],
  ['application/zip', 0, 'PK\x05\x06'],
  ['application/x-tar', 257, 'ustar'],
  ['application/wasm', 0, '\0asm'],
  ['application/vnd.sqlite3', 0, 'SQLite format 3\0'],
  ['application/x-elf', 0, '\x7fELF'],
  ['text/rtf', 0, '{\\rtf'],
  ['audio/mpeg', 0, 'ID3'],
  ['audio/mpeg', 0, '\xff\xfb'],
  ['audio/mpeg', 0, '\xff\xf3'],
  ['audio/flac', 0, 'fLaC'],
  ['audio/midi', 0, 'MThd'],
  ['audio/aac', 0, '\xff\xf1'],
  ['application/ogg', 0, 'OggS'],
  ['font/woff', 0, 'wOFF'],
  ['font/woff2', 0, 'wOF2'],
  ['font/ttf', 0, '\0\x01\0\0\0'],
  ['font/otf', 0, 'OTTO\0'],
  ['model/gltf-binary', 0, 'glTF'],
  ['video/mpeg', 0, '\0\0\x01\xba']
]

/** The same by the byte that they have at their place, so that few of them are looked at; those behind the beginning under -1. */
const BY_FIRST: ReadonlyMap<number, readonly Magic[]> = Map.groupBy(MAGIC, ([, at, bytes]) => (at === 0 ? bytes.charCodeAt(0) : -1))

/** Containers, by what stands behind their own mark. */
const RIFF: ReadonlyMap<string, string> = new Map([
  ['WEBP', 'image/webp'],
  ['WAVE', 'audio/wav'],
  ['AVI ', 'video/x-msvideo']
])
const BRANDS: ReadonlyMap<string, string> = new Map([
  ['avif', 'image/avif'],
  ['avis', 'image/avif'],
  ['heic', 'image/heic'],
  ['heix', 'image/heic'],
  ['mif1', 'image/heif'],
  ['qt  ', 'video/quicktime'],
  ['M4A ', 'audio/mp4']
])

/** The media type that the beginning of a file tells; `text/plain` for an empty one. */
export function sniff(file: Uint8Array): string {
  if (file.length === 0) return 'text/plain'
  const bytes = file.subarray(0, SNIFFED)
  const buffer = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length)
  const text = buffer.toString('latin1')
  return byMagic(text) ?? byText(buffer, text, file.length > SNIFFED)
}

function byMagic(text: string): string | undefined {
  for (const candidates of [BY_FIRST.get(text.charCodeAt(0)), BY_FIRST.get(-1)]) {
    const found = candidates?.find(([, at, bytes]) => text.startsWith(bytes, at))
    if (found !== undefined) return found[0]
  }
  if (text.startsWith('RIFF')) return RIFF.get(text.slice(8, 12))
  if (text.startsWith('ftyp', 4)) return BRANDS.get(text.slice(8, 12)) ?? 'video/mp4'
  if (text.startsWith('\x1a\x45\xdf\xa3')) return text.slice(0, 4096).includes('webm') ? 'video/webm' : 'video/x-matroska'
  return undefined
}

const HTML = /^<(?:!doctype html|html|head|script|iframe|h1|div|font|table|a|style|title|b|body|br|p)[\s>]/i
const SVG = /^(?:<\?xml[^>]{0,400}>\s{0,100})?(?:<!--[^>]{0,400}>\s{0,100})?(?:<!doctype svg[^>]{0,400}>\s{0,100})?<svg[\s>/]/i

/** Bytes that no text holds: control characters but for those that lay text out, and Escape. */
const NO_TEXT = Uint8Array.from({ length: 256 }, (_, byte) => (byte < 32 && ![9, 10, 12, 13, 27].includes(byte) ? 1 : 0))

function holdsNoText(bytes: Uint8Array): boolean {
  for (let i = 0; i < bytes.length; i++) if (NO_TEXT[bytes[i]!] === 1) return true
  return false
}

function byText(bytes: Buffer, latin1: string, isCut: boolean): string {
  if (latin1.startsWith('\xff\xfe')) return 'text/plain; charset=utf-16le'
  if (latin1.startsWith('\xfe\xff')) return 'text/plain; charset=utf-16be'
  const text = latin1.replace(/^\xef\xbb\xbf/, '').trimStart()
  if (HTML.test(text) || text.startsWith('<!--')) return SVG.test(text) ? 'image/svg+xml' : 'text/html'
  if (SVG.test(text)) return 'image/svg+xml'
  if (text.startsWith('<?xml')) return 'text/xml; charset=utf-8'
  if (holdsNoText(bytes)) return 'application/octet-stream'
  if (/^[[{]/.test(text) && isJson(text, isCut)) return 'application/json'
  return isUtf8(isCut ? withoutTornEnd(bytes) : bytes) ? 'text/plain; charset=utf-8' : 'text/plain; charset=iso-8859-1'
}

/** Whether a text is JSON; of one that was cut, whether its beginning is. */
function isJson(text: string, isCut: boolean): boolean {
  try {
    JSON.parse(text)
    return true
  } catch {
    return isCut && /^(?:\{\s{0,100}(?:"|\}$)|\[\s{0,100}[[{"\d\]tfn-])/.test(text)
  }
}

/** The bytes without a character that the end may have cut. */
function withoutTornEnd(bytes: Buffer): Buffer {
  let end = bytes.length
  while (end > bytes.length - 4 && end > 0 && (bytes[end - 1]! & 0xc0) === 0x80) end--
  return end > 0 && bytes[end - 1]! >= 0xc0 ? bytes.subarray(0, end - 1) : bytes
}
