import { Readable } from 'node:stream'
import { deflateSync } from 'node:zlib'
import { decodeHeader } from '../../../core/car/header.ts'
import { readCar } from '../../../core/car/reader.ts'
import { base32Lower, decodeMultibase, encodeMultibase, type Multibase, multibases } from '../../../core/cid/bases.ts'
import { parseCid } from '../../../core/cid/parse.ts'
import { cbor as cborCodec, dagCbor } from '../../../core/dag/codecs/cbor/cbor.ts'
import { dagPb } from '../../../core/dag/codecs/dag-pb.ts'
import { dagJose } from '../../../core/dag/codecs/jose.ts'
import { openPb } from '../../../core/dag/pb.ts'
import { parseBytes } from '../../../core/go/bytes.ts'
import { parseDuration } from '../../../core/go/duration.ts'
import { parseFloat64, parseInteger } from '../../../core/go/number.ts'
import { parseQuery } from '../../../core/go/query.ts'
import { decodeUtf8, encodeUtf8 } from '../../../core/go/utf8.ts'
import type { Codec } from '../../../core/index.ts'
import { decodeKey } from '../../../core/keys/encoding.ts'
import { parsePeerId } from '../../../core/keys/peer-id.ts'
import { parseContentPath } from '../../../core/path/parse.ts'
import { membersOf } from '../../../core/tar/reader.ts'
import { parseChunker } from '../../../core/unixfs/chunker/spec.ts'
import { decodeUnixFs } from '../../../core/unixfs/export/data.ts'
import { typedLine } from '../../../host/cli/completion/shell-words.ts'
import { foldName } from '../../../host/cli/save/fold.ts'
import { parseLines } from '../../../host/client/json.ts'
import { culpritOf } from '../../../host/plugins/load/culprit.ts'
import { printable } from '../../../host/printable.ts'
import { parseMediaType } from '../../../host/rpc/upload/media-type.ts'
import { quotedPrintable } from '../../../host/rpc/upload/quoted-printable.ts'
import { Splitter } from '../../../host/rpc/upload/splitter.ts'
import { formatCid } from '../../../plugins/cid/format.ts'
import { dagJson, gitRaw, gitZlib } from '../../core/dag/codecs.ts'

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

function failure(stack: string): Error {
  const error = new Error()
  error.stack = stack
  return error
}

/** What reads a text; bytes are its characters. */
function reads(read: (text: string) => unknown): Decoder['read'] {
  return bytes => read(textOf(bytes))
}

/** Reads a stream that comes in pieces as a socket has them. */
async function drained(bytes: Uint8Array, read: (source: AsyncIterable<Uint8Array>) => AsyncIterable<unknown>): Promise<void> {
  for await (const _ of read(Readable.from(pieces(bytes))));
}

function* pieces(bytes: Uint8Array): Generator<Uint8Array> {
  for (let at = 0; at < bytes.length; at += PIECE) yield bytes.subarray(at, at + PIECE)
}

const PIECE = 4096

function split(body: Uint8Array): void {
  const nothing = () => {}
  const events = { part: nothing, data: nothing, partEnd: nothing, end: nothing, fail: nothing }
  const splitter = new Splitter('b', events, { parts: 1_000_000, partHeaderBytes: 16_384 })
  for (const piece of pieces(body)) splitter.write(Buffer.from(piece))
  splitter.end()
}

async function imported(source: AsyncIterable<Uint8Array>): Promise<AsyncIterable<unknown>> {
  const car = await readCar(source)
  return car.blocks()
}

function named(bytes: Uint8Array): void {
  const node = openPb(bytes)
  for (let i = 0; i < node.length; i++) [node.cid(i), node.name(i), node.size(i)]
}

/** Numbers in base 36 and 58 take longer the longer they are, and so may have only so many digits (`E_MULTIBASE_LENGTH`). */
function isLinear({ name }: Multibase): boolean {
  return !/^base(?:36|58)/.test(name)
}

/** A map of as many keys as there is room for, each of them another one. */
function keys(size: number): string {
  return Array.from({ length: Math.floor(size / 10) }, (_, i) => `"${i.toString(36).padStart(6, '0')}":0`).join(',')
}

