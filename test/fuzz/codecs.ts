import * as theirCbor from '@ipld/dag-cbor'
import * as theirPb from '@ipld/dag-pb'
import fc from 'fast-check'
import { CID } from 'multiformats/cid'
import { cbor, dagCbor } from '../../core/dag/codecs/cbor/cbor.ts'
import { dagPb } from '../../core/dag/codecs/dag-pb.ts'
import { dagJose } from '../../core/dag/codecs/jose.ts'
import { kindOf, type Node, plain } from '../../core/dag/model.ts'
import { openPb, readPb } from '../../core/dag/pb.ts'
import type { Codec } from '../../core/services/content/dag.ts'
import { decodeUnixFs } from '../../core/unixfs/export/data.ts'
import { dagJson, gitRaw, gitZlib, json } from '../core/dag/codecs.ts'
import { JSON_PIECES } from '../core/dag/json-pieces.ts'
import { cids, nodes } from '../core/dag/samples.ts'
import { unixfs } from '../core/unixfs/export/blocks.ts'
import { attempt, bytesAmong, type Fuzz, fuzz, outcome, same, textAmong } from './fuzz.ts'

const ascii = (text: string) => Uint8Array.from(Buffer.from(text, 'latin1'))

/** What was read is written, read again and written again: the second writing says what the first did. */
function settles(codec: Codec, bytes: Uint8Array): void {
  const node = attempt(() => codec.decode(bytes))
  if (node === undefined) return
  const written = attempt(() => codec.encode!(node as Node))
  if (written === undefined) return
  const again = codec.encode!((codec.parse ?? codec.decode)(written) as Node)
  same(Buffer.from(again), Buffer.from(written))
}

/** The links of a block are the CIDs in its value. */
function linksAgree(codec: Codec, bytes: Uint8Array): void {
  const node = attempt(() => codec.decode(bytes) as Node)
  const links = attempt(() => [...codec.links(bytes)].map(({ cid }) => String(cid)))
  same(links === undefined, node === undefined)
}

const CBOR = [0x80, 0x81, 0x9f, 0xa1, 0xbf, 0xd8, 0x2a, 0x58, 0x5f, 0x7f, 0x61, 0x18, 0x1b, 0xff, 0xf9, 0xfb, 0xf6, 0x00]
const cborBytes = bytesAmong(CBOR, 30)

/** A value as the ecosystem's dag-cbor has it: our CIDs and maps, its own integers. */
function theirs(node: Node): unknown {
  const value = plain(node)
  if (typeof value === 'bigint')
    return value >= BigInt(Number.MIN_SAFE_INTEGER) && value <= BigInt(Number.MAX_SAFE_INTEGER) ? Number(value) : value
  if (Array.isArray(value)) return value.map(theirs)
  if (value instanceof Map) return Object.fromEntries([...value].map(([key, one]) => [key, theirs(one)]))
  return kindOf(node) === 'link' ? CID.decode((value as CID).bytes) : value
}

/** Whether the ecosystem's library takes such a value: it has no lone surrogates, and `__proto__` is not a key like others to it. */
function isCommon(node: Node): boolean {
  const value = plain(node)
  if (typeof value === 'string') return value.isWellFormed()
  if (typeof value === 'number') return Number.isFinite(value) && !Number.isInteger(value)
  if (Array.isArray(value)) return value.every(isCommon)
  if (value instanceof Map) return [...value].every(([key, one]) => key !== '__proto__' && key.isWellFormed() && isCommon(one))
  return true
}
const PB = [0x0a, 0x12, 0x18, 0x08, 0x20, 0x28, 0x30, 0x01, 0x55, 0x00, 0x02, 0x04, 0x80, 0xff]
const GIT = [
  'blob 5\0hello',
  'tree 0\0',
  'commit 10\0',
  'tag 5\0',
  '\0',
  '\n',
  ' ',
  'tree ',
  'parent ',
  'author ',
  'A <a> 1 +0',
  'a'.repeat(40),
  'object ',
  'gpgsig ',
  '100644 a\0',
  'x'.repeat(20)
]
const pbLinks = fc.array(fc.record({ Hash: cids, Name: fc.string({ unit: 'grapheme', maxLength: 6 }), Tsize: fc.nat() }), { maxLength: 5 })

