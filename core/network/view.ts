import type { KnownPeer } from '../services/network/network.ts'

/** A peer as `id` and `swarm/peers` show it (Kubo 0.28, core/commands/id.go). */
export interface PeerView {
  readonly ID: string
  /** libp2p protobuf in base64; `''` where it is not known. */
  readonly PublicKey: string
  /** Multiaddrs with the peer at their end. */
  readonly Addresses: string[]
  readonly AgentVersion: string
  readonly Protocols: string[] | null
}

export function peerView({ id, publicKey, addresses, agent, protocols }: KnownPeer): PeerView {
  return {
    ID: id,
    PublicKey: Buffer.from(publicKey ?? []).toString('base64'),
    Addresses: (addresses.length > 0 ? addresses : ['']).map(address => `${address}/p2p/${id}`).sort(),
    AgentVersion: agent,
    Protocols: protocols.length > 0 ? [...protocols] : null
  }
}
