import { Readable } from 'node:stream'
import { deflateSync } from 'node:zlib'
import { dagCbor } from '../../../core/dag/cbor.ts'
import { gitRaw, gitZlib } from '../../../core/dag/git.ts'
import { dagJson } from '../../../core/dag/json.ts'
import { parseFloat64 } from '../../../core/go/number.ts'
import { decodeUtf8, encodeUtf8 } from '../../../core/go/utf8.ts'
import type { Codec } from '../../../core/index.ts'
import { membersOf } from '../../../host/cli/save/tar.ts'
import { culpritOf } from '../../../host/plugins/culprit.ts'

/** Something that reads what others wrote, and an input that might cost it more than its size. */
export interface Decoder {
  readonly name: string
  /** An input of about `size` bytes. */
  input(size: number): Uint8Array
  read(input: Uint8Array): unknown
}

const latin1 = (text: string) => Buffer.from(text, 'latin1')
const textOf = (bytes: Uint8Array) => Buffer.from(bytes).toString('latin1')

/** `unit` again and again between `before` and `after`. */
function repeated(unit: string, before = '', after = ''): Decoder['input'] {
  return size => latin1(before + unit.repeat(Math.ceil(size / unit.length)) + after)
}

function git(type: string, unit: string, before = '', after = ''): Decoder['input'] {
  return size => {
    const content = repeated(unit, before, after)(size)
    return Buffer.concat([latin1(`${type} ${content.length}\0`), content])
  }
}

/** A CBOR text or list that goes on for `count` bytes or entries. */
function cbor(major: 'text' | 'list', count: number, content: Uint8Array): Uint8Array {
  const head = Buffer.from([major === 'text' ? 0x7a : 0x9a, 0, 0, 0, 0])
  head.writeUInt32BE(count, 1)
  return Buffer.concat([head, content])
}

/** What a caller is shown of a block, and where it leads. */
function shown(codec: Codec): Decoder['read'] {
  return bytes => [dagJson.encode!(codec.decode(bytes)), [...codec.links(bytes)]]
}

async function unpacked(archive: Uint8Array): Promise<void> {
  for await (const { bytes } of membersOf(Readable.from([archive]))) for await (const _ of bytes());
}

/** An archive of one folder, whose path of slashes stands in an extended header. */
function slashes(size: number): Uint8Array {
  const record = `${size} path=`
  const content = latin1(`${record}${'/'.repeat(size - record.length - 2)}x\n`)
  const padding = Buffer.alloc((512 - (content.length % 512)) % 512)
  return Buffer.concat([ustar('x', content.length), content, padding, ustar('5', 0), Buffer.alloc(1024)])
}

function ustar(flag: string, size: number): Buffer {
  const header = Buffer.alloc(512)
  header.write(`${size.toString(8).padStart(11, '0')}\0`, 124)
  header.write(`        ${flag}`, 148)
  const sum = header.reduce((all, byte) => all + byte, 0)
  header.write(`${sum.toString(8).padStart(6, '0')}\0`, 148)
  return header
}

export const decoders: readonly Decoder[] = [
  { name: 'a JSON number of digits and a bare exponent', input: repeated('1', '', 'e'), read: shown(dagJson) },
  { name: 'a number of digits and something else', input: repeated('1', '', 'x'), read: bytes => parseFloat64(textOf(bytes)) },
  { name: 'the author of a git commit without an end', input: git('commit', ' <', 'author a'), read: shown(gitRaw) },
  { name: 'a tar path of slashes', input: slashes, read: unpacked },
  { name: 'text that is no UTF-8', input: repeated('\xff'), read: bytes => encodeUtf8(decodeUtf8(bytes)) },
  { name: 'CBOR text that is no UTF-8', input: size => cbor('text', size, Buffer.alloc(size, 0xff)), read: shown(dagCbor) },
  { name: 'CBOR of empty maps', input: repeated('\xa0', '\x9f', '\xff'), read: shown(dagCbor) },
  { name: 'JSON of empty maps', input: size => latin1(`[${'{},'.repeat(size / 3)}]`), read: shown(dagJson) },
  { name: 'lines of a git commit', input: git('commit', 'x\n'), read: shown(gitRaw) },
  {
    name: 'a git object that was compressed',
    input: size => deflateSync(git('commit', 'x\n')(size)),
    read: bytes => gitZlib.decode(bytes)
  },
  {
    name: 'a stack with a place that never ends',
    input: repeated(':/\\', '\n    at '),
    read: bytes => culpritOf(failure(textOf(bytes)), [])
  }
]

function failure(stack: string): Error {
  const error = new Error()
  error.stack = stack
  return error
}
