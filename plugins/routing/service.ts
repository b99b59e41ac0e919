import {
  type CID,
  type CountOptions,
  type Dht,
  type Dhts,
  type Lease,
  type Logger,
  messageOf,
  type Network,
  networkErrors,
  type Router,
  type Routing,
  type RoutingEvent,
  type RoutingOptions,
  type Startable
} from '../../core/index.ts'
import type { RoutingPlan } from '../../core/network/index.ts'
import { withinTime } from '../../core/network/index.ts'
import { byMethod, ComposedRouter } from './composed.ts'
import type { DualDht } from './dht/dual.ts'
import { isBetter } from './dht/records/validators.ts'
import type { RoutingSettings } from './settings.ts'
import { together } from './sources.ts'

/** How long a look-up by all ways together may take, in milliseconds; each way has its own time besides. */
const LONGEST = 600_000

/** How often the node looks whether others can reach it, in milliseconds. */
const ADAPT_INTERVAL = 30_000

interface RoutingParts {
  readonly network: Network
  readonly plan: RoutingPlan
  readonly settings: RoutingSettings
  readonly log: Logger
  /** The DHT, loaded; undefined where the plan has none. */
  loadDht(): Promise<DualDht | undefined>
  httpRouter(endpoint: string): Router
}

/** All ways that the configuration names, and those that plugins add, as one. */
export class NodeRouting implements Routing, Dhts, Startable {
  readonly name = 'all'
  readonly #parts: RoutingParts
  readonly #added = new Set<Router>()
  readonly #listeners = new Set<() => void>()
  readonly #running = new AbortController()
  #routers: readonly Router[] = []
  #dht: DualDht | undefined
  #timers: NodeJS.Timeout[] = []

  constructor(parts: RoutingParts) {
    this.#parts = parts
  }

  get current(): Dht | undefined {
    return this.#dht
  }

  get soleWay(): Dht | undefined {
    const isAlone = this.#parts.plan.custom === undefined && [...this.#added].every(({ provide }) => provide === undefined)
    return isAlone ? this.#dht : undefined
  }

  /** Whether there is anybody to tell. */
  get hasPeers(): boolean {
    return this.#added.size > 0 || (this.#dht === undefined ? this.#parts.plan.custom !== undefined : this.#dht.size > 0)
  }

  /** Called when there may be somebody to tell. @returns what ends it */
  onPeer(listener: () => void): () => void {
    this.#listeners.add(listener)
    return () => void this.#listeners.delete(listener)
  }

