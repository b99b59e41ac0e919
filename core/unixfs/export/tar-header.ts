import { isAscii } from 'node:buffer'
import { trimRight } from '../../go/trim.ts'
import { encodeUtf8 } from '../../go/utf8.ts'
import type { Mtime } from '../metadata.ts'
import { unixfsErrors } from './errors.ts'

/** Tar is written in blocks of this many bytes. */
export const TAR_BLOCK = 512

const NAME_SIZE = 100
const PREFIX_SIZE = 155
/** The first size that eleven octal digits cannot hold. */
const OCTAL_SIZES = 8n ** 11n

/** Type flags (POSIX.1-2001 pax). */
const flags = { file: '0', symlink: '2', directory: '5', extended: 'x' } as const
/** File mode bits that nodes without any of their own are given (Kubo 0.28, boxo/files). */
export const TAR_MODES = { file: 0o644, symlink: 0o777, directory: 0o777 } as const

interface TarEntry {
  readonly type: 'file' | 'directory' | 'symlink'
  readonly path: string
  /** Bytes that follow; 0 but for files. */
  readonly size: bigint
  /** Where a symlink leads. */
  readonly target?: Uint8Array
  /** Default: what nodes without any of their own are given. */
  readonly mode?: number
  readonly mtime: Mtime
}

/**
 * The header of an entry, as Go's archive/tar writes it: USTAR, and a pax header before it where a name is no ASCII or too long, or the
 * size too large.
 *
 * @throws E_TAR_HEADER for names and targets with a NUL, E_TAR_SIZE for negative sizes
 */
export function tarHeader({ type, path, size, target, mode = TAR_MODES[type], mtime }: TarEntry): Buffer {
  if (size < 0n) throw unixfsErrors.E_TAR_SIZE(path, size)
  const name = encodeUtf8(path)
  const link = target === undefined ? EMPTY : Buffer.from(target.buffer, target.byteOffset, target.byteLength)
  const split = fits(name, NAME_SIZE) ? { prefix: EMPTY, name } : splitPath(name)
  const records: Buffer[] = []
  if (name.includes(0)) throw unixfsErrors.E_TAR_HEADER(path, 'name')
  if (link.includes(0)) throw unixfsErrors.E_TAR_HEADER(path, 'target')
  if (!fits(link, NAME_SIZE)) records.push(paxRecord('linkpath', link))
  if (!fits(name, NAME_SIZE)) records.push(paxRecord('path', name))
  if (size >= OCTAL_SIZES) records.push(paxRecord('size', Buffer.from(String(size))))
  const isPlainTime = mtime.nanoseconds === 0 && mtime.seconds >= 0n && mtime.seconds < OCTAL_SIZES
  if (!isPlainTime) records.push(paxRecord('mtime', Buffer.from(paxTime(mtime))))
  const fields = { flag: flags[type], mode, size, mtime: timeField(mtime) }
  const plainUstar =
    isPlainTime && split !== undefined && (records.length === 0 || (records.length === 1 && fits(link, NAME_SIZE) && size < OCTAL_SIZES))
  if (plainUstar) return header({ ...fields, ...split, link })
  const pax = paxHeader(name, Buffer.concat(records))
  return Buffer.concat([pax, header({ ...fields, prefix: EMPTY, name: toAscii(name), link: toAscii(link) })])
}

const EMPTY = Buffer.alloc(0)

function fits(text: Buffer, size: number): boolean {
  return text.length <= size && isPlain(text)
}

function isPlain(text: Buffer): boolean {
  return isAscii(text) && !text.includes(0)
}

function toAscii(text: Buffer): Buffer {
  return isPlain(text) ? text : Buffer.from(text.filter(byte => byte < 0x80 && byte !== 0))
}

/** Splits a long ASCII path at a slash between USTAR's two fields for it, if it can be. */
function splitPath(path: Buffer): { prefix: Buffer; name: Buffer } | undefined {
  if (!isPlain(path)) return undefined
  let length = Math.min(path.length, PREFIX_SIZE + 1)
  if (length === path.length && path[length - 1] === 0x2f) length--
  const at = path.subarray(0, length).lastIndexOf(0x2f)
  const nameLength = path.length - at - 1
  if (at <= 0 || nameLength > NAME_SIZE || nameLength === 0 || at > PREFIX_SIZE) return undefined
  return { prefix: path.subarray(0, at), name: path.subarray(at + 1) }
}

