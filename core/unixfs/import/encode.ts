import { varintSize, writeVarint } from '../../cid/varint.ts'
import { bytesLength, numberLength, type PbLinkBytes, writeBytes, writeNumber } from '../../dag/pb-write.ts'
import type { LeafBuffer } from '../chunker/index.ts'
import { UnixFsType } from '../types.ts'

/** A link of a dag-pb node that is made: its child, and the size of all below it. */
export interface NodeLink extends PbLinkBytes {
  readonly name: Uint8Array
  readonly size: number
}

export const NO_NAME = new Uint8Array(0)

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
  out.set([0x08, UnixFsType.File, 0x18])
  let at = writeVarint(size, out, 3)
  for (const share of shares) at = writeNumber(out, at, 0x20, share)
  return out
}

export const DIRECTORY_DATA: Uint8Array = Uint8Array.of(0x08, UnixFsType.Directory)

export function encodeSymlinkData(target: Uint8Array): Uint8Array {
  const out = new Uint8Array(2 + bytesLength(target))
  out.set([0x08, UnixFsType.Symlink])
  writeBytes(out, 2, 0x12, target)
  return out
}

/** @param bitfield - big endian, leading zero bytes left out */
export function encodeHamtData(bitfield: Uint8Array, hash: number, fanout: number): Uint8Array {
  const out = new Uint8Array(2 + bytesLength(bitfield) + numberLength(hash) + numberLength(fanout))
  out.set([0x08, UnixFsType.HAMTShard])
  const at = writeBytes(out, 2, 0x12, bitfield)
  writeNumber(out, writeNumber(out, at, 0x28, hash), 0x30, fanout)
  return out
}
