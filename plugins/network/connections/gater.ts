import { lookup } from 'node:dns/promises'
import type { ConnectionGater, MultiaddrConnection } from '@libp2p/interface'
import type { AddressFilters } from '../../../core/index.ts'
import { originOf } from '../../../core/multiaddr/index.ts'
import type { Refusals } from '../../../core/network/index.ts'
import type { PendingInbound } from './pending.ts'

/** The limits of inbound connections. */
export interface Admission {
  admits(address: string): boolean
  admitsPeer(peer: string, address: string): boolean
}

export interface GaterParts {
  readonly filters: Pick<AddressFilters, 'blocks' | 'list'>
  readonly limits: Admission
  readonly pending: PendingInbound
  readonly refusals: Refusals
  /** Whether nothing has come over an inbound connection yet. */
  isSilent(connection: MultiaddrConnection): boolean
  /** Called with each inbound connection that is let in, before anything of it is read. */
  admitted(connection: MultiaddrConnection): void
}

/** The host of an address that is a name, and which of its IP addresses are dialled. */
const NAME = /^\/(dns[46]?)\/([^/]+)/
const FAMILIES: Readonly<Record<string, 0 | 4 | 6>> = { dns: 0, dns4: 4, dns6: 6 }

/** Whether a filter has an address to which the name in a multiaddr leads. One that leads nowhere is for the dial to fail by. */
async function blocksName(filters: GaterParts['filters'], address: string): Promise<boolean> {
  const [, kind, name] = NAME.exec(address) ?? []
  if (name === undefined || filters.list().length === 0) return false
  const found = await lookup(name, { all: true, family: FAMILIES[kind!]! }).catch(() => [])
  return found.some(({ address: ip, family }) => filters.blocks(`/ip${family}/${ip}`))
}

/** The gate for dials and inbound connections: no address that a filter has, and none beyond the limits or its share. */
export function gaterOf({ filters, limits, pending, refusals, isSilent, admitted }: GaterParts): ConnectionGater {
  const refused = (address: string, why: string) => {
    refusals.tell(`a connection of ${originOf(address)}`, why)
    return true
  }
  return {
    denyDialMultiaddr: async address => filters.blocks(address.toString()) || (await blocksName(filters, address.toString())),
    denyInboundConnection: connection => {
      const address = connection.remoteAddr.toString()
      if (filters.blocks(address)) return true
      if (!limits.admits(address)) return refused(address, 'as many are open as Swarm.ResourceMgr lets in')
      pending.take(connection, address, {
        isSilent: () => isSilent(connection),
        close(why) {
          refused(address, why)
          connection.abort(new Error(why))
        }
      })
      admitted(connection)
      return false
    },
    denyInboundEncryptedConnection: (peer, connection) => {
      const address = connection.remoteAddr.toString()
      if (filters.blocks(address)) return true
      if (!limits.admitsPeer(peer.toString(), address)) {
        refusals.tell(`a connection of the peer ${peer}`, 'it has as many as Swarm.ResourceMgr allows one')
        return true
      }
      return false
    },
    // one that is secured and on which nothing else is agreed on is no more than one that is not
    denyInboundUpgradedConnection: (_, connection) => {
      pending.secured(connection)
      return false
    },
    denyOutboundEncryptedConnection: (_, { remoteAddr }) => filters.blocks(remoteAddr.toString())
  }
}
