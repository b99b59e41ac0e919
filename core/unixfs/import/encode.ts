import { varintSize, writeVarint } from '../../cid/varint.ts'
import type { LeafBuffer } from '../chunker/index.ts'

/** Types of UnixFS nodes (boxo 0.19, ipld/unixfs/pb). */
export const UNIXFS = { raw: 0, directory: 1, file: 2, metadata: 3, symlink: 4, hamt: 5 } as const

/** A link of a dag-pb node that is made: its child, and the size of all below it. */
export interface NodeLink {
  /** In its binary form. */
  readonly cid: Uint8Array
  readonly name: Uint8Array
  readonly size: number
}

export const NO_NAME = new Uint8Array(0)

function writeBytes(into: Uint8Array, at: number, tag: number, bytes: Uint8Array): number {
  into[at] = tag
  const start = writeVarint(bytes.length, into, at + 1)
  into.set(bytes, start)
  return start + bytes.length
}

const bytesLength = (length: number) => 1 + varintSize(length) + length
const numberLength = (value: number) => 1 + varintSize(value)

/**
 * A dag-pb leaf made around the payload that is already in its buffer: UnixFS type, data and file size inside PBNode.Data.
 *
 * @returns a view of the buffer: the block
 */
export function encodeLeaf({ bytes, start }: LeafBuffer, size: number, type: number): Uint8Array {
  const dataHead = size === 0 ? 0 : 1 + varintSize(size)
  const tail = numberLength(size)
  const unixfs = 2 + dataHead + size + tail
  const first = start - dataHead - 2 - varintSize(unixfs) - 1
  let at = first
  bytes[at++] = 0x0a
  at = writeVarint(unixfs, bytes, at)
  bytes[at++] = 0x08
  bytes[at++] = type
  if (size > 0) {
    bytes[at++] = 0x12
    at = writeVarint(size, bytes, at)
  }
  at = start + size
  bytes[at++] = 0x18
  at = writeVarint(size, bytes, at)
  return bytes.subarray(first, at)
}

/** The UnixFS data of a file's inner node: its size, and each child's share of it. */
export function encodeFileData(shares: readonly number[]): Uint8Array {
  const size = shares.reduce((sum, share) => sum + share, 0)
  let length = 2 + numberLength(size)
  for (const share of shares) length += numberLength(share)
  const out = new Uint8Array(length)
  out.set([0x08, UNIXFS.file, 0x18])
  let at = writeVarint(size, out, 3)
  for (const share of shares) {
    out[at] = 0x20
    at = writeVarint(share, out, at + 1)
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
  at = writeVarint(hash, out, at + 1)
  out[at] = 0x30
  writeVarint(fanout, out, at + 1)
  return out
}

/** A dag-pb block: links in the given order, then data (boxo 0.19, merkledag/coding). */
export function encodeNode(links: readonly NodeLink[], data: Uint8Array): Uint8Array {
  let length = bytesLength(data.length)
  const inner = links.map(({ cid, name, size }) => bytesLength(cid.length) + bytesLength(name.length) + numberLength(size))
  for (const size of inner) length += bytesLength(size)
  const out = new Uint8Array(length)
  let at = 0
  links.forEach(({ cid, name, size }, i) => {
    out[at] = 0x12
    at = writeVarint(inner[i]!, out, at + 1)
    at = writeBytes(out, at, 0x0a, cid)
    at = writeBytes(out, at, 0x12, name)
    out[at] = 0x18
    at = writeVarint(size, out, at + 1)
  })
  writeBytes(out, at, 0x0a, data)
  return out
}
