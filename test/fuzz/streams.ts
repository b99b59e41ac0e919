import assert from 'node:assert/strict'
import fc from 'fast-check'
import { CID } from 'multiformats/cid'
import { identity } from 'multiformats/hashes/identity'
import { extract, type Header } from 'tar-stream'
import { readCar } from '../../core/car/reader.ts'
import { writeCar } from '../../core/car/writer.ts'
import { sumCid } from '../../core/cid/sum.ts'
import type { NodeLinks } from '../../core/dag/node-links.ts'
import { NodeError } from '../../core/errors.ts'
import { Chunks, parseChunker } from '../../core/unixfs/chunker/index.ts'
import { readShard, type Shard, slotAt } from '../../core/unixfs/export/hamt.ts'
import { padding, tarHeader } from '../../core/unixfs/export/tar-header.ts'
import { hashOfName } from '../../core/unixfs/hash-of-name.ts'
import { LeafPool } from '../../core/unixfs/import/memory.ts'
import { HeaderReader } from '../../host/rpc/upload/header.ts'
import { parseMediaType, typeOnly } from '../../host/rpc/upload/media-type.ts'
import { quotedPrintable } from '../../host/rpc/upload/quoted-printable.ts'
import { Splitter } from '../../host/rpc/upload/splitter.ts'
import { gathered } from '../helpers/streams.ts'
import { attempt, bytesAmong, cutAt, type Fuzz, fuzz, same, stream, textAmong } from './fuzz.ts'

const places = fc.array(fc.nat(5000), { maxLength: 6 })

/** What a splitter says of pieces, one character a byte. */
function said(pieces: readonly Uint8Array[]): string {
  let all = ''
  const say = (text: string) => {
    all += text
  }
  const events = {
    part: (header: object) => say(`{${JSON.stringify(header)}}`),
    data: (bytes: Buffer) => say(bytes.toString('latin1')),
    partEnd: (error?: Error) => say(error === undefined ? '|' : `!${error.message}|`),
    end: () => say('.'),
    fail: (error: Error) => {
      assert.ok(error instanceof NodeError)
      say(`!!${error.message}`)
    }
  }
  const splitter = new Splitter('e', events, { parts: 5, partHeaderBytes: 100 })
  for (const piece of pieces) splitter.write(Buffer.from(piece))
  splitter.end()
  return all
}

/** What a decoder of streams makes of pieces, or the code of its error. */
async function decoded(
  decode: (source: AsyncIterable<Uint8Array>) => AsyncIterable<Uint8Array>,
  pieces: readonly Uint8Array[]
): Promise<string> {
  try {
    return (await gathered(decode(stream(pieces)))).toString('latin1')
  } catch (error) {
    if (error instanceof NodeError) return error.code
    throw error
  }
}

async function blocksOf(pieces: readonly Uint8Array[]): Promise<string> {
  const found: string[] = []
  try {
    const car = await readCar(stream(pieces), { maxHeader: 1000, maxSection: 1000, maxRoots: 10 })
    found.push(String(car.version), ...car.roots.map(String))
    for await (const { cid, bytes } of car.blocks()) found.push(String(cid), Buffer.from(bytes).toString('hex'))
  } catch (error) {
    if (!(error instanceof NodeError)) throw error
    found.push(error.code)
  }
  return found.join(' ')
}

const BODY = ['--e', '--e--', '\r\n', '\n', '\r', ' ', 'A: 1', 'Content-Type: x', ':', '--', 'data', '\r\n--e', '\r\n\r\n']
const MEDIA = ['form-data', ';', '=', '"', '\\', 'filename', '*', '0', "utf-8''", '%41', '%', ' ', 'text/plain', '/', 'a']
const CAR = [0x3a, 0xa2, 0x65, 0x67, 0x01, 0x0a, 0x55, 0x00, 0x04, 0x80, 0xff, 0x12, 0x20]
const block = fc.uint8Array({ maxLength: 60 }).map(bytes => ({ cid: sumCid({ version: 1, codec: 0x55, hash: 0x12 }, bytes), bytes }))
const tarName = fc.oneof(
  fc.string({ minLength: 1, maxLength: 30 }),
  fc.string({ unit: 'grapheme', minLength: 1, maxLength: 120 }),
  textAmong(['a/', 'b', '../', 'x'.repeat(90), 'é', '/'], 6)
)

async function headersOf(bytes: Buffer): Promise<Header[]> {
  const found: Header[] = []
  const reader = extract()
  reader.end(Buffer.concat([bytes, Buffer.alloc(1024)]))
  for await (const entry of reader) {
    found.push(entry.header)
    entry.resume()
  }
  return found
}

