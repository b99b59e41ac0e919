import { createHash } from 'node:crypto'
import { base58btc } from 'multiformats/bases/base58'

/** Public keys up to this size stand in the peer ID itself, longer ones as their SHA-256 (libp2p specs, peer-ids). */
const INLINE_MAX = 42

/** The peer ID of a public key (a libp2p protobuf): a multihash. */
export function peerIdBytes(publicKey: Uint8Array): Uint8Array {
  const inline = publicKey.length <= INLINE_MAX
  const digest = inline ? publicKey : createHash('sha256').update(publicKey).digest()
  const multihash = new Uint8Array(2 + digest.length)
  multihash.set([inline ? 0x00 : 0x12, digest.length])
  multihash.set(digest, 2)
  return multihash
}

/** `12D3KooW…` or `Qm…` */
export function peerIdString(multihash: Uint8Array): string {
  return base58btc.baseEncode(multihash)
}

/** The public key (a libp2p protobuf) that a peer ID carries in itself; undefined for one that is a hash. */
export function inlinePublicKey(multihash: Uint8Array): Uint8Array | undefined {
  return multihash[0] === 0x00 && multihash[1] === multihash.length - 2 ? multihash.subarray(2) : undefined
}
