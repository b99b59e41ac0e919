import type { CID } from 'multiformats/cid'
import { varintSize, writeVarint } from '../cid/varint.ts'
import { dagCbor } from '../dag/codecs/cbor/cbor.ts'
import type { Node } from '../dag/model.ts'
import type { Block } from '../services/storage/blocks.ts'

/** Small sections are gathered into chunks of this size; blocks of a quarter of it and more go out by themselves, uncopied. Bytes. */
const CHUNK = 65_536

/**
 * A CAR of version 1 (https://ipld.io/specs/transport/car/carv1): its header, then a section for each block as they come. What came before
 * an error of `blocks` is written before it is thrown.
 */
export async function* writeCar(roots: readonly CID[], blocks: AsyncIterable<Block>): AsyncGenerator<Uint8Array> {
  const header = encodeHeader(roots)
  let free = Buffer.allocUnsafe(Math.max(CHUNK, 10 + header.length))
  let used = writeVarint(header.length, free, 0)
  free.set(header, used)
  used += header.length
  try {
    for await (const { cid, bytes } of blocks) {
      const size = cid.bytes.length + bytes.length
      const isGathered = bytes.length < CHUNK / 4
      const needed = varintSize(size) + (isGathered ? size : cid.bytes.length)
      if (needed > free.length - used) {
        yield free.subarray(0, used)
        free = Buffer.allocUnsafe(Math.max(CHUNK, needed))
        used = 0
      }
      used = writeVarint(size, free, used)
      free.set(cid.bytes, used)
      used += cid.bytes.length
      if (isGathered) {
        free.set(bytes, used)
        used += bytes.length
      } else {
        yield free.subarray(0, used)
        yield bytes
        free = free.subarray(used)
        used = 0
      }
    }
  } catch (error) {
    if (used > 0) yield free.subarray(0, used)
    throw error
  }
  if (used > 0) yield free.subarray(0, used)
}

function encodeHeader(roots: readonly CID[]): Uint8Array {
  const header = new Map<string, Node>([
    ['roots', [...roots]],
    ['version', 1n]
  ])
  return dagCbor.encode!(header)
}
