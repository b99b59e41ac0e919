import { createHash, hash } from 'node:crypto'
import { murmur364 } from '@multiformats/murmur3'
import { blake2b } from '@noble/hashes/blake2.js'
import { blake3 } from '@noble/hashes/blake3.js'
import { keccak_256, keccak_512 } from '@noble/hashes/sha3.js'
import type { Hasher, Hashing } from '../services/content/dag.ts'
import { Turns } from '../turns.ts'
import { MURMUR3_64, SHA2_256 } from './codes.ts'
import { cidErrors } from './errors.ts'
import { hashName } from './hashes.ts'

/** A hash function and how long its digests are, in bytes. */
interface HashFunction extends Hasher {
  /** Length when none is asked for; undefined: as long as the input. */
  readonly size: number | undefined
}

const BLAKE3 = { usual: 32, most: 128 }

function openssl(code: number, name: string, algorithm: string, size: number): HashFunction {
  return fixed(code, name, size, { digest: bytes => digestOf(algorithm, bytes), begin: () => createHash(algorithm) })
}

interface Making {
  digest(bytes: Uint8Array): Uint8Array
  begin?(): Hashing
}

function fixed(code: number, name: string, size: number, { digest, begin }: Making): HashFunction {
  const whole: HashFunction = { code, name, size, digest: (bytes, length) => cut(digest(bytes), length) }
  if (begin === undefined) return whole
  return { ...whole, begin: length => cutting(begin(), length) }
}

function cutting(hashing: Hashing, length: number | undefined): Hashing {
  return { update: piece => hashing.update(piece), digest: () => cut(hashing.digest(), length) }
}

/** A negative length means the whole digest, as in go-multihash. */
function cut(digest: Uint8Array, length = -1): Uint8Array {
  if (length > digest.length) throw cidErrors.E_DIGEST_TOO_LARGE()
  return length < 0 ? digest : digest.subarray(0, length)
}

function shake(code: number, bits: number): HashFunction {
  const size = bits / 4
  const begin = () => createHash(`shake${bits}`, { outputLength: size })
  return fixed(code, `shake-${bits}`, size, { digest: bytes => begin().update(bytes).digest(), begin })
}

/** A digest in V8's own memory. What `hash` returns as a buffer is memory of the C library, which takes longer than to hash a kilobyte. */
function digestOf(algorithm: string, bytes: Uint8Array): Uint8Array {
  const text = hash(algorithm, bytes, 'binary')
  const digest = new Uint8Array(text.length)
  for (let i = 0; i < text.length; i++) digest[i] = text.charCodeAt(i)
  return digest
}

const sha256 = (bytes: Uint8Array) => digestOf('sha256', bytes)

/** Whether a digest of sha2-256 is that of `bytes`, with nothing made to say so. */
export function isSha256(digest: Uint8Array, bytes: Uint8Array): boolean {
  const text = hash('sha256', bytes, 'binary')
  if (digest.length !== text.length) return false
  for (let i = 0; i < text.length; i++) if (text.charCodeAt(i) !== digest[i]) return false
  return true
}

const identity: HashFunction = { code: 0x00, name: 'identity', size: undefined, digest: bytes => bytes }

const variableBlake3: HashFunction = {
  code: 0x1e,
  name: 'blake3',
  size: BLAKE3.usual,
  digest: (bytes, length) => blake3(bytes, { dkLen: blake3Length(length) }),
  begin: length => blake3.create({ dkLen: blake3Length(length) })
}

function blake3Length(length = -1): number {
  if (length < -1 || length === 0 || length > BLAKE3.most) throw cidErrors.E_DIGEST_TOO_LARGE()
  return length < 0 ? BLAKE3.usual : length
}

