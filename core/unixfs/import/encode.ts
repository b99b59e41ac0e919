import type { CID } from 'multiformats/cid'
import type { LeafBuffer } from '../chunker/index.ts'

/** Types of UnixFS nodes (boxo 0.19, ipld/unixfs/pb). */
export const UNIXFS = { raw: 0, directory: 1, file: 2, metadata: 3, symlink: 4, hamt: 5 } as const

/** A link of a dag-pb node that is made: its child, and the size of all below it. */
export interface NodeLink {
  readonly cid: CID
  readonly name: Uint8Array
  readonly size: number
}

export const NO_NAME = new Uint8Array(0)

/** Bytes a varint takes; values up to 2^53. */
export function varintLength(value: number): number {
  let length = 1
  for (let rest = value; rest >= 128; rest /= 128) length++
  return length
}

/** @returns the offset behind it */
export function writeVarint(into: Uint8Array, at: number, value: number): number {
  let rest = value
  let offset = at
  while (rest >= 128) {
    into[offset++] = (rest % 128) | 0x80
    rest = Math.floor(rest / 128)
  }
  into[offset++] = rest
  return offset
}

function writeBytes(into: Uint8Array, at: number, tag: number, bytes: Uint8Array): number {
  into[at] = tag
  const start = writeVarint(into, at + 1, bytes.length)
  into.set(bytes, start)
  return start + bytes.length
}

const bytesLength = (length: number) => 1 + varintLength(length) + length
const numberLength = (value: number) => 1 + varintLength(value)

/**
 * A dag-pb leaf made around the payload that is already in its buffer: UnixFS type, data and file size inside PBNode.Data.
 *
 * @returns a view of the buffer: the block
 */
export function encodeLeaf({ bytes, start }: LeafBuffer, size: number, type: number): Uint8Array {
  const dataHead = size === 0 ? 0 : 1 + varintLength(size)
  const tail = numberLength(size)
  const unixfs = 2 + dataHead + size + tail
  const first = start - dataHead - 2 - varintLength(unixfs) - 1
  let at = first
  bytes[at++] = 0x0a
  at = writeVarint(bytes, at, unixfs)
  bytes[at++] = 0x08
  bytes[at++] = type
  if (size > 0) {
    bytes[at++] = 0x12
    at = writeVarint(bytes, at, size)
  }
  at = start + size
  bytes[at++] = 0x18
  at = writeVarint(bytes, at, size)
  return bytes.subarray(first, at)
}

/** The UnixFS data of a file's inner node: its size, and each child's share of it. */
export function encodeFileData(shares: readonly number[]): Uint8Array {
  const size = shares.reduce((sum, share) => sum + share, 0)
  let length = 2 + numberLength(size)
  for (const share of shares) length += numberLength(share)
  const out = new Uint8Array(length)
  out.set([0x08, UNIXFS.file, 0x18])
  let at = writeVarint(out, 3, size)
  for (const share of shares) {
    out[at] = 0x20
    at = writeVarint(out, at + 1, share)
  }
  return out
}

export const DIRECTORY_DATA: Uint8Array = Uint8Array.of(0x08, UNIXFS.directory)

export function encodeSymlinkData(target: Uint8Array): Uint8Array {
  const out = new Uint8Array(2 + bytesLength(target.length))
  out.set([0x08, UNIXFS.symlink])
  writeBytes(out, 2, 0x12, target)
  return out
}

/** @param bitfield - big endian, leading zero bytes left out */
export function encodeHamtData(bitfield: Uint8Array, hash: number, fanout: number): Uint8Array {
  const out = new Uint8Array(2 + bytesLength(bitfield.length) + numberLength(hash) + numberLength(fanout))
  out.set([0x08, UNIXFS.hamt])
  let at = writeBytes(out, 2, 0x12, bitfield)
  out[at] = 0x28
  at = writeVarint(out, at + 1, hash)
  out[at] = 0x30
  writeVarint(out, at + 1, fanout)
  return out
}

/** A dag-pb block: links in the given order, then data (boxo 0.19, merkledag/coding). */
export function encodeNode(links: readonly NodeLink[], data: Uint8Array): Uint8Array {
  let length = bytesLength(data.length)
  const inner = links.map(({ cid, name, size }) => bytesLength(cid.bytes.length) + bytesLength(name.length) + numberLength(size))
  for (const size of inner) length += bytesLength(size)
  const out = new Uint8Array(length)
  let at = 0
  links.forEach(({ cid, name, size }, i) => {
    out[at] = 0x12
    at = writeVarint(out, at + 1, inner[i]!)
    at = writeBytes(out, at, 0x0a, cid.bytes)
    at = writeBytes(out, at, 0x12, name)
    out[at] = 0x18
    at = writeVarint(out, at + 1, size)
  })
  writeBytes(out, at, 0x0a, data)
  return out
}
