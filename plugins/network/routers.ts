import type { PeerId, PeerInfo, PeerRouting } from '@libp2p/interface'
import { type NetworkOptions, networkErrors, type PeerRouter } from '../../core/index.ts'

/** Everybody who may know where a peer is, asked at once: the first that does, answers. */
export class Routers {
  readonly #all = new Set<PeerRouter>()
  readonly #hasRouting: boolean

  /** @param hasRouting - whether the node is meant to ask other peers at all (`Routing.Type`) */
  constructor(hasRouting: boolean) {
    this.#hasRouting = hasRouting
  }

  add(router: PeerRouter): () => void {
    this.#all.add(router)
    return () => void this.#all.delete(router)
  }

  /** @throws E_PEER_NOT_FOUND; E_NO_PEERS_TO_ASK where nobody could be asked */
  async find(peer: string, { signal }: NetworkOptions = {}): Promise<readonly string[]> {
    const none = this.#hasRouting ? networkErrors.E_NO_PEERS_TO_ASK() : networkErrors.E_PEER_NOT_FOUND()
    if (this.#all.size === 0) throw none
    const over = new AbortController()
    const inner = signal === undefined ? over.signal : AbortSignal.any([signal, over.signal])
    const ask = async (router: PeerRouter) => {
      const addresses = await router.findPeer(peer, { signal: inner })
      if (addresses.length === 0) throw networkErrors.E_PEER_NOT_FOUND()
      return addresses
    }
    try {
      return await Promise.any([...this.#all].map(ask))
    } catch (error) {
      signal?.throwIfAborted()
      throw (error as AggregateError).errors[0] ?? none
    } finally {
      over.abort()
    }
  }
}

/** A router over what libp2p calls routing. */
export function routerOf(routing: PeerRouting, idOf: (peer: string) => PeerId): PeerRouter {
  return {
    async findPeer(peer, { signal }) {
      const { multiaddrs }: PeerInfo = await routing.findPeer(idOf(peer), { signal })
      return multiaddrs.map(String)
    }
  }
}
