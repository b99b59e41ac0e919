import { createHash } from 'node:crypto'
import { CID } from 'multiformats/cid'
import { create } from 'multiformats/hashes/digest'
import { digestSync } from '../../../core/cid/hashers.ts'

const SHA2_256 = 0x12

export interface Sample {
  readonly multihash: Uint8Array
  readonly bytes: Uint8Array
  readonly cid: CID
}

/** A block of `size` bytes that only depends on its number. */
export function sample(number: number, size = 100): Sample {
  const bytes = new Uint8Array(size)
  const seed = createHash('sha256').update(`sample ${number}`).digest()
  for (let at = 0; at < size; at += seed.length) bytes.set(seed.subarray(0, Math.min(seed.length, size - at)), at)
  const digest = create(SHA2_256, new Uint8Array(digestSync(SHA2_256, bytes)))
  return { multihash: digest.bytes, bytes, cid: CID.createV1(0x55, digest) }
}

export function samples(count: number, size?: number): Sample[] {
  return Array.from({ length: count }, (_, i) => sample(i, size))
}

export function hex(bytes: Uint8Array): string {
  return Buffer.from(bytes).toString('hex')
}