/** A git tree of as many entries. */
function entries(size: number): Uint8Array {
  const content = Array.from({ length: Math.floor(size / 27) }, (_, i) => `1 ${i.toString(36).padStart(4, '0')}\0${'h'.repeat(20)}`).join(
    ''
  )
  return latin1(`tree ${content.length}\0${content}`)
}

const RAW_LINK = '\x01\x55\x00\x00'
const PB_LINK = `\x12\x06\x0a\x04${RAW_LINK}`
const CBOR_LINK = `\xd8\x2a\x45\x00${RAW_LINK}`
const CAR_HEADER = '\x11\xa2\x65roots\x80\x67version\x01'

const formats: readonly Decoder[] = [
  { name: 'a JSON number of digits and a bare exponent', input: repeated('1', '', 'e'), read: shown(dagJson) },
  { name: 'JSON of empty maps', input: repeated('{},', '[', ']'), read: shown(dagJson) },
  { name: 'JSON maps in maps', input: repeated('{"/":', '', '1'), read: shown(dagJson) },
  { name: 'JSON text of escapes', input: repeated('\\ud800', '"', '"'), read: shown(dagJson) },
  { name: 'JSON that is no link but for its end', input: repeated('{"/":"/"},', '[', '{}'), read: shown(dagJson) },
  { name: 'JSON keys', input: size => latin1(`{${keys(size)}}`), read: shown(dagJson) },
  { name: 'CBOR text that is no UTF-8', input: size => cbor('text', size, Buffer.alloc(size, 0xff)), read: shown(dagCbor) },
  { name: 'CBOR of empty maps', input: repeated('\xa0', '\x9f', '\xff'), read: shown(dagCbor) },
  { name: 'CBOR lists in lists', input: repeated('\x81', '', '\x80'), read: bytes => dagCbor.decode(bytes) },
  { name: 'CBOR bytes in pieces', input: repeated('\x41a', '\x5f', '\xff'), read: shown(dagCbor) },
  { name: 'CBOR links', input: repeated(CBOR_LINK, '\x9f', '\xff'), read: shown(dagCbor) },
  { name: 'CBOR tags', input: repeated('\xc0\x00', '\x9f', '\xff'), read: shown(cborCodec) },
  {
    name: 'dag-jose signatures',
    input: repeated('\xa0', `\xa2\x67payload\x44${RAW_LINK}\x6asignatures\x9f`, '\xff'),
    read: shown(dagJose)
  },
  { name: 'dag-pb links', input: repeated(PB_LINK), read: bytes => [...dagPb.links(bytes)] },
  { name: 'dag-pb links as values', input: repeated(PB_LINK), read: bytes => dagPb.decode(bytes) },
  { name: 'dag-pb names that are no UTF-8', input: repeated(`\x12\x0a\x0a\x04${RAW_LINK}\x12\x02\xff\xff`), read: named },
  { name: 'dag-pb links without a hash', input: repeated('\x12\x00'), read: named },
  { name: 'sizes of UnixFS blocks', input: repeated('\x20\x01', '\x08\x02'), read: bytes => decodeUnixFs(bytes).blockSizes() },
  { name: 'UnixFS data again and again', input: repeated('\x12\x00', '\x08\x02'), read: bytes => decodeUnixFs(bytes) },
  { name: 'the author of a git commit without an end', input: git('commit', ' <', 'author a'), read: shown(gitRaw) },
  { name: 'lines of a git commit', input: git('commit', 'x\n'), read: shown(gitRaw) },
  { name: 'tags in a git commit', input: git('commit', `mergetag object ${'a'.repeat(40)}\n`), read: shown(gitRaw) },
  { name: 'entries of a git tree', input: entries, read: shown(gitRaw) },
  {
    name: 'a git object that was compressed',
    input: size => deflateSync(git('commit', 'x\n')(size)),
    read: bytes => gitZlib.decode(bytes)
  },
  { name: 'roots of a CAR', input: repeated(CBOR_LINK, '\xa1\x65roots\x9f', '\xff'), read: bytes => decodeHeader(bytes, 65_536) },
  {
    name: 'sections of a CAR',
    input: repeated(`\x04${RAW_LINK}`, CAR_HEADER),
    read: bytes =>
      drained(bytes, async function* (source) {
        yield* await imported(source)
      })
  },
  { name: 'a tar path of slashes', input: slashes, read: unpacked },
  { name: 'a key of many fields', input: repeated('\x08\x01'), read: bytes => decodeKey(bytes, 'PrivateKey') }
]

