import { Budget } from '../../../core/concurrency/index.ts'
import { type CID, type FastBlocks, type Logger, messageOf, type Network } from '../../../core/index.ts'
import { Refusals } from '../../../core/network/index.ts'
import { bitswapErrors } from '../errors.ts'
import type { WantIndex } from '../server/peer-wants.ts'
import type { BitswapSettings } from '../settings.ts'
import type { ExchangeStats } from '../stats.ts'
import { KeptPeers } from './kept.ts'
import { BitswapPeer } from './peer.ts'

/** Peers that are kept away at most; of more, those for longest are let in again. */
const MOST_BANNED = 1024

/** Failures to send until a peer is left alone for as long as it stays connected. */
const MOST_FAILURES = 6

/** Until a peer that could not be sent to is tried again, in milliseconds; twice as long with each failure. */
const FIRST_REST = 250

/** Bytes that a relay carries where it does not say, as many do by default, and those of them that are left for all else. */
const [USUAL_ROOM, KEPT_ROOM] = [128 * 1024, 16 * 1024]

interface TableParts {
  readonly network: Network
  readonly store: FastBlocks
  readonly stats: ExchangeStats
  readonly settings: BitswapSettings
  readonly log: Logger
  /** A peer can be asked from now on. */
  added(peer: BitswapPeer): void
  /** A peer cannot be asked any more. */
  removed(peer: BitswapPeer): void
}

/** The peers that are connected and speak bitswap. */
export class PeerTable {
  readonly #parts: TableParts
  readonly #budget: Budget
  readonly #drops: Refusals
  readonly #all = new Map<string, BitswapPeer>()
  /** The peers of them that can be asked. */
  readonly asked = new Map<string, BitswapPeer>()
  /** Those whose connections are kept. */
  readonly kept: KeptPeers
  /** Peers with which there are relayed connections. */
  readonly #relayed = new Set<string>()
  readonly #banned = new Map<string, number>()
  /** Which peers want a block, by its key. */
  readonly #wanting = new Map<string, Set<BitswapPeer>>()
  readonly #resting = new Set<NodeJS.Timeout>()
  #isStopped = false

  constructor(parts: TableParts) {
    this.#parts = parts
    this.#budget = new Budget(parts.settings.maxSending)
    this.kept = new KeptPeers(parts.network)
    this.#drops = new Refusals(parts.log, 'dropped')
  }

