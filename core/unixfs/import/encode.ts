import { encode } from '@ipld/dag-pb'
import type { CID } from 'multiformats/cid'
import { varintSize, writeVarint } from '../../cid/varint.ts'
import { bytesLength, numberLength, type PbLinkBytes, writeBytes, writeNumber } from '../../dag/pb-write.ts'
import type { LeafBuffer } from '../chunker/index.ts'
import { isEmpty, type Metadata, withMetadata } from '../metadata.ts'
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

/** A part of a file: a leaf or a node over leaves. */
export interface Piece {
  readonly cid: CID
  /** Tsize. */
  readonly size: number
  /** Bytes of the file below it. */
  readonly share: number
}

/** The content of a node beside its links. */
export interface Content {
  /** File, Raw or Symlink. */
  readonly type: number
  readonly data?: Uint8Array | undefined
  readonly metadata?: Metadata | undefined
}

const NO_PIECES: readonly Piece[] = []

/** The dag-pb node of a file or a symlink; of a file, what it is joined of below. */
export function encodeNode({ type, data, metadata }: Content, pieces: readonly Piece[] = NO_PIECES): Uint8Array {
  const unixfs = encodeUnixFs(type, data, { blockSizes: pieces.map(({ share }) => share) })
  const told = metadata === undefined || isEmpty(metadata) ? unixfs : withMetadata(unixfs, metadata)
  return encode({ Data: told, Links: pieces.map(({ cid, size }) => ({ Hash: cid, Name: '', Tsize: size })) })
}

/** The node of a file that is joined of parts. */
export function encodeFile(pieces: readonly Piece[], metadata?: Metadata): Uint8Array {
  return encodeNode({ type: UnixFsType.File, metadata }, pieces)
}

export const DIRECTORY_DATA: Uint8Array = Uint8Array.of(0x08, UnixFsType.Directory)

/** @param bitfield - big endian, leading zero bytes left out */
export function encodeHamtData(bitfield: Uint8Array, hash: number, fanout: number): Uint8Array {
  return encodeUnixFs(UnixFsType.HAMTShard, bitfield, { hashType: hash, fanout })
}

/** The tags of the fields of a UnixFS message that are numbers, and of its data. */
const TYPE = 0x08
const DATA = 0x12
const FILE_SIZE = 0x18
const BLOCK_SIZE = 0x20
const HASH_TYPE = 0x28
const FANOUT = 0x30

interface MessageNumbers {
  readonly blockSizes?: readonly number[]
  readonly hashType?: number
  readonly fanout?: number
}

/**
 * A UnixFS message, as the reference writes it: data that are empty, too. Written here, as `ipfs-unixfs` 13 leaves those out, and writes numbers
 * from 2^31 to 2^32 as other ones (protons-runtime 7.1).
 */
function encodeUnixFs(type: number, data: Uint8Array | undefined, { blockSizes = [], hashType, fanout }: MessageNumbers): Uint8Array {
  const isFile = type === UnixFsType.File || type === UnixFsType.Raw
  const fileSize = isFile ? blockSizes.reduce((sum, size) => sum + size, data?.length ?? 0) : undefined
  const numbers: Array<readonly [tag: number, value: number | undefined]> = [
    [FILE_SIZE, fileSize],
    ...blockSizes.map(size => [BLOCK_SIZE, size] as const),
    [HASH_TYPE, hashType],
    [FANOUT, fanout]
  ]
  let length = numberLength(type) + bytesLength(data)
  for (const [, value] of numbers) if (value !== undefined) length += numberLength(value)
  const message = new Uint8Array(length)
  let at = writeNumber(message, 0, TYPE, type)
  if (data !== undefined) at = writeBytes(message, at, DATA, data)
  for (const [tag, value] of numbers) if (value !== undefined) at = writeNumber(message, at, tag, value)
  return message
}
