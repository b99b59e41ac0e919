import { trimRight } from '../go/trim.ts'
import { decodeUtf8 } from '../go/utf8.ts'
import { tarErrors } from './errors.ts'

/** One entry of an archive. What is not read of its bytes is skipped. */
export interface TarMember {
  /** `other`: a hard link, a device, a pipe, or a kind that only some programs know. */
  readonly type: 'file' | 'directory' | 'symlink' | 'other'
  /** The kind as the archive has it: one character. */
  readonly flag: string
  /** The header as the archive has it, with the extended headers in front of it: whole blocks of 512 bytes. */
  readonly header: Uint8Array
  /** The path as the archive has it, without a slash at its end; not looked into. */
  readonly path: string
  /** Where a symlink leads. */
  readonly target: string
  /** Permissions, 0 to 0o7777; undefined where there are none. */
  readonly mode: number | undefined
  /** Seconds since 1970, with a fraction; undefined where there are none. */
  readonly mtime: number | undefined
  /** Bytes of its content. */
  readonly size: number
  bytes(): AsyncIterable<Uint8Array>
}

const BLOCK = 512
/** The largest extended header that is taken, in bytes: one name of a path is 255 at most. */
const EXTENDED_MAX = 1_048_576

/** An extension in front of an entry, which changes its header. */
interface Extended {
  path?: string
  target?: string
  size?: number
  mtime?: number
}

/**
 * The entries of a tar archive (USTAR, with pax and GNU extensions for long names and large sizes), while it streams in. Read to the
 * source's end, so that what went wrong with that is known.
 *
 * @throws E_TAR, and what the source throws
 */
export async function* membersOf(source: AsyncIterable<Uint8Array>): AsyncGenerator<TarMember> {
  const reader = new Reader(source)
  let extended: Extended = {}
  let headers: Uint8Array[] = []
  let held = 0
  for (;;) {
    const header = await reader.take(BLOCK)
    if (header.every(byte => byte === 0)) break
    checkSum(header)
    headers.push(header)
    const flag = String.fromCharCode(header[156]!)
    const size = extended.size ?? numberAt(header, 124, 12)
    if (flag === 'x' || flag === 'g' || flag === 'L' || flag === 'K') {
      held += size
      if (held > EXTENDED_MAX) throw tarErrors.E_TAR(`a header of ${held} bytes`)
      const text = await reader.take(size)
      headers.push(text, await reader.take(padded(size)))
      // a header for all that follows has nothing that matters here
      if (flag === 'x') extended = { ...extended, ...recordsOf(text) }
      else if (flag === 'L') extended.path = textOf(text)
      else if (flag === 'K') extended.target = textOf(text)
      continue
    }
    const type = typeOf(flag)
    const path = trimRight(extended.path ?? nameOf(header), '/')
    const target = extended.target ?? textOf(header.subarray(157, 257))
    const length = WITHOUT_BYTES.has(flag) ? 0 : size
    let left = length
    const bytes = async function* () {
      while (left > 0) {
        const piece = await reader.some(left)
        left -= piece.length
        yield piece
      }
    }
    const mode = octalAt(header, 100, 8)
    const mtime = extended.mtime ?? octalAt(header, 136, 12)
    yield { type, flag, header: Buffer.concat(headers), path, target, mode: mode && mode & 0o7777, mtime, size: length, bytes }
    await reader.skip(left + padded(length))
    extended = {}
    headers = []
    held = 0
  }
  await reader.drain()
}

/** Kinds of entries behind whose headers no bytes stand, whatever size these give: links, devices, folders, pipes. */
const WITHOUT_BYTES: ReadonlySet<string> = new Set(['1', '2', '3', '4', '5', '6'])

function typeOf(flag: string): TarMember['type'] {
  switch (flag) {
    case '0':
    case '\0':
    case '7':
      return 'file'
    case '2':
      return 'symlink'
    case '5':
      return 'directory'
    default:
      return 'other'
  }
}

function padded(size: number): number {
  return (BLOCK - (size % BLOCK)) % BLOCK
}

