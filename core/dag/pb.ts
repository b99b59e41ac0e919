/** The reader of dag-pb blocks, strict as go-codec-dagpb: all that read them start here, the codec of the data model and UnixFS alike. */
import { CID } from 'multiformats/cid'
import { Digest } from 'multiformats/hashes/digest'
import { DAG_PB, SHA2_256 } from '../cid/codes.ts'
import { readCid } from '../cid/parse.ts'
import { VarintReader } from '../cid/varint.ts'
import { messageOf } from '../errors.ts'
import { decodeUtf8, encodeUtf8 } from '../go/utf8.ts'
import type { Link } from '../services/content/dag.ts'
import { dagErrors } from './errors.ts'
import type { NodeLinks, Size } from './node-links.ts'
import { endOf, LENGTH_DELIMITED, readNumber, readTag, VARINT } from './protobuf.ts'

/** A link of a dag-pb node as its block has it. */
export interface PbLink {
  readonly cid: CID
  readonly name: string | undefined
  /** An unsigned 64-bit number; a `bigint` beyond 2^53. */
  readonly tsize: Size | undefined
}

/** A dag-pb node as its block has it. */
export interface PbNode {
  readonly links: readonly PbLink[]
  readonly data: Uint8Array | undefined
  /** Whether the data stand before the links, as some old blocks have it. */
  readonly dataFirst: boolean
}

/** Links of a node that is read whole, each of which takes 700 bytes of memory: as many as fit into 2 MiB. */
export const MOST_LINKS = 262_144

/** Numbers kept per link: where its CID, its name and its Tsize lie. 0: it has no name, or no Tsize. */
const WIDTH = 5
const V0_BYTES = 34
/** The tags of a node's links, and of a link's fields. */
const [LINKS, HASH, NAME, TSIZE] = [0x12, 0x0a, 0x12, 0x18]
/** Bytes of a number that a loop reads without overflow. */
const SHORT_VARINT = 4

/** A dag-pb block that was checked, read without copying: what it answers refers to the block's own bytes. */
export class PbBlock implements NodeLinks {
  readonly length: number
  readonly data: Uint8Array | undefined
  readonly dataFirst: boolean
  readonly held: number
  readonly #bytes: Uint8Array
  readonly #at: Uint32Array
  #text: Buffer | undefined

  constructor(bytes: Uint8Array, at: readonly number[], data: Uint8Array | undefined, dataFirst: boolean) {
    this.#bytes = bytes
    this.#at = new Uint32Array(at)
    this.length = at.length / WIDTH
    this.held = this.#at.byteLength
    this.data = data
    this.dataFirst = dataFirst
  }

