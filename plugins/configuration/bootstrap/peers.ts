import { parseAddressOfPeer, parsePeerAddress } from '../../../core/multiaddr/index.ts'
import { configurationErrors } from '../errors.ts'

/** The ways to each peer, by its ID: multiaddrs without the peer itself, `''` for none. Peers and addresses in the order of the list. */
type Peers = Map<string, string[]>

/**
 * Addresses by the peers they lead to.
 *
 * @throws E_MULTIADDR, E_MULTIADDR_NO_PEER
 */
export async function parsePeers(addresses: readonly string[]): Promise<Peers> {
  const peers: Peers = new Map()
  for (const address of addresses) {
    const { transport, peer } = await parseAddressOfPeer(address)
    peers.set(peer, [...(peers.get(peer) ?? []), transport])
  }
  return peers
}

/** The same as multiaddrs, grouped by peer. */
export function peerAddresses(peers: Peers): string[] {
  return [...peers].flatMap(([peer, transports]) => transports.map(transport => `${transport}/p2p/${peer}`))
}

/** @throws E_MULTIADDR, E_BOOTSTRAP_NO_PEER, E_BOOTSTRAP_NO_TRANSPORT */
export async function checkBootstrapAddress(text: string): Promise<void> {
  const { transport, peer } = await parsePeerAddress(text)
  if (peer === undefined) throw configurationErrors.E_BOOTSTRAP_NO_PEER(text)
  if (transport === '') throw configurationErrors.E_BOOTSTRAP_NO_TRANSPORT(text)
}

/**
 * Takes addresses out of a list. A peer alone stands for all its addresses, unless one of them is named too.
 *
 * @returns the two lists that it falls into, each in its order
 */
export function withoutPeers(peers: Peers, unwanted: Peers): { readonly kept: Peers; readonly removed: Peers } {
  const kept: Peers = new Map()
  const removed: Peers = new Map()
  for (const [peer, transports] of peers) {
    const named = unwanted.get(peer)?.filter(transport => transport !== '')
    const goes = (transport: string) => named !== undefined && (named.length === 0 || named.includes(transport))
    const [gone, stays] = [transports.filter(goes), transports.filter(transport => !goes(transport))]
    if (gone.length > 0) removed.set(peer, gone)
    if (stays.length > 0) kept.set(peer, stays)
  }
  return { kept, removed }
}
