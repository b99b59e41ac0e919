/** The writer of dag-pb blocks whose names are bytes, and of protobuf fields. Nodes of files, which have no names, are `@ipld/dag-pb`'s. */
import { varintSize, writeVarint } from '../cid/varint.ts'
import { dagErrors } from './errors.ts'
import type { Size } from './node-links.ts'

/** A link of a dag-pb node that is made. */
export interface PbLinkBytes {
  /** The CID in its binary form. */
  readonly cid: Uint8Array
  readonly name?: Uint8Array | undefined
  readonly size?: Size | undefined
}

const HASH = 0x0a
const NAME = 0x12
const TSIZE = 0x18
const DATA = 0x0a
const LINK = 0x12

/**
 * A dag-pb block: links in the given order, then data (go-codec-dagpb 1.6; boxo 0.19, merkledag/coding).
 *
 * @param limit - bytes that it may have
 * @throws E_ENCODED_TOO_LARGE
 */
export function writePb(links: readonly PbLinkBytes[], data: Uint8Array | undefined, limit = Number.POSITIVE_INFINITY): Uint8Array {
  const inner = links.map(linkLength)
  let length = bytesLength(data)
  for (const size of inner) length += 1 + varintSize(size) + size
  if (length > limit) throw dagErrors.E_ENCODED_TOO_LARGE(limit)
  const out = new Uint8Array(length)
  let at = 0
  links.forEach(({ cid, name, size }, i) => {
    out[at] = LINK
    at = writeVarint(inner[i]!, out, at + 1)
    at = writeBytes(out, at, HASH, cid)
    if (name !== undefined) at = writeBytes(out, at, NAME, name)
    if (size !== undefined) at = writeNumber(out, at, TSIZE, size)
  })
  if (data !== undefined) writeBytes(out, at, DATA, data)
  return out
}

function linkLength({ cid, name, size }: PbLinkBytes): number {
  return bytesLength(cid) + bytesLength(name) + (size === undefined ? 0 : numberLength(size))
}

/** The length of a field of bytes in a message; 0 where there is none. */
export function bytesLength(bytes: Uint8Array | undefined): number {
  return bytes === undefined ? 0 : 1 + varintSize(bytes.length) + bytes.length
}

/** The length of a field of a number in a message. */
export function numberLength(value: Size): number {
  return 1 + varintSize(value)
}

/** Writes a field of bytes at `at`; the offset after it. */
export function writeBytes(into: Uint8Array, at: number, tag: number, bytes: Uint8Array): number {
  into[at] = tag
  const start = writeVarint(bytes.length, into, at + 1)
  into.set(bytes, start)
  return start + bytes.length
}

/** Writes a field of a number at `at`; the offset after it. */
export function writeNumber(into: Uint8Array, at: number, tag: number, value: Size): number {
  into[at] = tag
  return writeVarint(value, into, at + 1)
}
