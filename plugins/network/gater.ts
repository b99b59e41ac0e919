import type { ConnectionGater, MultiaddrConnection } from '@libp2p/interface'
import type { AddressFilters } from '../../core/index.ts'
import type { PendingInbound } from './pending.ts'

/** What limits inbound connections. */
export interface Admission {
  admits(address: string): boolean
  admitsPeer(peer: string, address: string): boolean
}

/**
 * Who is dialled and let in: nobody whose address a filter has, and nobody beyond the limits or the share of its address.
 *
 * @param admitted - called with each inbound connection that is let in, before anything of it is read
 */
export function gaterOf(
  filters: Pick<AddressFilters, 'blocks'>,
  limits: Admission,
  pending: PendingInbound,
  admitted: (connection: MultiaddrConnection) => void
): ConnectionGater {
  return {
    denyDialMultiaddr: address => filters.blocks(address.toString()),
    denyInboundConnection: connection => {
      const address = connection.remoteAddr.toString()
      if (filters.blocks(address) || !limits.admits(address) || !pending.take(connection, address)) return true
      admitted(connection)
      return false
    },
    denyInboundEncryptedConnection: (peer, connection) => {
      pending.secured(connection)
      const address = connection.remoteAddr.toString()
      return filters.blocks(address) || !limits.admitsPeer(peer.toString(), address)
    },
    denyOutboundEncryptedConnection: (_, { remoteAddr }) => filters.blocks(remoteAddr.toString())
  }
}
