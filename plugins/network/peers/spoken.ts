import type { Peer, PeerId } from '@libp2p/interface'
import type { Node } from '../libp2p/node.ts'

/** What libp2p writes into its store of peers, as far as it matters here. */
interface PeerData {
  readonly protocols?: readonly string[]
}

/**
 * Writes once for each connected peer that it speaks a protocol. libp2p writes so for every stream before it is served, and reads and decodes all that it
 * knows of the peer: some 0.3 ms a stream, of which a peer may open one for each block.
 */
export function writeSpokenOnce(node: Pick<Node, 'peerStore' | 'getConnections' | 'addEventListener'>): void {
  const { peerStore } = node
  const spoken = new Map<string, { readonly peer: Peer; readonly protocols: Set<string> }>()
  const merge = peerStore.merge.bind(peerStore)
  peerStore.merge = async (peer: PeerId, data, options) => {
    const name = peer.toString()
    const protocol = onlyProtocol(data as PeerData)
    if (protocol === undefined) return merge(peer, data, options)
    const known = spoken.get(name)
    if (known?.protocols.has(protocol)) return known.peer
    const merged = await merge(peer, data, options)
    if (node.getConnections(peer).length > 0) {
      const protocols = spoken.get(name)?.protocols ?? new Set()
      spoken.set(name, { peer: merged, protocols: protocols.add(protocol) })
    }
    return merged
  }
  node.addEventListener('peer:disconnect', ({ detail }) => void spoken.delete(detail.toString()))
}

/** The protocol that is all that is said of a peer. */
function onlyProtocol(data: PeerData): string | undefined {
  const { protocols } = data
  return protocols?.length === 1 && Object.keys(data).length === 1 ? protocols[0] : undefined
}
