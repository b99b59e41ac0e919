import type { PeerId } from '@libp2p/interface'
import type { Node } from '../libp2p/node.ts'

/** The locks of libp2p's store of peers. */
interface Locking {
  getReadLock(peer: PeerId): Promise<() => void>
  getWriteLock(peer: PeerId): Promise<() => void>
}

/**
 * Has libp2p read and write what it remembers of a peer one after the other, by a promise for each. Its own locks are made for several processes: a new
 * connection takes ten of them, each of which costs more than what it guards.
 */
export function lockSimply({ peerStore }: Pick<Node, 'peerStore'>): void {
  const last = new Map<string, Promise<void>>()
  const lock = async (peer: PeerId) => {
    const name = peer.toString()
    const before = last.get(name)
    const { promise, resolve } = Promise.withResolvers<void>()
    last.set(name, promise)
    await before
    return () => {
      if (last.get(name) === promise) last.delete(name)
      resolve()
    }
  }
  const { store } = peerStore as unknown as { readonly store: Locking }
  store.getReadLock = lock
  store.getWriteLock = lock
}