/** Every hash function that go-multihash 0.2.3 registers in Kubo 0.28. */
export const hashFunctions: readonly HashFunction[] = [
  identity,
  openssl(0x11, 'sha1', 'sha1', 20),
  openssl(SHA2_256, 'sha2-256', 'sha256', 32),
  openssl(0x13, 'sha2-512', 'sha512', 64),
  openssl(0x14, 'sha3-512', 'sha3-512', 64),
  openssl(0x15, 'sha3-384', 'sha3-384', 48),
  openssl(0x16, 'sha3-256', 'sha3-256', 32),
  openssl(0x17, 'sha3-224', 'sha3-224', 28),
  shake(0x18, 128),
  shake(0x19, 256),
  fixed(0x1b, 'keccak-256', 32, { digest: keccak_256, begin: () => keccak_256.create() }),
  fixed(0x1d, 'keccak-512', 64, { digest: keccak_512, begin: () => keccak_512.create() }),
  variableBlake3,
  openssl(0x20, 'sha2-384', 'sha384', 48),
  fixed(MURMUR3_64, 'murmur3-x64-64', 8, { digest: bytes => murmur364.encode(bytes) as Uint8Array }),
  fixed(0x56, 'dbl-sha2-256', 32, { digest: bytes => sha256(sha256(bytes)), begin: doubleSha256 }),
  openssl(0xd5, 'md5', 'md5', 16),
  openssl(0x1013, 'sha2-224', 'sha224', 28),
  openssl(0x1014, 'sha2-512-224', 'sha512-224', 28),
  openssl(0x1015, 'sha2-512-256', 'sha512-256', 32),
  ...Array.from({ length: 64 }, (_, i) => blake2bOf(i + 1)),
  openssl(0xb260, 'blake2s-256', 'blake2s256', 32)
]

function doubleSha256(): Hashing {
  const once = createHash('sha256')
  return { update: piece => once.update(piece), digest: () => sha256(once.digest()) }
}

function blake2bOf(size: number): HashFunction {
  const code = 0xb200 + size
  const name = hashName(code)!
  return size === 64
    ? openssl(code, name, 'blake2b512', size)
    : fixed(code, name, size, { digest: bytes => blake2b(bytes, { dkLen: size }), begin: () => blake2b.create({ dkLen: size }) })
}

const byCode: ReadonlyMap<number, HashFunction> = new Map(hashFunctions.map(of => [of.code, of]))

/**
 * The hash function with this code.
 *
 * @throws E_HASH_UNREGISTERED
 */
export function hashFunction(code: number): HashFunction {
  const found = byCode.get(code)
  if (found === undefined) throw cidErrors.E_HASH_UNREGISTERED(code)
  return found
}

/** Bytes up to which a block is hashed at once: most blocks have no more. */
const AT_ONCE = 1 << 20
/** Bytes of a longer one that are hashed between two looks at the clock: 25 ms of the slowest function. */
const PIECE = 1 << 18

/**
 * The same as a hasher's digest. While a long block is hashed, other calls go on.
 *
 * @param call - whose signal ends the work; it is asked for where there is much of it
 * @throws the signal's reason, and what the hasher throws
 */
export function digestInTurns(
  hasher: Hasher,
  bytes: Uint8Array,
  length?: number,
  call?: { readonly signal?: AbortSignal | undefined }
): Uint8Array | Promise<Uint8Array> {
  if (isHashedAtOnce(hasher, bytes)) return hasher.digest(bytes, length)
  return inPieces(hasher.begin!(length), bytes, new Turns(call?.signal))
}

/** Whether `digestInTurns` hashes these bytes without a turn of others in between. */
export function isHashedAtOnce(hasher: Hasher, bytes: Uint8Array): boolean {
  return bytes.length <= AT_ONCE || hasher.begin === undefined
}

async function inPieces(hashing: Hashing, bytes: Uint8Array, turns: Turns): Promise<Uint8Array> {
  for (let at = 0; at < bytes.length; at += PIECE) {
    hashing.update(bytes.subarray(at, at + PIECE))
    if (turns.due) await turns.take()
  }
  return hashing.digest()
}

/**
 * The digest of `bytes`, cut to `length` bytes; without a length, or with a negative one, as long as the function makes it.
 *
 * @throws E_HASH_UNREGISTERED, E_DIGEST_TOO_LARGE
 */
export function digestSync(code: number, bytes: Uint8Array, length?: number): Uint8Array {
  return code === SHA2_256 && length === undefined ? sha256(bytes) : hashFunction(code).digest(bytes, length)
}
