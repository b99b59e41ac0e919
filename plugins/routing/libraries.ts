import type { PeerId } from '@libp2p/interface'
import type { Multiaddr } from '@multiformats/multiaddr'
import { parsePeerId } from '../../core/keys/index.ts'

/** Multiaddrs and peer IDs between their text and their octets. */
export interface Addresses {
  /** The text of a multiaddr without the peer at its end; undefined for what is none, or names no place. */
  read(bytes: Uint8Array): string | undefined
  write(address: string): Uint8Array
  /** Whether it is the ID of a peer, and could be dialled by it. */
  isPeer(id: string): boolean
  idBytes(peer: string): Uint8Array
}

/** The small packages of libp2p that routing needs, imported when it starts. */
export interface Libraries extends Addresses {
  peerId(text: string): PeerId
  multiaddr(text: string): Multiaddr
}

export async function loadLibraries(): Promise<Libraries> {
  const [{ peerIdFromString }, { multiaddr }] = await Promise.all([import('@libp2p/peer-id'), import('@multiformats/multiaddr')])
  return {
    peerId: peerIdFromString,
    multiaddr: text => multiaddr(text),
    write: address => multiaddr(address).bytes,
    idBytes: parsePeerId,
    isPeer(id) {
      try {
        peerIdFromString(id)
        return true
      } catch {
        return false
      }
    },
    read(bytes) {
      try {
        const text = withoutPeer(multiaddr(bytes).toString())
        return text === '' ? undefined : text
      } catch {
        return undefined
      }
    }
  }
}

/** A multiaddr without the peer at its end. */
export function withoutPeer(address: string): string {
  return address.replace(/\/p2p\/[^/]+$/, '')
}