  async start(): Promise<void> {
    const { network, plan, settings } = this.#parts
    this.#dht = await this.#parts.loadDht()
    this.#routers = this.#ways({ ...plan, http: this.#delegated() })
    if (this.#routers.some(({ findPeer }) => findPeer !== undefined))
      network.addRouter({ findPeer: (peer, options) => this.#addresses(peer, options) })
    const dht = this.#dht
    if (dht === undefined) return
    await dht.sweep()
    await dht.start()
    dht.onPeer(() => this.#tellOfPeer())
    // its addresses are known when it listens
    network.add(() => ({ start: () => dht.adapt() }))
    this.#every(settings.sweepInterval, () => dht.sweep(this.#running.signal))
    this.#every(ADAPT_INTERVAL, () => dht.adapt())
  }

  async stop(): Promise<void> {
    this.#running.abort()
    for (const timer of this.#timers) clearInterval(timer)
    await this.#dht?.stop()
  }

  add(router: Router): Lease {
    this.#added.add(router)
    this.#tellOfPeer()
    return { release: () => void this.#added.delete(router) }
  }

  async *findPeer(peer: string, options: RoutingOptions = {}): AsyncGenerator<RoutingEvent> {
    for await (const event of this.#all(options, (router, inner) => router.findPeer?.(peer, inner))) {
      if (event.type === 'peer' && event.found.id !== peer) continue
      yield event
      if (event.type === 'peer') return
    }
  }

  async *findProviders(cid: CID, options: CountOptions = {}): AsyncGenerator<RoutingEvent> {
    const { count = Number.POSITIVE_INFINITY } = options
    const seen = new Set<string>()
    for await (const event of this.#all(options, (router, inner) => router.findProviders?.(cid, inner))) {
      if (event.type === 'provider') {
        if (seen.has(event.provider.id)) continue
        seen.add(event.provider.id)
      }
      yield event
      if (seen.size >= count) return
    }
  }

  provide(cid: CID, options: RoutingOptions = {}): AsyncGenerator<RoutingEvent> {
    return this.#all(options, (router, inner) => router.provide?.(cid, inner))
  }

  async *getValue(key: Uint8Array, options: CountOptions = {}): AsyncGenerator<RoutingEvent> {
    let best: Uint8Array | undefined
    for await (const event of this.#all(options, (router, inner) => router.getValue?.(key, inner))) {
      if (event.type !== 'value') yield event
      else if (best === undefined || isBetter(key, event.value, best)) {
        best = event.value
        yield event
      }
    }
  }

  putValue(key: Uint8Array, value: Uint8Array, options: RoutingOptions = {}): AsyncGenerator<RoutingEvent> {
    return this.#all(options, (router, inner) => router.putValue?.(key, value, inner))
  }

  /** All ways at once. That one of them fails is no event, unless all do. */
  async *#all(
    options: CountOptions,
    run: (router: Router, options: CountOptions) => AsyncIterable<RoutingEvent> | undefined
  ): AsyncGenerator<RoutingEvent> {
    const { log } = this.#parts
    const leave = options.signal === undefined ? this.#running.signal : AbortSignal.any([options.signal, this.#running.signal])
    const ways = [...this.#routers, ...this.#added]
    const failed = (error: unknown, way: number) => {
      leave.throwIfAborted()
      log.debug(`${ways[way]!.name}: ${messageOf(error)}`)
    }
    yield* withinTime(LONGEST, leave, signal =>
      together(
        ways.map(router => () => run(router, { ...options, signal })),
        failed
      )
    )
  }

  /** Where a peer is, for the network's own dials. @throws E_NO_PEERS_TO_ASK, E_PEER_NOT_FOUND */
  async #addresses(peer: string, options: RoutingOptions): Promise<readonly string[]> {
    const asked = [...this.#routers, ...this.#added].filter(way => way.findPeer !== undefined)
    if (asked.length === 1 && asked[0] === this.#dht && this.#dht?.size === 0) throw networkErrors.E_NO_PEERS_TO_ASK()
    for await (const event of this.findPeer(peer, options)) if (event.type === 'peer') return event.found.addresses
    throw networkErrors.E_PEER_NOT_FOUND()
  }

  /** Delegated routers by default: none in a private network, which is to tell nobody else what it looks for (Kubo 0.28, cmd/ipfs/kubo/daemon.go). */
  #delegated(): readonly string[] {
    const { network, plan, log } = this.#parts
    if (plan.http.length === 0 || network.fingerprint === undefined) return plan.http
    log.error('delegated routers are not asked in a private network (swarm.key): set Routing.Type to dht or dhtclient to say so')
    return []
  }

  #ways({ http, custom }: RoutingPlan): readonly Router[] {
    const dht: readonly Router[] = this.#dht === undefined ? [] : [this.#dht]
    if (custom === undefined) {
      // the delegated routers of the reference know providers only
      const asked = http.map(endpoint => this.#parts.httpRouter(endpoint))
      return [...dht, ...asked.map(router => ({ name: router.name, findProviders: router.findProviders?.bind(router) }) as Router)]
    }
    const made = new Map<string, Router>()
    const make = (name: string): Router => {
      const plan = custom.routers.get(name)!
      const router =
        made.get(name) ??
        (plan.type === 'dht'
          ? this.#dht!
          : plan.type === 'http'
            ? this.#parts.httpRouter(plan.endpoint)
            : new ComposedRouter(
                name,
                plan.members.map(member => ({ ...member, router: make(member.router) })),
                { sequential: plan.type === 'sequential', timeout: plan.timeout }
              ))
      made.set(name, router)
      return router
    }
    const { methods } = custom
    return [
      byMethod({
        provide: make(methods.provide),
        'find-peers': make(methods['find-peers']),
        'find-providers': make(methods['find-providers']),
        'get-ipns': make(methods['get-ipns']),
        'put-ipns': make(methods['put-ipns'])
      })
    ]
  }

  #tellOfPeer(): void {
    for (const listener of this.#listeners) listener()
  }

  #every(milliseconds: number, work: () => Promise<void>): void {
    let busy = false
    const run = async () => {
      if (busy) return
      busy = true
      try {
        await work()
      } catch (error) {
        if (!this.#running.signal.aborted) this.#parts.log.warn({ err: error }, `upkeep of the DHT failed: ${messageOf(error)}`)
      } finally {
        busy = false
      }
    }
    this.#timers.push(setInterval(run, milliseconds).unref())
  }
}
