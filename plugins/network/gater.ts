import type { ConnectionGater } from '@libp2p/interface'
import type { AddressFilters } from '../../core/index.ts'

/** What limits inbound connections. */
export interface Admission {
  admits(address: string): boolean
  admitsPeer(peer: string, address: string): boolean
}

/** Who is dialled and let in: nobody whose address a filter has, and nobody beyond the limits. */
export function gaterOf(filters: Pick<AddressFilters, 'blocks'>, limits: Admission): ConnectionGater {
  return {
    denyDialMultiaddr: address => filters.blocks(address.toString()),
    denyInboundConnection: ({ remoteAddr }) => filters.blocks(remoteAddr.toString()) || !limits.admits(remoteAddr.toString()),
    denyInboundEncryptedConnection: (peer, { remoteAddr }) =>
      filters.blocks(remoteAddr.toString()) || !limits.admitsPeer(peer.toString(), remoteAddr.toString()),
    denyOutboundEncryptedConnection: (_, { remoteAddr }) => filters.blocks(remoteAddr.toString())
  }
}
