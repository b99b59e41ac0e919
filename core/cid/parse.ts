import { CID } from 'multiformats/cid'
import { Digest } from 'multiformats/hashes/digest'
import type { MultihashDigest } from 'multiformats/interface'
import { messageOf, type NodeError } from '../errors.ts'
import { base32Lower, base58btc, decodeMultibase, encodeMultibase, type Multibase } from './bases.ts'
import { BLAKE3, DAG_CBOR, DAG_PB, RAW, SHA2_256 } from './codes.ts'
import { cidErrors } from './errors.ts'
import { decodeMultihash, readMultihash } from './multihash.ts'
import { readVarint } from './varint.ts'

/** Bytes of a CID of version 1 as most are. */
export const USUAL = 36
/** Version 1, codec raw. */
const RAW_HEAD = [0x01, RAW] as const

/**
 * The CID a text stands for, as go-cid 0.4.1 reads it: `Qm…` of 46 characters, or multibase.
 *
 * @throws E_CID_INVALID
 */
export function parseCid(text: string): CID {
  if (Buffer.byteLength(text) < 2) throw cidErrors.E_CID_INVALID('cid too short')
  return text.length === 46 && text.startsWith('Qm') ? parseV0(text) : decodeCid(attempt(() => decodeMultibase(text).bytes))
}

function parseV0(text: string): CID {
  const bytes = multihashBytes(text)
  const { code, size } = attempt(() => decodeMultihash(bytes))
  if (code !== SHA2_256 || size !== 32) throw cidErrors.E_CID_INVALID(`invalid hash for cidv0 ${code}-${size}`)
  return cidV0(bytes)
}

function multihashBytes(text: string): Uint8Array {
  try {
    return base58btc.decode(text)
  } catch {
    throw cidErrors.E_CID_INVALID("input isn't valid multihash")
  }
}

/**
 * The CID that `bytes` are, to their end. The CID keeps `bytes`, so they must not change.
 *
 * @throws E_CID_INVALID
 */
export function decodeCid(bytes: Uint8Array): CID {
  const cid = attempt(() => readCid(bytes))
  if (cid.bytes.length !== bytes.length) throw cidErrors.E_CID_INVALID('trailing bytes in data buffer passed to cid Cast')
  return cid
}

/**
 * The CID at the start of `bytes`, as a view of them; `cid.bytes.length` says how far it goes.
 *
 * @throws E_CID_INVALID
 */
export function readCid(bytes: Uint8Array): CID {
  if (bytes.length > 2 && bytes[0] === SHA2_256 && bytes[1] === 32) {
    if (bytes.length < 34) throw cidErrors.E_CID_INVALID('not enough bytes for cid v0')
    return cidV0(bytes.subarray(0, 34))
  }
  if (isUsual(bytes)) return new CID(1, bytes[1]!, sha256Of(bytes.subarray(2, USUAL)), bytes.subarray(0, USUAL))
  const version = attempt(() => readVarint(bytes))
  if (version.value !== 1) throw cidErrors.E_CID_INVALID(`expected 1 as the cid version number, got: ${BigInt(version.value)}`)
  const codec = attempt(() => readVarint(bytes, version.size))
  const start = version.size + codec.size
  const multihash = attempt(() => readMultihash(bytes.subarray(start)))
  return new CID(1, codec.value, multihash, bytes.subarray(0, start + multihash.bytes.length))
}

/** A copy of a CID: one that was read from a block is a part of it, and keeps it in memory. */
export function copyOfCid(cid: CID): CID {
  return readCid(Uint8Array.from(cid.bytes))
}

/** Whether a CID of version 1 begins there whose codec is one byte and whose digest is one of sha2-256: there are few others. */
export function isUsual(bytes: Uint8Array): boolean {
  return bytes.length >= USUAL && bytes[0] === 1 && bytes[1]! < 0x80 && bytes[2] === SHA2_256 && bytes[3] === 32
}

function cidV0(bytes: Uint8Array): CID {
  return new CID(0, DAG_PB, sha256Of(bytes), bytes)
}

/** @param multihash - whose first two bytes say that it is one of sha2-256 */
function sha256Of(multihash: Uint8Array): MultihashDigest {
  return new Digest(SHA2_256, 32, multihash.subarray(2), multihash)
}

function attempt<T>(read: () => T): T {
  try {
    return read()
  } catch (error) {
    throw invalid(error)
  }
}

function invalid(error: unknown): NodeError {
  return cidErrors.E_CID_INVALID(messageOf(error))
}

/**
 * The text of a CID: base58 for version 0, and for version 1 `base`, by default base32.
 *
 * @throws E_CID_BASE when version 0 is asked for in another base than base58btc
 */
export function cidToString(cid: CID, base?: Multibase): string {
  if (cid.version === 1) return encodeMultibase(base ?? base32Lower, cid.bytes)
  if (base !== undefined && base !== base58btc) throw cidErrors.E_CID_BASE()
  return base58btc.encode(cid.bytes)
}

/** Whether a CID is one of DASL or BDASL (dasl.ing/cid.html, dasl.ing/bdasl.html): raw or dag-cbor, by SHA2-256 or BLAKE3 of 32 bytes. */
export function isDasl({ version, code, multihash: { code: hash, size } }: CID): boolean {
  return version === 1 && (code === RAW || code === DAG_CBOR) && (hash === SHA2_256 || hash === BLAKE3) && size === 32
}

/** The text of the CID, version 1 and raw in base32, of the block that a store has under a key; any bytes will do, as in Kubo's listings. */
export function rawCidToString(multihash: Uint8Array): string {
  const bytes = new Uint8Array(RAW_HEAD.length + multihash.byteLength)
  bytes.set(RAW_HEAD)
  bytes.set(multihash, RAW_HEAD.length)
  return encodeMultibase(base32Lower, bytes)
}