export const codecs: readonly Fuzz[] = [
  fuzz('dag-cbor: any bytes are read or refused, and what is read settles', cborBytes, bytes => settles(dagCbor, bytes)),
  fuzz('cbor: any bytes are read or refused, and what is read settles', cborBytes, bytes => settles(cbor, bytes)),
  fuzz('dag-cbor: links are found where the value is read', cborBytes, bytes => linksAgree(dagCbor, bytes)),
  fuzz('dag-cbor: a value comes back', nodes, node => {
    const bytes = dagCbor.encode!(node)
    same(Buffer.from(dagCbor.encode!(dagCbor.decode(bytes) as Node)), Buffer.from(bytes))
  }),
  fuzz('dag-cbor: writes what @ipld/dag-cbor writes', nodes.filter(isCommon), node => {
    same(Buffer.from(dagCbor.encode!(node)), Buffer.from(theirCbor.encode(theirs(node) as never)))
  }),
  fuzz('dag-cbor: reads all that @ipld/dag-cbor reads', cborBytes, bytes => {
    let known: unknown
    try {
      known = theirCbor.decode(bytes)
    } catch {
      return
    }
    // the reference takes no integer below -2^63
    if (outcome(() => dagCbor.decode(bytes)) === 'E_CBOR_NEGATIVE') return
    const node = dagCbor.decode(bytes) as Node
    if (isCommon(node)) same(theirs(node), known)
  }),
  fuzz('dag-json: any text is read or refused, and what is read settles', textAmong(JSON_PIECES, 25).map(ascii), bytes =>
    settles(dagJson, bytes)
  ),
  fuzz('dag-json: any bytes are read or refused', bytesAmong(Array.from('{}[]":,\\u/0-.e', char => char.charCodeAt(0))), bytes =>
    settles(dagJson, bytes)
  ),
  fuzz('json: any text is read or refused, and what is read settles', textAmong(JSON_PIECES, 25).map(ascii), bytes => settles(json, bytes)),
  fuzz('dag-json: a value comes back', nodes, node => {
    const bytes = attempt(() => dagJson.encode!(node))
    if (bytes !== undefined) settles(dagJson, bytes)
  }),
  fuzz('dag-pb: any bytes are read or refused, and what is read settles', bytesAmong(PB), bytes => settles(dagPb, bytes)),
  fuzz('dag-pb: a block opened has the links that are read, and by its names they are found', bytesAmong(PB), bytes => {
    const quick = attempt(() => openPb(bytes))
    if (quick === undefined) return
    const { links, data } = readPb(bytes)
    same(quick.length, links.length)
    same(quick.data && Buffer.from(quick.data), data && Buffer.from(data))
    links.forEach(({ cid, name = '', tsize = 0 }, i) => {
      same([String(quick.cid(i)), quick.name(i), BigInt(quick.size(i))], [String(cid), name, BigInt(tsize)])
    })
  }),
  fuzz(
    'dag-pb: reads what @ipld/dag-pb writes',
    fc.tuple(fc.option(fc.uint8Array({ maxLength: 20 }), { nil: undefined }), pbLinks),
    ([Data, Links]) => {
      const bytes = theirPb.encode(
        theirPb.prepare({ ...(Data && { Data }), Links: Links.map(link => ({ ...link, Hash: CID.decode(link.Hash.bytes) })) } as never)
      )
      const known = theirPb.decode(bytes)
      const { links, data } = readPb(bytes)
      same(data && Buffer.from(data), known.Data && Buffer.from(known.Data))
      same(
        links.map(({ cid, name, tsize }) => [String(cid), name, tsize]),
        known.Links.map(({ Hash, Name, Tsize }) => [String(Hash), Name, Tsize])
      )
      same(Buffer.from(dagPb.encode!(dagPb.parse!(bytes) as Node)), Buffer.from(bytes))
    }
  ),
  fuzz('dag-pb: reads all that @ipld/dag-pb reads', bytesAmong(PB), bytes => {
    let known: theirPb.PBNode
    try {
      known = theirPb.decode(bytes)
    } catch {
      return
    }
    const ours = attempt(() => readPb(bytes))
    if (ours !== undefined) same(ours.links.length, known.Links.length)
  }),
  fuzz('UnixFS: any bytes are read or refused', bytesAmong(PB), bytes => {
    attempt(() => decodeUnixFs(bytes).blockSizes())
  }),
  fuzz(
    'UnixFS: what is written comes back',
    fc.record({
      type: fc.nat(9),
      data: fc.uint8Array({ maxLength: 20 }),
      size: fc.bigInt({ min: 0n, max: 2n ** 64n - 1n }),
      sizes: fc.array(fc.nat().map(BigInt), { maxLength: 5 })
    }),
    fields => {
      const read = decodeUnixFs(unixfs(fields))
      same([read.type, Buffer.from(read.data!), BigInt(read.fileSize!)], [fields.type, Buffer.from(fields.data), fields.size])
      same(read.blockSizes().map(BigInt), fields.sizes)
    }
  ),
  fuzz(
    'dag-jose: any bytes are read or refused, and what is read settles',
    fc.oneof(
      cborBytes,
      fc
        .dictionary(fc.constantFrom('payload', 'signatures', 'ciphertext', 'recipients', 'x'), nodes)
        .map(map => dagCbor.encode!(new Map(Object.entries(map))))
    ),
    bytes => settles(dagJose, bytes)
  ),
  fuzz('git: any bytes are read or refused, and what is read can be written', textAmong(GIT).map(ascii), bytes => {
    const node = attempt(() => gitRaw.decode(bytes))
    if (node !== undefined) attempt(() => gitRaw.encode!(node as Node))
  }),
  fuzz(
    'git: any bytes are no object packed by zlib, or one',
    fc.uint8Array({ maxLength: 60 }),
    bytes => {
      attempt(() => gitZlib.decode(bytes))
    },
    0.2
  )
]