  cid(index: number): CID {
    const from = this.#at[index * WIDTH]!
    const to = this.#at[index * WIDTH + 1]!
    const bytes = new Uint8Array(this.#bytes.buffer as ArrayBuffer, this.#bytes.byteOffset + from, to - from)
    return cidOf(bytes)
  }

  name(index: number): string {
    const from = this.#at[index * WIDTH + 2]!
    const to = this.#at[index * WIDTH + 3]!
    this.#text ??= Buffer.from(this.#bytes.buffer, this.#bytes.byteOffset, this.#bytes.byteLength)
    const name = this.#text.toString('utf8', from, to)
    return name.includes('\ufffd') ? decodeUtf8(this.#bytes.subarray(from, to)) : name
  }

  size(index: number): Size {
    return this.#tsize(index) ?? 0
  }

  find(name: string): number {
    const wanted = encodeUtf8(name)
    const at = this.#at
    for (let i = 2; i < at.length; i += WIDTH) {
      const from = at[i]!
      if (at[i + 1]! - from === wanted.length && wanted.compare(this.#bytes, from, at[i + 1]!) === 0) return (i - 2) / WIDTH
    }
    return -1
  }

  /** A link whose CID is a copy, as it may outlive its block in queues and sets. */
  link(index: number): PbLink {
    const at = index * WIDTH
    const cid = cidOf(this.#bytes.slice(this.#at[at]!, this.#at[at + 1]!))
    return { cid, name: this.#at[at + 2] === 0 ? undefined : this.name(index), tsize: this.#tsize(index) }
  }

  #tsize(index: number): Size | undefined {
    const at = this.#at[index * WIDTH + 4]!
    return at === 0 ? undefined : new VarintReader(this.#bytes, at).exact(this.#bytes.length)
  }
}

function cidOf(bytes: Uint8Array): CID {
  if (bytes.length !== V0_BYTES || bytes[0] !== SHA2_256) return readCid(bytes)
  return new CID(0, DAG_PB, new Digest(SHA2_256, 32, bytes.subarray(2), bytes), bytes)
}

/**
 * Reads a dag-pb block in one pass (go-codec-dagpb 1.6).
 *
 * @param most - links it may have
 * @throws E_UNEXPECTED_EOF, E_PB_…
 */
export function openPb(bytes: Uint8Array, most = Number.POSITIVE_INFINITY): PbBlock {
  const reader = new VarintReader(bytes)
  const at: number[] = []
  let data: Uint8Array | undefined
  let dataFirst = false
  let linksOver = false
  while (reader.at < bytes.length) {
    if (!linksOver && at.length < most * WIDTH && readUsualLink(reader, at)) continue
    const tag = readTag(reader, bytes.length)
    const field = Math.floor(tag / 8)
    if (tag % 8 !== LENGTH_DELIMITED) throw dagErrors.E_PB_NODE_WIRE(tag % 8)
    if (field === 1) {
      if (data !== undefined) throw dagErrors.E_PB_NODE_DUPLICATE('Data')
      const end = endOf(reader, bytes.length)
      data = bytes.subarray(reader.at, end)
      reader.at = end
      if (at.length === 0) dataFirst = true
      else linksOver = true
    } else if (field === 2) {
      const end = endOf(reader, bytes.length)
      if (linksOver) throw dagErrors.E_PB_NODE_DUPLICATE('Links')
      if (at.length === most * WIDTH) throw dagErrors.E_PB_LINKS(most)
      readLink(reader, end, at)
    } else throw dagErrors.E_PB_NODE_FIELD(field)
  }
  return new PbBlock(bytes, at, data, dataFirst)
}

/**
 * Reads a link as most blocks have theirs: a hash, a name and a size, each of a short length. Large folders are read several times faster.
 *
 * @returns false where the next field is something else, of which nothing was read
 */
function readUsualLink(reader: VarintReader, at: number[]): boolean {
  const { bytes, at: start } = reader
  const end = start + 2 + bytes[start + 1]!
  const hash = start + 4
  const hashEnd = hash + bytes[start + 3]!
  const name = hashEnd + 2
  const nameEnd = name + bytes[hashEnd + 1]!
  const tsize = nameEnd + 1
  const isShort = bytes[start + 1]! < 0x80 && bytes[start + 3]! < 0x80 && bytes[hashEnd + 1]! < 0x80
  if (!isShort || tsize >= end || end > bytes.length || end - tsize > SHORT_VARINT) return false
  if (bytes[start] !== LINKS || bytes[start + 2] !== HASH || bytes[hashEnd] !== NAME || bytes[nameEnd] !== TSIZE) return false
  if (!isUsualCid(bytes, hash, hashEnd - hash)) return false
  for (let i = tsize; i < end - 1; i++) if (bytes[i]! < 0x80) return false
  if (bytes[end - 1]! >= 0x80 || (bytes[end - 1] === 0 && end - tsize > 1)) return false
  at.push(hash, hashEnd, name, nameEnd, tsize)
  reader.at = end
  return true
}

function readLink(reader: VarintReader, end: number, at: number[]): void {
  const { bytes } = reader
  let hash = 0
  let hashEnd = 0
  let name = 0
  let nameEnd = 0
  let tsize = 0
  while (reader.at < end) {
    const tag = readTag(reader, end)
    const type = tag % 8
    switch (Math.floor(tag / 8)) {
      case 1: {
        checkOrder('Hash', hash !== 0, name !== 0 ? 'Name' : tsize !== 0 ? 'Tsize' : undefined)
        if (type !== LENGTH_DELIMITED) throw dagErrors.E_PB_LINK_WIRE(type, 'Hash')
        const next = endOf(reader, end)
        hash = reader.at
        hashEnd = hash + cidLength(bytes, hash, next)
        reader.at = next
        break
      }
      case 2: {
        checkOrder('Name', name !== 0, tsize !== 0 ? 'Tsize' : undefined)
        if (type !== LENGTH_DELIMITED) throw dagErrors.E_PB_LINK_WIRE(type, 'Name')
        nameEnd = endOf(reader, end)
        name = reader.at
        reader.at = nameEnd
        break
      }
      case 3:
        checkOrder('Tsize', tsize !== 0, undefined)
        if (type !== VARINT) throw dagErrors.E_PB_LINK_WIRE(type, 'Tsize')
        tsize = reader.at
        readNumber(reader, end)
        break
      default:
        throw dagErrors.E_PB_LINK_FIELD(Math.floor(tag / 8))
    }
  }
  if (hash === 0) throw dagErrors.E_PB_LINK_HASH()
  at.push(hash, hashEnd, name, nameEnd, tsize)
}

function checkOrder(field: string, twice: boolean, after: string | undefined): void {
  if (twice) throw dagErrors.E_PB_LINK_DUPLICATE(field)
  if (after !== undefined) throw dagErrors.E_PB_LINK_ORDER(after, field)
}

/** How many bytes from `at` on are a CID. What follows it before `end` is passed over. */
function cidLength(bytes: Uint8Array, at: number, end: number): number {
  const length = end - at
  if (isUsualCid(bytes, at, length)) return length
  try {
    return readCid(bytes.subarray(at, end)).bytes.length
  } catch (error) {
    throw dagErrors.E_PB_LINK_HASH(messageOf(error))
  }
}

/** Whether that many bytes are a CID of version 0, or of version 1 with numbers of one byte each. */
function isUsualCid(bytes: Uint8Array, at: number, length: number): boolean {
  if (length === V0_BYTES && bytes[at] === SHA2_256 && bytes[at + 1] === 32) return true
  const isShort = length > 4 && bytes[at] === 1 && bytes[at + 1]! < 0x80 && bytes[at + 2]! < 0x80 && bytes[at + 3]! < 0x80
  return isShort && bytes[at + 3] === length - 4
}

/**
 * A dag-pb block with all its links as objects. The data are a view of the block, the links' CIDs are copies.
 *
 * @throws as {@link openPb}
 */
export function readPb(bytes: Uint8Array): PbNode {
  const block = openPb(bytes, MOST_LINKS)
  const links: PbLink[] = []
  for (let i = 0; i < block.length; i++) links.push(block.link(i))
  return { links, data: block.data, dataFirst: block.dataFirst }
}

/** The links of a dag-pb block, without its data. */
export function pbLinks(bytes: Uint8Array): Link[] {
  const block = openPb(bytes, MOST_LINKS)
  const links: Link[] = []
  for (let i = 0; i < block.length; i++) {
    const { cid, name = '', tsize } = block.link(i)
    links.push(tsize === undefined ? { cid, name } : { cid, name, size: tsize })
  }
  return links
}