/** The sum is that of all bytes with its own field as spaces. */
function checkSum(header: Uint8Array): void {
  let sum = 8 * 32
  for (let i = 0; i < BLOCK; i++) if (i < 148 || i >= 156) sum += header[i]!
  if (sum !== numberAt(header, 148, 8)) throw tarErrors.E_TAR('a header whose sum is wrong')
}

/** Octal digits; or, after a first byte of 0x80, a big-endian number. */
function numberAt(header: Uint8Array, at: number, width: number): number {
  const field = Buffer.from(header.subarray(at, at + width))
  const value = field[0] === 0x80 ? Number(field.readBigUInt64BE(width - 8)) : Number.parseInt(textOf(field).trim() || '0', 8)
  if (!Number.isSafeInteger(value) || value < 0) throw tarErrors.E_TAR('a number that is none')
  return value
}

/** The same of a field that may have no number in it. */
function octalAt(header: Uint8Array, at: number, width: number): number | undefined {
  const text = textOf(header.subarray(at, at + width)).trim()
  return /^[0-7]+$/.test(text) ? Number.parseInt(text, 8) : undefined
}

function nameOf(header: Uint8Array): string {
  const name = textOf(header.subarray(0, 100))
  const isUstar = Buffer.from(header.subarray(257, 263)).toString('latin1') === 'ustar\0'
  const prefix = isUstar ? textOf(header.subarray(345, 500)) : ''
  return prefix === '' ? name : `${prefix}/${name}`
}

function textOf(field: Uint8Array): string {
  const end = field.indexOf(0)
  return decodeUtf8(end < 0 ? field : field.subarray(0, end))
}

/** `LENGTH KEY=VALUE\n`, again and again. */
function recordsOf(bytes: Uint8Array): Extended {
  const found: Extended = {}
  for (let at = 0; at < bytes.length; ) {
    const space = bytes.indexOf(32, at)
    const length = Number(Buffer.from(bytes.subarray(at, space)).toString('latin1'))
    if (space < 0 || !Number.isInteger(length) || length <= space - at || at + length > bytes.length)
      throw tarErrors.E_TAR('an extended header that is none')
    const record = bytes.subarray(space + 1, at + length - 1)
    const equals = record.indexOf(61)
    const key = textOf(record.subarray(0, equals))
    const value = record.subarray(equals + 1)
    if (key === 'path') found.path = decodeUtf8(value)
    else if (key === 'linkpath') found.target = decodeUtf8(value)
    else if (key === 'mtime' && Number.isFinite(Number(textOf(value)))) found.mtime = Number(textOf(value))
    else if (key === 'size') found.size = Number(textOf(value))
    at += length
  }
  if (found.size !== undefined && (!Number.isSafeInteger(found.size) || found.size < 0)) throw tarErrors.E_TAR('a size that is no number')
  return found
}

/** Takes bytes off a stream in pieces of a wanted length. */
class Reader {
  readonly #source: AsyncIterator<Uint8Array>
  #held: Uint8Array = new Uint8Array(0)

  constructor(source: AsyncIterable<Uint8Array>) {
    this.#source = source[Symbol.asyncIterator]()
  }

  /** As many bytes as are there, at least one, `most` at most. */
  async some(most: number): Promise<Uint8Array> {
    while (this.#held.length === 0) {
      const { done, value } = await this.#source.next()
      if (done) throw tarErrors.E_TAR('it ends early')
      this.#held = value
    }
    const piece = this.#held.subarray(0, most)
    this.#held = this.#held.subarray(piece.length)
    return piece
  }

  async take(length: number): Promise<Uint8Array> {
    const pieces: Uint8Array[] = []
    for (let left = length; left > 0; ) {
      const piece = await this.some(left)
      pieces.push(piece)
      left -= piece.length
    }
    return pieces.length === 1 ? pieces[0]! : Buffer.concat(pieces)
  }

  async skip(length: number): Promise<void> {
    for (let left = length; left > 0; ) left -= (await this.some(left)).length
  }

  async drain(): Promise<void> {
    this.#held = new Uint8Array(0)
    while ((await this.#source.next()).done !== true);
  }
}
