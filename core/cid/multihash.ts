import { Digest } from 'multiformats/hashes/digest'
import type { MultihashDigest } from 'multiformats/interface'
import { cidErrors } from './errors.ts'
import { readVarint, varintSize, writeVarint } from './varint.ts'

/**
 * The multihash at the start of `bytes`, as a view of them; `multihash.bytes.length` says how far it goes (go-multihash 0.2.3).
 *
 * @throws E_MULTIHASH_INVALID, E_VARINT
 */
export function readMultihash(bytes: Uint8Array): MultihashDigest {
  if (bytes.length < 2) throw cidErrors.E_MULTIHASH_INVALID('multihash too short. must be >= 2 bytes')
  const code = readVarint(bytes)
  const length = readVarint(bytes, code.size)
  const start = code.size + length.size
  if (length.value > 0x7fffffff) throw cidErrors.E_MULTIHASH_INVALID('digest too long, supporting only <= 2^31-1')
  const end = start + length.value
  if (end > bytes.length) throw cidErrors.E_MULTIHASH_INVALID('length greater than remaining number of bytes in buffer')
  return new Digest(code.value, length.value, bytes.subarray(start, end), bytes.subarray(0, end))
}

/**
 * The multihash that `bytes` are, to their end.
 *
 * @throws E_MULTIHASH_INVALID, E_VARINT
 */
export function decodeMultihash(bytes: Uint8Array): MultihashDigest {
  const multihash = readMultihash(bytes)
  if (multihash.bytes.length !== bytes.length) {
    throw cidErrors.E_MULTIHASH_INVALID(`multihash length inconsistent: expected ${multihash.size}; got ${bytes.length}`)
  }
  return multihash
}

/** Joins a digest with the code of its function. */
export function createMultihash(code: number, digest: Uint8Array): MultihashDigest {
  const start = varintSize(code) + varintSize(digest.length)
  const bytes = new Uint8Array(start + digest.length)
  writeVarint(digest.length, bytes, writeVarint(code, bytes, 0))
  bytes.set(digest, start)
  return new Digest(code, digest.length, bytes.subarray(start), bytes)
}