/** `LENGTH KEY=VALUE\n`, the length counting its own digits. */
function paxRecord(key: string, value: Buffer): Buffer {
  const bare = value.length + Buffer.byteLength(key) + 3
  let length = bare + String(bare).length
  if (bare + String(length).length !== length) length = bare + String(length).length
  return Buffer.concat([Buffer.from(`${length} ${key}=`), value, Buffer.from('\n')])
}

/** Seconds with a fraction; below zero the fraction counts down, too. */
function paxTime({ seconds, nanoseconds }: Mtime): string {
  if (nanoseconds === 0) return String(seconds)
  const isNegative = seconds < 0n
  const whole = isNegative ? -(seconds + 1n) : seconds
  const fraction = String(isNegative ? 1_000_000_000 - nanoseconds : nanoseconds).padStart(9, '0')
  return `${isNegative ? '-' : ''}${whole}.${trimRight(fraction, '0')}`
}

/** The time in the field for it, which holds no other than these; the pax record has the whole of it. */
function timeField({ seconds }: Mtime): number {
  return seconds < 0n || seconds >= OCTAL_SIZES ? 0 : Number(seconds)
}

function paxHeader(path: Buffer, records: Buffer): Buffer {
  const at = path.lastIndexOf(0x2f) + 1
  const whole = toAscii(Buffer.concat([path.subarray(0, at), Buffer.from('PaxHeaders.0/'), path.subarray(at)]))
  const name = Buffer.from(trimRight(whole.toString('latin1', 0, NAME_SIZE), '/'), 'latin1')
  const fields = { flag: flags.extended, mode: 0, size: BigInt(records.length), mtime: 0, prefix: EMPTY, link: EMPTY }
  return Buffer.concat([header({ ...fields, name }), records, Buffer.alloc(padding(BigInt(records.length)))])
}

/** Zero bytes that fill up the last block of `size` bytes. */
export function padding(size: bigint): number {
  return Number(-size & BigInt(TAR_BLOCK - 1))
}

interface Fields {
  readonly flag: string
  readonly mode: number
  readonly size: bigint
  readonly mtime: number
  readonly prefix: Buffer
  readonly name: Buffer
  readonly link: Buffer
}

/** Offsets and widths of a USTAR header's fields. */
function header({ flag, mode, size, mtime, prefix, name, link }: Fields): Buffer {
  const block = Buffer.alloc(TAR_BLOCK)
  text(block, 0, NAME_SIZE, name)
  octal(block, 100, 8, mode)
  octal(block, 108, 8, 0)
  octal(block, 116, 8, 0)
  octal(block, 124, 12, size < OCTAL_SIZES ? Number(size) : 0)
  octal(block, 136, 12, mtime)
  block.write('        ', 148, 'latin1')
  block.write(flag, 156, 'latin1')
  text(block, 157, NAME_SIZE, link)
  block.write('ustar\x0000', 257, 'latin1')
  if (flag !== flags.extended) {
    octal(block, 329, 8, 0)
    octal(block, 337, 8, 0)
  }
  text(block, 345, PREFIX_SIZE, prefix)
  let sum = 0
  for (let i = 0; i < TAR_BLOCK; i++) sum += block[i]!
  octal(block, 148, 7, sum)
  return block
}

function octal(block: Buffer, at: number, width: number, value: number): void {
  block.write(value.toString(8).padStart(width - 1, '0'), at, 'latin1')
  block[at + width - 1] = 0
}

/** Cut to the field; one that ends in a slash because of that loses it, so that no reader takes a file for a directory. */
function text(block: Buffer, at: number, width: number, value: Buffer): void {
  value.copy(block, at, 0, width)
  if (value.length > width) for (let i = width - 1; i >= 0 && block[at + i] === 0x2f; i--) block[at + i] = 0
}
