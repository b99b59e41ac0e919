import { CID } from 'multiformats/cid'
import { Digest } from 'multiformats/hashes/digest'
import { messageOf } from '../errors.ts'
import type { Hasher } from '../services/content/dag.ts'
import { DAG_PB, IDENTITY, SHA2_256 } from './codes.ts'
import { cidErrors } from './errors.ts'
import { digestInTurns, hashFunction } from './hashers.ts'
import { varintSize, writeVarint } from './varint.ts'

/** All of a CID but the digest. */
export interface CidPrefix {
  readonly version: 0 | 1
  readonly codec: number
  /** Code of the hash function. */
  readonly hash: number
  /** Length of the digest in bytes; by default, and when negative, what the hash function makes. Identity ignores it. */
  readonly length?: number
}

/**
 * The CID of a block.
 *
 * @param hasher - where the host knows more hash functions than core/cid/hashers.ts
 * @throws E_CID_INVALID: an unregistered hash function, a digest longer than it makes, another hash than sha2-256 for version 0
 */
export function sumCid(prefix: CidPrefix, bytes: Uint8Array, hasher?: Hasher): CID {
  checkPrefix(prefix)
  const { version, codec, hash, length } = prefix
  try {
    const digest = (hasher ?? hashFunction(hash)).digest(bytes, hash === IDENTITY ? undefined : length)
    return cidOfDigest(version, codec, hash, digest)
  } catch (error) {
    throw cidErrors.E_CID_INVALID(messageOf(error))
  }
}

/**
 * The same; while a block of megabytes is hashed, other calls go on.
 *
 * @throws as {@link sumCid}, and the signal's reason
 */
export async function sumCidInTurns(
  prefix: CidPrefix,
  bytes: Uint8Array,
  call: { readonly signal: AbortSignal },
  hasher?: Hasher
): Promise<CID> {
  checkPrefix(prefix)
  const { version, codec, hash, length } = prefix
  try {
    const digest = await digestInTurns(hasher ?? hashFunction(hash), bytes, hash === IDENTITY ? undefined : length, call)
    return cidOfDigest(version, codec, hash, digest)
  } catch (error) {
    call.signal.throwIfAborted()
    throw cidErrors.E_CID_INVALID(messageOf(error))
  }
}

/** @throws E_CID_INVALID */
function checkPrefix({ version, hash, length }: CidPrefix): void {
  if (version === 0 && (hash !== SHA2_256 || (length !== undefined && length !== 32 && length !== -1))) {
    throw cidErrors.E_CID_INVALID('invalid v0 prefix')
  }
}

/** A CID made of its parts, its multihash a view of its bytes. */
export function cidOfDigest(version: 0 | 1, codec: number, hash: number, digest: Uint8Array): CID {
  const head = version === 0 ? 0 : 1 + varintSize(codec)
  const start = head + varintSize(hash) + varintSize(digest.length)
  const bytes = new Uint8Array(start + digest.length)
  if (version === 1) writeVarint(codec, bytes, writeVarint(1, bytes, 0))
  writeVarint(digest.length, bytes, writeVarint(hash, bytes, head))
  bytes.set(digest, start)
  const multihash = new Digest(hash, digest.length, bytes.subarray(start), bytes.subarray(head))
  return new CID(version, version === 0 ? DAG_PB : codec, multihash, bytes)
}
