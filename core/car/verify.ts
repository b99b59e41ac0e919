import { SHA2_256 } from '../cid/codes.ts'
import { isSha256 } from '../cid/hashers.ts'
import { cidToString } from '../cid/parse.ts'
import { sumCid } from '../cid/sum.ts'
import type { Hasher } from '../services/content/dag.ts'
import type { Block } from '../services/storage/blocks.ts'
import { carErrors } from './errors.ts'

/**
 * Holds a block against its CID.
 *
 * @param hasher - where the host knows more hash functions than core/cid/hashers.ts
 * @throws E_CAR_MISMATCH, E_CID_INVALID for a hash function that is not known
 */
export function verifyBlock({ cid, bytes }: Block, hasher?: Hasher): void {
  const { code, size, digest } = cid.multihash
  if (code === SHA2_256 && size === 32 && isSha256(digest, bytes)) return
  const hashed = sumCid({ version: cid.version, codec: cid.code, hash: code, length: size }, bytes, hasher)
  if (Buffer.compare(hashed.bytes, cid.bytes) !== 0) throw carErrors.E_CAR_MISMATCH(cidToString(cid), cidToString(hashed))
}
