import { CID } from 'multiformats/cid'
import * as Digest from 'multiformats/hashes/digest'
import { readCid } from '../../cid/parse.ts'
import { decodeUtf8, encodeUtf8 } from '../../go/utf8.ts'
import type { Link } from '../../services/dag.ts'

/** A count of bytes on the wire: a number while it is exact as one, a bigint above. */
export type Size = number | bigint

const DAG_PB = 0x70
const SHA2_256 = 0x12
const V0_BYTES = 34

const LINK = 0x12
const DATA = 0x0a
const HASH = 0x0a
const NAME = 0x12
const TSIZE = 0x18

/** Numbers kept per link: where its CID and its name lie, where its Tsize starts (0: it has none). */
const WIDTH = 5

/**
 * Reads protobuf varints out of one buffer. `varint` answers -1 for one that is truncated or longer than 64 bits; above 2^53 it is
 * no longer exact, see {@link exact}.
 */
export class VarintReader {
  at: number
  readonly bytes: Uint8Array

  constructor(bytes: Uint8Array, at = 0) {
    this.bytes = bytes
    this.at = at
  }

  varint(end: number): number {
    const { bytes } = this
    let value = 0
    let scale = 1
    for (let i = 0; i < 10 && this.at < end; i++) {
      const byte = bytes[this.at++]!
      if (byte < 0x80) return i === 9 && byte > 1 ? -1 : value + byte * scale
      value += (byte & 0x7f) * scale
      scale *= 0x80
    }
    return -1
  }

  /** The same, exact up to 2^64. Only for varints that {@link varint} accepts. */
  exact(end: number): Size {
    const start = this.at
    const rough = this.varint(end)
    if (rough <= Number.MAX_SAFE_INTEGER) return rough
    let value = 0n
    for (let i = this.at - 1; i >= start; i--) value = (value << 7n) | BigInt(this.bytes[i]! & 0x7f)
    return BigInt.asUintN(64, value)
  }
}

/** The links and the data of a dag-pb block, read without copying: whatever it answers refers to the block's own bytes. */
export interface PbNode {
  readonly length: number
  cid(index: number): CID
  /** `''` where the link has none. Bytes that are no UTF-8 as in `core/go/utf8.ts`. */
  name(index: number): string
  /** Tsize; 0 where the link has none. */
  size(index: number): Size
  /** The first link of this name; -1 when there is none. */
  find(name: string): number
  readonly data: Uint8Array | undefined
  /** Memory that it takes beside its block, in bytes. */
  readonly held: number
}

class BlockNode implements PbNode {
  readonly length: number
  readonly data: Uint8Array | undefined
  readonly held: number
  readonly #bytes: Uint8Array
  readonly #at: Uint32Array
  #text: Buffer | undefined

  constructor(bytes: Uint8Array, at: readonly number[], data: Uint8Array | undefined) {
    this.#bytes = bytes
    this.#at = Uint32Array.from(at)
    this.length = at.length / WIDTH
    this.held = this.#at.byteLength
    this.data = data
  }

  cid(index: number): CID {
    const from = this.#at[index * WIDTH]!
    const to = this.#at[index * WIDTH + 1]!
    const bytes = new Uint8Array(this.#bytes.buffer as ArrayBuffer, this.#bytes.byteOffset + from, to - from)
    return to - from === V0_BYTES && bytes[0] === SHA2_256 ? cidOfVersion0(bytes) : readCid(bytes)
  }

  name(index: number): string {
    const from = this.#at[index * WIDTH + 2]!
    const to = this.#at[index * WIDTH + 3]!
    this.#text ??= Buffer.from(this.#bytes.buffer, this.#bytes.byteOffset, this.#bytes.byteLength)
    const name = this.#text.toString('utf8', from, to)
    return name.includes('\ufffd') ? decodeUtf8(this.#bytes.subarray(from, to)) : name
  }

  size(index: number): Size {
    const at = this.#at[index * WIDTH + 4]!
    return at === 0 ? 0 : new VarintReader(this.#bytes, at).exact(this.#bytes.length)
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
}

function cidOfVersion0(bytes: Uint8Array): CID {
  return new CID(0, DAG_PB, new Digest.Digest(SHA2_256, 32, bytes.subarray(2), bytes), bytes)
}

/**
 * Reads a dag-pb block in its usual form (go-codec-dagpb writes no other): all links together, their fields in order, well-formed CIDs.
 *
 * @returns undefined for anything else; the strict codec says what is wrong with it, if something is
 */
export function parsePb(bytes: Uint8Array): PbNode | undefined {
  const reader = new VarintReader(bytes)
  const at: number[] = []
  let data: Uint8Array | undefined
  let linksEnded = false
  while (reader.at < bytes.length) {
    const tag = bytes[reader.at++]!
    const size = reader.varint(bytes.length)
    const end = reader.at + size
    if (size < 0 || end > bytes.length) return undefined
    if (tag === DATA) {
      if (data !== undefined) return undefined
      data = bytes.subarray(reader.at, end)
      linksEnded = at.length > 0
    } else if (tag !== LINK || linksEnded || !parseLink(reader, end, at)) return undefined
    reader.at = end
  }
  return new BlockNode(bytes, at, data)
}

function parseLink(reader: VarintReader, end: number, at: number[]): boolean {
  const { bytes } = reader
  if (bytes[reader.at++] !== HASH) return false
  const hashSize = reader.varint(end)
  const hash = reader.at
  if (hashSize < 0 || hash + hashSize > end || !isCid(reader, hash + hashSize)) return false
  reader.at = hash + hashSize
  let name = reader.at
  let nameEnd = name
  if (bytes[reader.at] === NAME && reader.at < end) {
    reader.at++
    const nameSize = reader.varint(end)
    name = reader.at
    nameEnd = name + nameSize
    if (nameSize < 0 || nameEnd > end) return false
    reader.at = nameEnd
  }
  let tsize = 0
  if (bytes[reader.at] === TSIZE && reader.at < end) {
    tsize = ++reader.at
    if (reader.varint(end) < 0) return false
  }
  if (reader.at !== end) return false
  at.push(hash, hash + hashSize, name, nameEnd, tsize)
  return true
}

function isCid(reader: VarintReader, end: number): boolean {
  const { bytes, at } = reader
  if (end - at === V0_BYTES && bytes[at] === SHA2_256 && bytes[at + 1] === 32) return true
  if (bytes[reader.at++] !== 1 || reader.varint(end) < 0 || reader.varint(end) < 0) return false
  return reader.varint(end) === end - reader.at
}

/** About what a link takes as an object, in bytes. */
const LINK_OBJECT = 512

class ListNode implements PbNode {
  readonly #links: readonly Link[]
  readonly data: Uint8Array | undefined

  constructor(links: readonly Link[], data: Uint8Array | undefined) {
    this.#links = links
    this.data = data
  }

  get length(): number {
    return this.#links.length
  }

  get held(): number {
    return this.#links.length * LINK_OBJECT
  }

  cid(index: number): CID {
    return this.#links[index]!.cid
  }

  name(index: number): string {
    return this.#links[index]!.name
  }

  size(index: number): Size {
    return this.#links[index]!.size ?? 0
  }

  find(name: string): number {
    return this.#links.findIndex(link => link.name === name)
  }
}

/** A node out of links that another decoder has read. */
export function nodeOfLinks(links: Iterable<Link>, data?: Uint8Array): PbNode {
  return new ListNode([...links], data)
}
