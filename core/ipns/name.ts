import { formatPeerId, parsePeerId } from '../keys/peer-id.ts'

const PREFIX = '/ipns/'

/**
 * The multihash that a name stands for: a peer ID in any form, with or without `/ipns/` before it.
 *
 * @throws E_PEER_ID, E_PEER_ID_CODEC
 */
export function parseName(text: string): Uint8Array {
  return parsePeerId(text.startsWith(PREFIX) ? text.slice(PREFIX.length) : text)
}

/** A name as it is usually written: the CID of a libp2p key in base36, `k51…`. */
export function formatName(multihash: Uint8Array): string {
  return formatPeerId(multihash, 'base36')
}

/** The key under which the DHT knows the record of a name. */
export function routingKey(multihash: Uint8Array): Uint8Array {
  return Buffer.concat([Buffer.from(PREFIX), multihash])
}