  /** Base58, sorted. */
  ids(): string[] {
    return [...this.#all.keys()].sort()
  }

  get(id: string): BitswapPeer | undefined {
    return this.#all.get(id)
  }

  wantlistOf(id: string): CID[] | undefined {
    return this.#all.get(id)?.wants.cids()
  }

  /** Whether any peer wants anything. */
  get isWanted(): boolean {
    return this.#wanting.size > 0
  }

  /** A block is here: peers that want it are sent it. */
  stored(key: string): void {
    for (const peer of this.#wanting.get(key) ?? []) if (peer.wants.stored(key)) peer.wake()
  }

  /** The peer that is connected and speaks bitswap. @throws E_BITSWAP_REFUSED, E_BITSWAP_STOPPED */
  admit(id: string): BitswapPeer {
    if (this.#isStopped) throw bitswapErrors.E_BITSWAP_STOPPED()
    if (this.#isBanned(id)) throw bitswapErrors.E_BITSWAP_REFUSED()
    const known = this.#all.get(id)
    if (known !== undefined) return known
    const { network, store, stats, settings, added } = this.#parts
    const peer: BitswapPeer = new BitswapPeer(
      id,
      this.#index(() => peer),
      {
        store,
        settings,
        budget: this.#budget,
        room: () => (peer.isLimited ? this.#roomOf(id) : Number.POSITIVE_INFINITY),
        open: (protocols, signal) => network.open(id, protocols, { signal }),
        sent: sizes => {
          stats.sent(id, sizes)
          if (sizes.length > 0) this.kept.went(id)
        },
        failed: error => this.#failed(peer, error)
      }
    )
    this.#all.set(id, peer)
    this.asked.set(id, peer)
    this.look(id)
    added(peer)
    return peer
  }

  /** Looks whether a peer is reached over relays alone, and reaches it directly where it can be. */
  look(id: string): void {
    const peer = this.#all.get(id)
    const { network, log, added } = this.#parts
    const connections = network.connections(id)
    if (peer === undefined || connections.length === 0) return
    const before = peer.isLimited
    peer.isLimited = connections.every(({ limited }) => limited)
    if (connections.some(({ limited }) => limited)) this.#relayed.add(id)
    else this.#relayed.delete(id)
    if (before && !peer.isLimited && this.asked.has(id)) added(peer)
    // the other side of it tries the same by DCUtR
    if (before || !peer.isLimited || connections.every(({ direction }) => direction === 'inbound')) return
    network.dial(id).then(
      () => this.look(id),
      error => log.debug(`${id} is reached over a relay alone: ${messageOf(error)}`)
    )
  }

  /** To be called every now and then: relayed connections become direct ones and the other way about, and peers of which nothing is had any more may go. */
  tick(): void {
    for (const id of this.#relayed) this.look(id)
    this.kept.tick()
  }

  #roomOf(id: string): number {
    const left = this.#parts.network.connections(id).map(({ bytesLeft }) => bytesLeft ?? USUAL_ROOM)
    return Math.max(0, ...left) - KEPT_ROOM
  }

  /** Forgets a peer that is not connected any more. */
  remove(id: string): void {
    const peer = this.#all.get(id)
    if (peer === undefined) return
    this.#all.delete(id)
    this.#relayed.delete(id)
    this.kept.forget(id)
    if (this.asked.delete(id)) this.#parts.removed(peer)
    void peer.stop()
  }

  /** Ends all there is with a peer that misbehaves, and keeps it away for a while. */
  drop(id: string, why: unknown): void {
    const { network, settings } = this.#parts
    if (this.#isStopped || this.#isBanned(id)) return
    this.#drops.tell(`the peer ${id}`, messageOf(why), String((why as { code?: unknown }).code))
    this.#banned.delete(id)
    this.#banned.set(id, Date.now() + settings.banTime)
    if (this.#banned.size > MOST_BANNED) this.#banned.delete(this.#banned.keys().next().value!)
    this.remove(id)
    for (const connection of network.connections(id)) connection.abort(bitswapErrors.E_BITSWAP_REFUSED())
  }

  async stop(): Promise<void> {
    this.#isStopped = true
    for (const timer of this.#resting) clearTimeout(timer)
    const peers = [...this.#all.values()]
    this.#all.clear()
    this.asked.clear()
    await Promise.all(peers.map(peer => peer.stop()))
  }

  #isBanned(id: string): boolean {
    const until = this.#banned.get(id)
    if (until === undefined) return false
    if (until > Date.now()) return true
    this.#banned.delete(id)
    return false
  }

  #index(peer: () => BitswapPeer): WantIndex {
    return {
      added: key => {
        const peers = this.#wanting.get(key)
        if (peers === undefined) this.#wanting.set(key, new Set([peer()]))
        else peers.add(peer())
      },
      removed: key => {
        const peers = this.#wanting.get(key)
        peers?.delete(peer())
        if (peers?.size === 0) this.#wanting.delete(key)
      }
    }
  }

  #failed(peer: BitswapPeer, error: unknown): void {
    const { id } = peer
    const { network, log, removed, added } = this.#parts
    if (this.#all.get(id) !== peer || this.#isStopped) return
    const code = (error as { code?: unknown }).code
    if (code === 'E_BITSWAP_SLOW') {
      this.drop(id, error)
      return
    }
    log.debug(`cannot send to ${id}: ${messageOf(error)}`)
    if (code === 'E_PROTOCOL' || network.connections(id).length === 0) {
      this.remove(id)
      return
    }
    if (this.asked.delete(id)) removed(peer)
    if (++peer.failures >= MOST_FAILURES) return
    const timer = setTimeout(
      () => {
        this.#resting.delete(timer)
        if (this.#all.get(id) !== peer) return
        this.asked.set(id, peer)
        added(peer)
        peer.wake()
      },
      FIRST_REST * 2 ** peer.failures
    )
    timer.unref()
    this.#resting.add(timer)
  }
}
