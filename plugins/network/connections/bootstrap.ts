import { MAX_DELAY } from '../../../core/concurrency/index.ts'
import { type Datastore, type Json, Key, type Logger, messageOf, type Network, type Repo, type Startable } from '../../../core/index.ts'
import { parseAddressOfPeer } from '../../../core/multiaddr/index.ts'
import { bounded } from '../../../core/timing.ts'
import { timeOf } from '../config/checked.ts'
import type { NetworkSettings } from '../settings.ts'

/** Where peers that were connected are kept for a time at which those of the configuration cannot be reached (boxo 0.19, bootstrap). */
const SAVED = new Key('/local/temp_bootstrap_peers')
const MOST_SAVED = 20

/** How long one of these peers may take to be reached, and a node be without peers before its log says so, in milliseconds. */
const TIMES = { dial: 10_000, lonely: 60_000 } as const

/** The longest wait between two rounds that reached nobody, as a multiple of the usual one. */
const LONGEST = 16

export interface BootstrapParts {
  readonly network: Network
  readonly repo: Repo
  readonly datastore: Datastore | undefined
  readonly settings: Pick<NetworkSettings, 'bootstrapInterval' | 'minPeers'>
  readonly log: Logger
}

/** Dials some of the peers of `Bootstrap` while the node has few, less and less often while none can be reached. */
export class Bootstrap implements Startable {
  readonly #parts: BootstrapParts
  readonly #over = new AbortController()
  #timer: NodeJS.Timeout | undefined
  #saver: NodeJS.Timeout | undefined
  #lonely: NodeJS.Timeout | undefined
  #failed = 0
  /** Addresses that were named in the log, as they are none. */
  readonly #named = new Set<string>()

  constructor(parts: BootstrapParts) {
    this.#parts = parts
  }

  /** Called when the network listens. @throws E_PEER_OF_CONFIG */
  start(): void {
    const { repo, network, log } = this.#parts
    const every = timeOf(repo, 'Internal.BackupBootstrapInterval', '1h')
    void this.#round()
    if (every > 0) this.#saver = setInterval(() => void this.#save(), Math.min(every, MAX_DELAY)).unref()
    this.#lonely = setTimeout(() => {
      const isAlone = network.connections().length === 0
      const named = [this.#known(), repo.get<readonly Json[] | null>('Peering.Peers') ?? []]
      if (isAlone && named.some(peers => peers.length > 0))
        log.error(
          'this node has been online for a minute and has no peers: `holdfast doctor` tells more, `holdfast swarm connect ADDRESS` gives it one'
        )
    }, TIMES.lonely).unref()
  }

  async stop(): Promise<void> {
    this.#over.abort(new Error('the network stops'))
    clearTimeout(this.#timer)
    clearTimeout(this.#lonely)
    clearInterval(this.#saver)
  }

  #known(): readonly string[] {
    return this.#parts.repo.get<readonly string[] | null>('Bootstrap') ?? []
  }

  async #round(): Promise<void> {
    const { network, settings, log } = this.#parts
    try {
      const missing = settings.minPeers - connectedPeers(network).length
      if (missing > 0) {
        const reached = (await this.#dialSome(this.#known(), missing)) || (await this.#dialSome(await this.#saved(), missing))
        this.#failed = reached ? 0 : this.#failed + 1
      } else this.#failed = 0
    } catch (error) {
      if (!this.#over.signal.aborted) log.debug(`no peers to begin with: ${messageOf(error)}`)
    }
    if (this.#over.signal.aborted) return
    const wait = settings.bootstrapInterval * Math.min(2 ** Math.max(0, this.#failed - 1), LONGEST)
    this.#timer = setTimeout(() => void this.#round(), wait).unref()
  }

  /** @returns whether one was reached */
  async #dialSome(addresses: readonly string[], wanted: number): Promise<boolean> {
    const { network, log } = this.#parts
    const peers = new Map<string, string[]>()
    for (const address of addresses) {
      const way = await parseAddressOfPeer(address).catch(error => this.#name(address, messageOf(error)))
      if (way === undefined) continue
      const { peer, transport } = way
      if (peer !== network.self && network.connections(peer).length === 0) peers.set(peer, [...(peers.get(peer) ?? []), transport])
    }
    const chosen = shuffled([...peers]).slice(0, wanted)
    const late = () => new Error('it takes too long')
    const dials = chosen.map(([peer, ways]) =>
      bounded(TIMES.dial, this.#over.signal, late, signal => network.dial(peer, ways, { signal })).then(
        () => true,
        error => {
          if (!this.#over.signal.aborted) log.debug(`${peer}, a peer of Bootstrap, cannot be reached: ${messageOf(error)}`)
          return false
        }
      )
    )
    return (await Promise.all(dials)).some(Boolean)
  }

  /** Tells once of an address that is none. */
  #name(address: string, why: string): undefined {
    if (this.#named.has(address)) return
    this.#named.add(address)
    this.#parts.log.warn(`Bootstrap: '${address}' is passed over: ${why}`)
  }

  /** Keeps addresses of peers that are connected now, for a start at which nobody else is there. */
  async #save(): Promise<void> {
    const { network, datastore, log } = this.#parts
    const dialled = network.connections().filter(({ direction, limited }) => direction === 'outbound' && !limited)
    const addresses = shuffled(dialled.map(({ address, peer }) => `${address}/p2p/${peer}`)).slice(0, MOST_SAVED)
    if (datastore === undefined || addresses.length === 0) return
    try {
      await datastore.put(SAVED, new TextEncoder().encode(JSON.stringify(addresses)))
    } catch (error) {
      log.warn(`peers for a later start were not kept: ${messageOf(error)}`)
    }
  }

  async #saved(): Promise<readonly string[]> {
    const { datastore } = this.#parts
    if (datastore === undefined || !(await datastore.has(SAVED))) return []
    try {
      const texts: unknown = JSON.parse(new TextDecoder().decode(await datastore.get(SAVED)))
      return Array.isArray(texts) ? texts.filter(text => typeof text === 'string').slice(0, MOST_SAVED) : []
    } catch {
      return []
    }
  }
}

const connectedPeers = (network: Network) => [...new Set(network.connections().map(({ peer }) => peer))]

function shuffled<T>(items: readonly T[]): T[] {
  return items
    .map(item => [Math.random(), item] as const)
    .sort(([a], [b]) => a - b)
    .map(([, item]) => item)
}