const texts: readonly Decoder[] = [
  { name: 'text that is no UTF-8', input: repeated('\xff'), read: bytes => encodeUtf8(decodeUtf8(bytes)) },
  { name: 'a number of digits and something else', input: repeated('1', '', 'x'), read: reads(parseFloat64) },
  { name: 'a hexadecimal number without a power', input: repeated('1', '0x'), read: reads(parseFloat64) },
  { name: 'an integer of zeros', input: repeated('0', '', 'x'), read: reads(text => parseInteger(text, 64, true, 10)) },
  { name: 'an integer of underscores', input: repeated('_', '1'), read: reads(parseInteger) },
  { name: 'a size of points', input: repeated('.,', '1'), read: reads(parseBytes) },
  { name: 'a duration of no time', input: repeated('0s'), read: reads(parseDuration) },
  { name: 'a query of ampersands', input: repeated('a=%41&'), read: reads(parseQuery) },
  { name: 'a path of points', input: repeated('a/../', '/ipfs/bafkqaaa/'), read: reads(parseContentPath) },
  { name: 'a path of slashes', input: repeated('/'), read: reads(parseContentPath) },
  { name: 'a chunker of digits', input: repeated('9', 'rabin-'), read: reads(parseChunker) },
  { name: 'a peer ID of ones', input: repeated('1'), read: reads(parsePeerId) },
  ...multibases.filter(isLinear).map(base => ({
    name: `text in ${base.name}`,
    input: (size: number) => Buffer.from(encodeMultibase(base, Buffer.alloc(size / 8, 0x5a))),
    read: (bytes: Uint8Array) => decodeMultibase(bytes)
  })),
  { name: 'a CID of padding', input: repeated('=', 'b'), read: reads(parseCid) },
  { name: 'a format of signs', input: repeated('%%'), read: reads(text => formatCid(text, base32Lower, parseCid('bafkqaaa'), 1 << 21)) },
  { name: 'multipart lines that are nearly a boundary', input: repeated('\r\n--', '--b\r\n\r\n', '\r\n--b--'), read: split },
  { name: 'multipart parts', input: repeated('--b\r\n\r\n\r\n', '', '--b--'), read: split },
  { name: 'a media type of parameters', input: repeated(' ', 'form-data;'), read: reads(parseMediaType) },
  {
    name: 'a parameter in pieces',
    input: size => latin1(`a${Array.from({ length: size / 10 }, (_, i) => `;a*${i}=b`).join('')}`),
    read: reads(parseMediaType)
  },
  { name: 'quoted-printable blanks', input: repeated(' ', '', '\n'), read: bytes => drained(bytes, quotedPrintable) },
  { name: 'quoted-printable escapes', input: repeated('=41=\r\n'), read: bytes => drained(bytes, quotedPrintable) },
  { name: 'lines of an answer', input: repeated('{}\n'), read: bytes => drained(bytes, parseLines) },
  { name: 'an answer in one line', input: repeated('1,', '[', '1]'), read: bytes => drained(bytes, parseLines) },
  { name: 'text that does not print', input: repeated('\x1b'), read: reads(printable) },
  { name: 'a line of backslashes', input: repeated('\\"'), read: reads(typedLine) },
  { name: 'a name that is folded', input: repeated('. :', 'a'), read: reads(text => foldName(text, '\\')) },
  { name: 'a stack with a place that never ends', input: repeated(':/\\', '\n    at '), read: reads(text => culpritOf(failure(text), [])) }
]

/** Everything here that reads what others wrote. */
export const decoders: readonly Decoder[] = [...formats, ...texts]
