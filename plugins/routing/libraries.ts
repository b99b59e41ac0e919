import type { PeerId } from '@libp2p/interface'
import type { Multiaddr } from '@multiformats/multiaddr'
import { parsePeerId } from '../../core/keys/index.ts'
import { Latest } from './dht/latest.ts'

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

/** Results of each kind that are remembered. */
const MOST_REMEMBERED = 2048

export async function loadLibraries(): Promise<Libraries> {
  const [{ peerIdFromString }, { multiaddr }] = await Promise.all([import('@libp2p/peer-id'), import('@multiformats/multiaddr')])
  const isPeer = (id: string) => {
    try {
      peerIdFromString(id)
      return true
    } catch {
      return false
    }
  }
  const read = (bytes: Uint8Array) => {
    try {
      const text = withoutPeer(multiaddr(bytes).toString())
      return text === '' ? undefined : text
    } catch {
      return undefined
    }
  }
  return {
    peerId: peerIdFromString,
    multiaddr: text => multiaddr(text),
    write: remembered(
      address => multiaddr(address).bytes,
      address => address
    ),
    idBytes: remembered(parsePeerId, peer => peer),
    isPeer: remembered(isPeer, id => id),
    read: remembered(read, bytes => Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length).toString('latin1'))
  }
}

/** The same, done once for what comes again: the answers of a look-up name the same few peers. */
function remembered<K, V>(work: (of: K) => V, nameOf: (of: K) => string): (of: K) => V {
  const results = new Latest<V>(MOST_REMEMBERED)
  return of => {
    const name = nameOf(of)
    const present = results.get(name)
    if (present !== undefined) return present
    const result = work(of)
    results.set(name, result)
    return result
  }
}

/** A multiaddr without the peer at its end. */
export function withoutPeer(address: string): string {
  return address.replace(/\/p2p\/[^/]+$/, '')
}
