import type { CID } from 'multiformats/cid'
import { IDENTITY } from './codes.ts'
import { cidErrors } from './errors.ts'

export interface HashName {
  readonly code: number
  readonly name: string
}

/** The names of go-multihash 0.2.3, by code. */
export const hashNames: readonly HashName[] = [
  ...named(
    [0x00, 'identity'],
    [0x11, 'sha1'],
    [0x12, 'sha2-256'],
    [0x13, 'sha2-512'],
    [0x14, 'sha3-512'],
    [0x15, 'sha3-384'],
    [0x16, 'sha3-256'],
    [0x17, 'sha3-224'],
    [0x18, 'shake-128'],
    [0x19, 'shake-256'],
    [0x1a, 'keccak-224'],
    [0x1b, 'keccak-256'],
    [0x1c, 'keccak-384'],
    [0x1d, 'keccak-512'],
    [0x1e, 'blake3'],
    [0x22, 'murmur3-x64-64'],
    [0x56, 'dbl-sha2-256'],
    [0xd5, 'md5'],
    [0x1012, 'sha2-256-trunc254-padded'],
    [0x1100, 'x11']
  ),
  ...family('blake2b', 0xb201, 64),
  ...family('blake2s', 0xb241, 32),
  ...named([0xb401, 'poseidon-bls12_381-a2-fc1'])
]

function named(...entries: ReadonlyArray<readonly [number, string]>): HashName[] {
  return entries.map(([code, name]) => ({ code, name }))
}

function family(name: string, first: number, most: number): HashName[] {
  return Array.from({ length: most }, (_, i) => ({ code: first + i, name: `${name}-${(i + 1) * 8}` }))
}

const byName: ReadonlyMap<string, number> = new Map([...hashNames.map(({ name, code }) => [name, code] as const), ['sha3', 0x14] as const])
const byCode: ReadonlyMap<number, string> = new Map(hashNames.map(({ name, code }) => [code, name]))

/** The code of a hash function by its exact name; undefined when there is none. `sha3` is `sha3-512`. */
export function hashByName(name: string): number | undefined {
  return byName.get(name)
}

/** The name of a hash function; undefined when it has none. */
export function hashName(code: number): string | undefined {
  return byCode.get(code)
}

const SECURE: ReadonlySet<number> = new Set([IDENTITY, 0x11, 0x12, 0x13, 0x14, 0x15, 0x16, 0x17, 0x19, 0x1a, 0x1b, 0x1c, 0x1d, 0x1e, 0x56])

/** Digest lengths that a node takes, in bytes (boxo 0.19, verifcid). */
export const digestLimits = { least: 20, most: 128 } as const

/** Whether a node takes blocks under this hash function (boxo 0.19, verifcid). */
export function isSecureHash(code: number): boolean {
  return SECURE.has(code) || (code >= 0xb201 + 19 && code <= 0xb240) || (code >= 0xb241 + 19 && code <= 0xb260)
}

/** Whether {@link checkCidSecurity} takes a CID. */
export function isCidSecure({ multihash: { code, size } }: CID): boolean {
  return isSecureHash(code) && (code === IDENTITY || (size >= digestLimits.least && size <= digestLimits.most))
}

/**
 * Refuses a CID that a node must neither store nor fetch.
 *
 * @throws E_HASH_INSECURE, E_DIGEST_TOO_SHORT, E_DIGEST_TOO_LONG
 */
export function checkCidSecurity({ multihash: { code, size } }: CID): void {
  if (!isSecureHash(code)) throw cidErrors.E_HASH_INSECURE()
  if (code === IDENTITY) return
  if (size < digestLimits.least) throw cidErrors.E_DIGEST_TOO_SHORT(digestLimits.least)
  if (size > digestLimits.most) throw cidErrors.E_DIGEST_TOO_LONG(digestLimits.most)
}
