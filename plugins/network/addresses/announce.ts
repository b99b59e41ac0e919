import { readOf } from '../config/checked.ts'
import type { NetworkConfig } from '../config/config.ts'
import { withoutPeer } from './addresses.ts'
import { inRange, parseFilter } from './filters.ts'

/**
 * The addresses that peers are told, out of those that the node has: `Addresses.Announce` instead of them, and with or without some. An ID at
 * the end of one is left out: the node's own follows each.
 *
 * @throws E_PEER_OF_CONFIG for a range that is none
 */
export function announcer({ announce, appendAnnounce, noAnnounce }: NetworkConfig): (addresses: readonly string[]) => string[] {
  const ranges = noAnnounce.filter(address => address.includes('/ipcidr/')).map(range => readOf('Addresses.NoAnnounce', range, parseFilter))
  const exact = new Set(noAnnounce.map(withoutPeer))
  const [instead, besides] = [announce, appendAnnounce].map(some => some.map(withoutPeer)) as [string[], string[]]
  return addresses => {
    const all = [...(instead.length > 0 ? instead : addresses), ...besides]
    return [...new Set(all)].filter(address => !exact.has(address) && !ranges.some(range => inRange(range, address)))
  }
}
