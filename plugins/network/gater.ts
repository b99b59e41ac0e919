import type { ConnectionGater, MultiaddrConnection } from '@libp2p/interface'
import type { AddressFilters } from '../../core/index.ts'

/** What limits inbound connections. */
export interface Admission {
  admits(address: string): boolean
  admitsPeer(peer: string, address: string): boolean
}

/**
 * Who is dialled and let in: nobody whose address a filter has, and nobody beyond the limits.
 *
 * @param admitted - called with each inbound connection that is let in, before anything of it is read
 */
export function gaterOf(
  filters: Pick<AddressFilters, 'blocks'>,
  limits: Admission,
  admitted: (connection: MultiaddrConnection) => void
): ConnectionGater {
  return {
    denyDialMultiaddr: address => filters.blocks(address.toString()),
    denyInboundConnection: connection => {
      const address = connection.remoteAddr.toString()
      if (filters.blocks(address) || !limits.admits(address)) return true
      admitted(connection)
      return false
    },
    denyInboundEncryptedConnection: (peer, { remoteAddr }) =>
      filters.blocks(remoteAddr.toString()) || !limits.admitsPeer(peer.toString(), remoteAddr.toString()),
    denyOutboundEncryptedConnection: (_, { remoteAddr }) => filters.blocks(remoteAddr.toString())
  }
}
