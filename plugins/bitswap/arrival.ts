import { DAG_PB, IDENTITY, SHA2_256 } from '../../core/cid/codes.ts'
import { digestInTurns, hashFunction } from '../../core/cid/hashers.ts'
import { isCidSecure, isSecureHash } from '../../core/cid/hashes.ts'
import { createMultihash } from '../../core/cid/multihash.ts'
import type { CID } from '../../core/index.ts'
import { LONGEST_CID, type Prefix, type WireBlock } from './wire/message.ts'

const V0: Prefix = { version: 0, codec: DAG_PB, hash: SHA2_256, size: 32 }

/** Whether a block of this CID is asked for and served: not one that stands in its CID, nor one whose hash anybody can find another block for. */
export function isExchanged(cid: CID): boolean {
  return cid.bytes.length <= LONGEST_CID && cid.multihash.code !== IDENTITY && isCidSecure(cid)
}

/** The bytes of the multihash that a block has; undefined where its hash is none that is exchanged. */
export async function multihashOf({ prefix = V0, data }: WireBlock): Promise<Uint8Array | undefined> {
  const { hash, size } = prefix
  if (hash === IDENTITY || !isSecureHash(hash)) return undefined
  try {
    const digest = digestInTurns(hashFunction(hash), data, size)
    return createMultihash(hash, digest instanceof Promise ? await digest : digest).bytes
  } catch {
    // a digest of that length is not to be had of the function
    return undefined
  }
}
