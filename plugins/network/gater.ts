import type { ConnectionGater } from '@libp2p/interface'
import type { AddressFilters } from '../../core/index.ts'

/** Whether an inbound connection from an address is let in. */
export type Admits = (address: string) => boolean

/** Who is dialled and let in: nobody whose address a filter has, and nobody beyond the limits. */
export function gaterOf(filters: Pick<AddressFilters, 'blocks'>, admits: Admits): ConnectionGater {
  return {
    denyDialMultiaddr: address => filters.blocks(address.toString()),
    denyInboundConnection: ({ remoteAddr }) => filters.blocks(remoteAddr.toString()) || !admits(remoteAddr.toString()),
    denyInboundEncryptedConnection: (_, { remoteAddr }) => filters.blocks(remoteAddr.toString()),
    denyOutboundEncryptedConnection: (_, { remoteAddr }) => filters.blocks(remoteAddr.toString())
  }
}
