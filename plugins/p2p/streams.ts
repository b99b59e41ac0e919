import type { Duplex } from 'node:stream'
import { type Network, networkErrors, type PeerStream } from '../../core/index.ts'
import { p2pErrors } from './errors.ts'
import { join, tear } from './join.ts'
import type { P2pSettings } from './settings.ts'

/** The weight of a peer while streams with it are open, and its tag (Kubo 0.28, p2p/stream.go). */
const [TAG, WORTH] = ['stream-fwd', 20]

/** A connection that goes through this node. */
export interface OpenStream {
  /** Counted from 0 for as long as the node runs. */
  readonly id: number
  readonly protocol: string
  readonly origin: string
  readonly target: string
}

interface Ends {
  readonly local: Duplex
  readonly remote: PeerStream
}

/** The connections that go through this node now. */
export class OpenStreams {
  readonly #network: Pick<Network, 'tag'>
  readonly #settings: P2pSettings
  readonly #open = new Map<number, OpenStream & Ends>()
  readonly #ofPeer = new Map<string, number>()
  readonly #placesOfPeer = new Map<string, number>()
  #next = 0
  #places = 0

  constructor(network: Pick<Network, 'tag'>, settings: P2pSettings) {
    this.#network = network
    this.#settings = settings
  }

  list(): readonly OpenStream[] {
    return [...this.#open.values()]
  }

  /**
   * Holds the place of a connection while its two ends are made and joined.
   *
   * @param peer - that opened it, of whom seven eighths of all may come; undefined for one of this machine
   * @throws E_P2P_MANY_STREAMS, E_P2P_MANY_OF_PEER
   */
  async place(peer: string | undefined, make: () => Promise<void>): Promise<void> {
    const { maxStreams } = this.#settings
    const [ofPeer, most] = [this.#placesOfPeer.get(peer ?? '') ?? 0, Math.ceil((maxStreams * 7) / 8)]
    if (this.#places >= maxStreams) throw p2pErrors.E_P2P_MANY_STREAMS(maxStreams)
    if (peer !== undefined && ofPeer >= most) throw p2pErrors.E_P2P_MANY_OF_PEER(peer, most)
    this.#take(peer, 1)
    try {
      await make()
    } finally {
      this.#take(peer, -1)
    }
  }

  /** Carries octets both ways until both directions have ended. */
  async carry(about: Omit<OpenStream, 'id' | 'protocol'>, local: Duplex, remote: PeerStream): Promise<void> {
    const id = this.#next++
    const { protocol, peer } = remote
    this.#open.set(id, { ...about, id, protocol, local, remote })
    this.#count(peer, 1)
    try {
      await join(local, remote, this.#settings.halfOpenTimeout)
    } finally {
      this.#open.delete(id)
      this.#count(peer, -1)
    }
  }

  /** Tears a connection. One that is not there is none to tear. */
  close(id: number): void {
    const stream = this.#open.get(id)
    if (stream === undefined) return
    const { local, remote } = stream
    remote.abort(networkErrors.E_STREAM(remote.peer, remote.protocol, 'it was closed by p2p/stream/close'))
    tear(local)
  }

  closeAll(): void {
    for (const id of [...this.#open.keys()]) this.close(id)
  }

  #take(peer: string | undefined, by: 1 | -1): void {
    this.#places += by
    if (peer === undefined) return
    const now = (this.#placesOfPeer.get(peer) ?? 0) + by
    if (now === 0) this.#placesOfPeer.delete(peer)
    else this.#placesOfPeer.set(peer, now)
  }

  #count(peer: string, by: 1 | -1): void {
    const now = (this.#ofPeer.get(peer) ?? 0) + by
    if (now === 0) this.#ofPeer.delete(peer)
    else this.#ofPeer.set(peer, now)
    if (now === 0 || (now === 1 && by === 1)) void this.#network.tag(peer, TAG, now === 0 ? 0 : WORTH)
  }
}