export const streams: readonly Fuzz[] = [
  fuzz(
    'multipart: any body is split the same in any pieces',
    fc.tuple(
      textAmong(BODY, 20).map(text => Buffer.from(text)),
      places
    ),
    ([body, cuts]) => {
      same(said(cutAt(body, cuts)), said([body]))
    }
  ),
  fuzz(
    'multipart: header lines are read or refused',
    fc.array(textAmong(['A', ':', ' ', '\t', 'b', '(', '\x01', 'Content-Type'], 5), { maxLength: 5 }),
    lines => {
      attempt(() => {
        const reader = new HeaderReader()
        for (const line of lines) reader.line(line)
      })
    }
  ),
  fuzz('media type: any text is read or refused, and its type alone the same', textAmong(MEDIA, 14), text => {
    const whole = attempt(() => parseMediaType(text))
    if (whole !== undefined) same(typeOnly(text), whole.type)
  }),
  fuzz(
    'quoted-printable: any text is read or refused, whole lines in any pieces the same',
    fc.tuple(
      textAmong(['=', '=3D', '\r\n', '\n', ' ', '\t', 'a', '=\r\n', 'é'], 16).map(text => Buffer.from(text)),
      places
    ),
    async ([body, cuts]) => {
      same(await decoded(quotedPrintable, cutAt(body, cuts)), await decoded(quotedPrintable, [body]))
    }
  ),
  fuzz(
    'chunkers: chunks are the bytes, and the same in any pieces',
    fc.tuple(
      fc.constantFrom('size-1', 'size-100', 'rabin-16-32-64', 'rabin-100', 'buzhash', 'size-5000'),
      fc.uint8Array({ maxLength: 2000 }),
      places
    ),
    async ([spec, bytes, cuts]) => {
      const cut = async (pieces: readonly Uint8Array[]) => {
        const sizes: number[] = []
        const all: Buffer[] = []
        const chunks = new Chunks(stream(pieces), parseChunker(spec)(), new LeafPool())
        for (let chunk = await chunks.next(); chunk !== undefined; chunk = await chunks.next()) {
          const { buffer, size } = chunk
          all.push(Buffer.from(buffer.bytes.subarray(buffer.start, buffer.start + size)))
          sizes.push(size)
          buffer.release?.()
        }
        return { sizes, bytes: Buffer.concat(all) }
      }
      const whole = await cut([bytes])
      same(whole.bytes, Buffer.from(bytes))
      same(await cut(cutAt(bytes, cuts)), whole)
    },
    0.05
  ),
  fuzz(
    'chunkers: any name is one or refused',
    textAmong(['size-', 'rabin', '-', 'min:', 'avg:', 'max:', '16', '1', '999999999999', 'buzhash', 'default'], 7),
    text => {
      attempt(() => parseChunker(text)())
    }
  ),
  fuzz(
    'CAR: any bytes are read or refused, the same in any pieces',
    fc.tuple(bytesAmong(CAR, 120), places),
    async ([bytes, cuts]) => {
      same(await blocksOf(cutAt(bytes, cuts)), await blocksOf([bytes]))
    },
    0.3
  ),
  fuzz(
    'CAR: blocks come back, in any pieces',
    fc.tuple(fc.array(block, { maxLength: 6 }), places),
    async ([blocks, cuts]) => {
      const roots: CID[] = blocks.slice(0, 2).map(({ cid }) => cid)
      const given = (async function* () {
        yield* blocks
      })()
      const file = await gathered(writeCar(roots, given))
      const known = ['1', ...roots.map(String), ...blocks.flatMap(({ cid, bytes }) => [String(cid), Buffer.from(bytes).toString('hex')])]
      same(await blocksOf(cutAt(file, cuts)), known.join(' '))
    },
    0.2
  ),
  fuzz(
    'CAR: a file that is cut off is refused, and its blocks are those that were whole',
    fc.tuple(fc.array(block, { minLength: 1, maxLength: 4 }), fc.nat()),
    async ([blocks, at]) => {
      const given = (async function* () {
        yield* blocks
      })()
      const file = await gathered(writeCar([blocks[0]!.cid], given))
      const part = await blocksOf([file.subarray(0, at % file.length)])
      const whole = await blocksOf([file])
      const words = part.split(' ')
      if (words.at(-1)?.startsWith('E_')) words.pop()
      assert.ok(whole.startsWith(words.join(' ')), part)
    },
    0.2
  ),
  fuzz(
    'tar: tar-stream reads what was written',
    fc.record({
      type: fc.constantFrom('file', 'directory', 'symlink'),
      path: tarName,
      size: fc.bigInt({ min: 0n, max: 2n ** 40n }),
      target: fc.uint8Array({ maxLength: 150 })
    }),
    async ({ type, path, size, target }) => {
      const header = attempt(() =>
        tarHeader({
          type: type as 'file',
          path,
          size: 0n,
          target: type === 'symlink' ? target : undefined,
          mtime: { seconds: 1n, nanoseconds: 0 }
        })
      )
      if (header === undefined) return
      same(header.length % 512, 0)
      same((Number(size % 512n) + padding(size)) % 512, 0)
      const [found] = await headersOf(header)
      if (path.isWellFormed() && !path.includes('\0')) same(found!.name.replace(/\/$/, ''), path.replace(/\/$/, ''))
    },
    0.1
  ),
  fuzz('HAMT: the reader looks where the writer puts', fc.string({ unit: 'binary', maxLength: 30 }), name => {
    const shard = { bits: 8 } as Shard
    const hash = hashOfName(name)
    same(
      Array.from({ length: 8 }, (_, level) => slotAt(shard, hash, 8 * level)),
      [...hash]
    )
    same(slotAt(shard, hash, 64), undefined)
  }),
  fuzz(
    'HAMT: any shard is taken or refused',
    fc.record({
      type: fc.constantFrom(5, 1),
      hashType: fc.constantFrom(0x22, 0x12, undefined),
      fanout: fc.oneof(fc.constantFrom(8, 256, 1024, 2048, 0, 3), fc.maxSafeNat()),
      data: fc.uint8Array({ maxLength: 40 })
    }),
    fields => {
      const size = { fileSize: 0, size: 0, children: 0, blockSizes: () => [], exactBlockSizes: () => [] }
      const node = { length: fields.data.reduce((bits, byte) => bits + byte.toString(2).replaceAll('0', '').length, 0) } as NodeLinks
      const shard = attempt(() => readShard({ ...fields, ...size }, node, CID.createV1(0x70, identity.digest(fields.data))))
      if (shard !== undefined) assert.ok(shard.fanout <= 1024 && 2 ** shard.bits === shard.fanout)
    }
  )
]
