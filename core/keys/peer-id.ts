import { createHash } from 'node:crypto'
import { base58btc, encodeMultibase, multibaseByName } from '../cid/bases.ts'
import { codecName } from '../cid/codecs.ts'
import { IDENTITY, LIBP2P_KEY, SHA2_256 } from '../cid/codes.ts'
import { decodeMultihash } from '../cid/multihash.ts'
import { parseCid } from '../cid/parse.ts'
import { messageOf } from '../errors.ts'
import { decodeKey } from './encoding.ts'
import { keyErrors } from './errors.ts'

/** Public keys up to this size stand in the peer ID itself, longer ones as their SHA-256 (libp2p specs, peer-ids). */
const INLINE_MAX = 42
/** No multihash of a key is longer than 128 bytes, in no base. To decode a longer text takes time, and it comes from anybody. */
const MAX_TEXT = 2048

/** The peer ID of a public key (a libp2p protobuf): a multihash. */
export function peerIdBytes(publicKey: Uint8Array): Uint8Array {
  const inline = publicKey.length <= INLINE_MAX
  const digest = inline ? publicKey : createHash('sha256').update(publicKey).digest()
  const multihash = new Uint8Array(2 + digest.length)
  multihash.set([inline ? IDENTITY : SHA2_256, digest.length])
  multihash.set(digest, 2)
  return multihash
}

/** `12D3KooW…` or `Qm…` */
export function peerIdString(multihash: Uint8Array): string {
  return base58btc.encode(multihash)
}

/**
 * A peer ID the way the options `peerid-base` and `ipns-base` ask for it: `b58mh` or `v0` as {@link peerIdString}, else as a CID of a
 * libp2p key in the multibase of that name or prefix (Kubo 0.28, core/commands/keyencode).
 *
 * @throws E_MULTIBASE_UNSUPPORTED, E_MULTIBASE_EMPTY
 */
export function formatPeerId(multihash: Uint8Array, base: string): string {
  if (base === 'b58mh' || base === 'v0') return peerIdString(multihash)
  return encodeMultibase(multibaseByName(base), Uint8Array.of(0x01, LIBP2P_KEY, ...multihash))
}

/**
 * The multihash of a peer ID written as base58 (`12D3KooW…`, `Qm…`) or as the CID of a libp2p key in any multibase.
 *
 * @throws E_PEER_ID, E_PEER_ID_CODEC
 */
export function parsePeerId(text: string): Uint8Array {
  if (text.length > MAX_TEXT) throw keyErrors.E_PEER_ID(`it has more than ${MAX_TEXT} characters`)
  if (text.startsWith('Qm') || text.startsWith('1')) return reading(() => decodeMultihash(base58btc.decode(text)).bytes)
  const cid = reading(() => parseCid(text))
  if (cid.code !== LIBP2P_KEY) throw keyErrors.E_PEER_ID_CODEC(codecName(cid.code))
  return cid.multihash.bytes
}

/** The same; undefined for a text that is none. */
export function tryPeerId(text: string): Uint8Array | undefined {
  try {
    return parsePeerId(text)
  } catch {
    return undefined
  }
}

function reading<T>(read: () => T): T {
  try {
    return read()
  } catch (error) {
    throw keyErrors.E_PEER_ID(messageOf(error))
  }
}

/** The public key (a libp2p protobuf) that a peer ID carries in itself; undefined for one that is a hash, or that carries something else. */
export function inlinePublicKey(multihash: Uint8Array): Uint8Array | undefined {
  if (multihash[0] !== IDENTITY || multihash[1] !== multihash.length - 2) return undefined
  const publicKey = multihash.subarray(2)
  try {
    decodeKey(publicKey, 'PublicKey')
    return publicKey
  } catch {
    return undefined
  }
}
