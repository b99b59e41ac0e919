import type { RoutedPeer } from '../../../core/index.ts'
import { reachOf } from '../../../core/multiaddr/index.ts'

/** Which of the two tables: the one of the internet, or that of the own network. */
type Scope = 'wan' | 'lan'

/** The differences between the two tables (go-libp2p-kad-dht 0.25, dual). */
export interface ScopeRules {
  readonly scope: Scope
  readonly protocol: string
  /** Whether few peers of each network are let into the table. */
  readonly isDiverse: boolean
  /** Whether a peer at these addresses belongs here. */
  admits(addresses: readonly string[]): boolean
  /** The peer with those of its addresses that are handed on. */
  shown(peer: RoutedPeer): RoutedPeer
}

/** @param loopback - whether addresses of the machine itself are handed on in the own network (`Routing.LoopbackAddressesOnLanDHT`) */
export function scopeRules(scope: Scope, loopback: boolean): ScopeRules {
  const isWan = scope === 'wan'
  const isLocal = (address: string) => ['private', 'loopback'].includes(reachOf(address))
  const isShown = (address: string) => {
    const reach = reachOf(address)
    return isWan ? reach === 'public' : reach === 'private' || reach === 'public' || (reach === 'loopback' && loopback)
  }
  return {
    scope,
    isDiverse: isWan,
    protocol: isWan ? '/ipfs/kad/1.0.0' : '/ipfs/lan/kad/1.0.0',
    admits: addresses => addresses.some(address => (isWan ? reachOf(address) === 'public' : isLocal(address))),
    shown: ({ id, addresses }) => ({ id, addresses: addresses.filter(isShown) })
  }
}
