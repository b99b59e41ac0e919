import type { PeerId } from '@libp2p/interface'

/** The small packages of libp2p that are needed all the time, imported when the network starts. */
export interface Libraries {
  peerIdFromString(text: string): PeerId
  multiaddr(text: string): import('@multiformats/multiaddr').Multiaddr
  /** Whether other peers can be reached over relays. */
  readonly relays: boolean
  publicKeyToProtobuf(key: NonNullable<PeerId['publicKey']>): Uint8Array
}

export async function loadLibraries(relays: boolean): Promise<Libraries> {
  const [{ peerIdFromString }, { multiaddr }, { publicKeyToProtobuf }] = await Promise.all([
    import('@libp2p/peer-id'),
    import('@multiformats/multiaddr'),
    import('@libp2p/crypto/keys')
  ])
  return { peerIdFromString, multiaddr, publicKeyToProtobuf, relays }
}
