import * as dagCbor from '@ipld/dag-cbor'
import * as dagPb from '@ipld/dag-pb'
import { CID } from 'multiformats/cid'
import { RAW } from '../../../core/cid/codes.ts'

/**
 * The CIDs in a block, in the order in which a walk follows them.
 *
 * @returns undefined where the codec is not known or does not take the block
 */
export function linksOf({ code }: CID, bytes: Uint8Array): CID[] | undefined {
  if (code === RAW) return []
  try {
    if (code === dagPb.code) return dagPb.decode(bytes).Links.map(({ Hash }) => Hash)
    return code === dagCbor.code ? [...inValue(dagCbor.decode(bytes))] : undefined
  } catch {
    return undefined
  }
}

function* inValue(value: unknown): Generator<CID> {
  const cid = CID.asCID(value)
  if (cid !== null) yield cid
  else if (typeof value === 'object' && value !== null && !(value instanceof Uint8Array)) {
    for (const one of Array.isArray(value) ? value : Object.values(value)) yield* inValue(one)
  }
}

/** A block's name whatever the codec and version of the CID: its multihash as a string, a character for each byte. */
export function keyOf({ multihash: { bytes } }: CID): string {
  let key = ''
  for (const byte of bytes) key += String.fromCharCode(byte)
  return key
}
