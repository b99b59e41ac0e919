import type { Peer } from '@libp2p/interface'
import type { KnownPeer } from '../../../core/index.ts'
import { sorted, withoutPeer } from '../addresses/addresses.ts'

/** A peer of libp2p's store as the contract has it. */
export function knownPeer(
  { id, addresses, protocols, metadata }: Peer,
  toBytes: (key: NonNullable<Peer['id']['publicKey']>) => Uint8Array
): KnownPeer {
  const agent = metadata.get('AgentVersion')
  return {
    id: id.toString(),
    addresses: sorted(addresses.map(({ multiaddr }) => withoutPeer(multiaddr.toString()))),
    protocols: sorted(protocols),
    agent: agent === undefined ? '' : new TextDecoder().decode(agent),
    publicKey: id.publicKey === undefined ? undefined : toBytes(id.publicKey)
  }
}
