import { blake2b, blake2s } from '@noble/hashes/blake2.js'
import { blake3 } from '@noble/hashes/blake3.js'
import { sha1 } from '@noble/hashes/legacy.js'
import { sha224, sha256, sha384, sha512 } from '@noble/hashes/sha2.js'
import { keccak_256, keccak_512, sha3_224, sha3_256, sha3_384, sha3_512, shake128, shake256 } from '@noble/hashes/sha3.js'
import type { CID } from 'multiformats/cid'
import { SHA2_256 } from '../../../core/cid/codes.ts'

/** Whether bytes are the block that a CID names; undefined where its hash function is not known. */
export type Check = (cid: CID, bytes: Uint8Array) => boolean | undefined | Promise<boolean | undefined>

type Digest = (bytes: Uint8Array, size: number) => Uint8Array | Promise<Uint8Array>

/** The hash functions that Kubo 0.28 takes as secure (boxo/verifcid), by multihash code. */
const DIGESTS: ReadonlyMap<number, Digest> = new Map<number, Digest>([
  [0x00, bytes => bytes],
  [0x11, sha1],
  [SHA2_256, sha2],
  [0x13, sha512],
  [0x14, sha3_512],
  [0x15, sha3_384],
  [0x16, sha3_256],
  [0x17, sha3_224],
  [0x18, bytes => shake128(bytes, { dkLen: 32 })],
  [0x19, bytes => shake256(bytes, { dkLen: 64 })],
  [0x1b, keccak_256],
  [0x1d, keccak_512],
  [0x1e, (bytes, size) => blake3(bytes, { dkLen: size })],
  [0x20, sha384],
  [0x56, bytes => sha256(sha256(bytes))],
  [0x1013, sha224],
  ...Array.from({ length: 45 }, (_, i): [number, Digest] => [0xb214 + i, bytes => blake2b(bytes, { dkLen: i + 20 })]),
  [0xb260, bytes => blake2s(bytes)]
])

/** Shortest digest that is taken but for identity, in bytes (boxo/verifcid). */
const SHORTEST = 20

/** The platform's own SHA-256 where pages may use it. */
async function sha2(bytes: Uint8Array): Promise<Uint8Array> {
  const subtle = globalThis.crypto?.subtle
  return subtle === undefined ? sha256(bytes) : new Uint8Array(await subtle.digest('SHA-256', bytes as Uint8Array<ArrayBuffer>))
}

/** Holds bytes against a CID. */
export const check: Check = async ({ multihash: { code, size, digest } }, bytes) => {
  const hash = DIGESTS.get(code)
  if (hash === undefined || (code !== 0 && (size < SHORTEST || size > 128))) return undefined
  const made = await hash(bytes, size)
  return made.length >= size && digest.every((byte, i) => byte === made[i]) && (code !== 0 || bytes.length === size)
}
