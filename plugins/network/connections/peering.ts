import { type Logger, messageOf, type Network, type Peering, type Repo, type Startable } from '../../../core/index.ts'
import { parsePeerId, peerIdString } from '../../../core/keys/index.ts'
import { withoutPeer } from '../addresses/addresses.ts'
import { checkAddresses, readOf } from '../config/checked.ts'

/** The name under which connections with these peers are kept from being closed for being too many. */
const TAG = 'ipfs-peering'

/** The longest wait between two tries, in milliseconds, and how much of it is left to chance (boxo 0.19, peering). */
const LONGEST = 600_000
const CHANCE = 0.1

/** A peer to stay connected with. */
interface Kept {
  readonly addresses: readonly string[]
  /** The last wait, in milliseconds. */
  delay: number
  timer: NodeJS.Timeout | undefined
  isDialling: boolean
}

export interface PeeringParts {
  readonly network: Network
  readonly repo: Repo
  readonly log: Logger
  /** The first wait, in milliseconds. */
  readonly delay: number
}

/** Stays connected with peers: those of `Peering.Peers`, and those added since. Dials again when a connection is lost, ever less often. */
export class PeeringService implements Peering, Startable {
  readonly #parts: PeeringParts
  readonly #peers = new Map<string, Kept>()
  readonly #ends: Array<() => void> = []
  #runs = false

  constructor(parts: PeeringParts) {
    this.#parts = parts
  }

  /** @throws E_PEER_OF_CONFIG */
  async start(): Promise<void> {
    const { network, repo } = this.#parts
    type Configured = { readonly ID: string; readonly Addrs?: readonly string[] | null }
    const key = 'Peering.Peers'
    // an entry without an ID is taken, as by the reference, and is nobody
    const configured = ((repo.get(key) ?? []) as unknown as ReadonlyArray<Configured | null>).filter(
      one => one !== null && !!one.ID
    ) as Configured[]
    for (const { Addrs } of configured) await checkAddresses(key, Addrs ?? [])
    this.#runs = true
    this.#ends.push(
      network.onConnect(peer => this.#keepConnected(peer)),
      network.onDisconnect(peer => this.#again(peer))
    )
    for (const { ID, Addrs } of configured) {
      const peer = readOf(key, ID, text => peerIdString(parsePeerId(text)))
      this.add(peer, (Addrs ?? []).map(withoutPeer))
    }
  }

  stop(): void {
    this.#runs = false
    for (const end of this.#ends.splice(0)) end()
    for (const { timer } of this.#peers.values()) clearTimeout(timer)
  }

  add(peer: string, addresses: readonly string[]): void {
    clearTimeout(this.#peers.get(peer)?.timer)
    this.#peers.set(peer, { addresses, delay: this.#parts.delay, timer: undefined, isDialling: false })
    if (peer === this.#parts.network.self) return
    this.#parts.network.protect(peer, TAG)
    this.#again(peer)
  }

  remove(peer: string): void {
    clearTimeout(this.#peers.get(peer)?.timer)
    if (this.#peers.delete(peer)) this.#parts.network.unprotect(peer, TAG)
  }

  list(): ReadonlyArray<{ readonly id: string; readonly addresses: readonly string[] }> {
    return [...this.#peers].map(([id, { addresses }]) => ({ id, addresses }))
  }

  /** A peer that is connected is not dialled. */
  #keepConnected(peer: string): void {
    const kept = this.#peers.get(peer)
    if (kept === undefined) return
    clearTimeout(kept.timer)
    kept.timer = undefined
    kept.delay = this.#parts.delay
  }

  /** Dials after a while. */
  #again(peer: string): void {
    const kept = this.#peers.get(peer)
    if (kept === undefined || !this.#runs || kept.isDialling || peer === this.#parts.network.self) return
    clearTimeout(kept.timer)
    kept.delay = next(kept.delay)
    kept.timer = setTimeout(() => void this.#dial(peer, kept), kept.delay).unref()
  }

  async #dial(peer: string, kept: Kept): Promise<void> {
    const { network, log } = this.#parts
    if (!this.#runs || this.#peers.get(peer) !== kept || network.connections(peer).length > 0) return
    kept.isDialling = true
    try {
      await network.dial(peer, kept.addresses)
      kept.delay = this.#parts.delay
    } catch (error) {
      log.debug(`${peer}, a peer to stay connected with, cannot be reached: ${messageOf(error)}`)
    } finally {
      kept.isDialling = false
    }
    if (this.#runs && this.#peers.get(peer) === kept && network.connections(peer).length === 0) this.#again(peer)
  }
}

/** The wait behind one of so many milliseconds: half as long again and more by chance, up to the longest. */
function next(delay: number): number {
  const longer = delay + delay / 2 + Math.random() * delay
  return longer < LONGEST ? longer : LONGEST * (1 - Math.random() * CHANCE)
}
