import {
  type CID,
  type CountOptions,
  type Datastore,
  type Dht,
  hasCode,
  type Logger,
  type Network,
  networkErrors,
  type Router,
  type RoutingEvent,
  type RoutingOptions
} from '../../../core/index.ts'
import { reachOf } from '../../../core/multiaddr/index.ts'
import type { DhtMode } from '../../../core/network/index.ts'
import type { Libraries } from '../libraries.ts'
import type { RoutingSettings } from '../settings.ts'
import { together } from '../sources.ts'
import { DhtEngine } from './engine.ts'
import { scopeRules } from './reach.ts'
import { ProviderRecords, tellingFull, type ValueRecords } from './records/records.ts'
import { isBetter } from './records/validators.ts'
import { DhtServer } from './server.ts'
import { Table } from './table.ts'

interface DualParts {
  readonly network: Network
  readonly libraries: Libraries
  readonly datastore: Datastore
  readonly values: ValueRecords
  readonly settings: RoutingSettings
  readonly mode: DhtMode
  readonly loopback: boolean
  readonly log: Logger
}

/**
 * The DHT of the internet and that of the own network as one (go-libp2p-kad-dht 0.25, dual): both are asked; told is the internet's, or the
 * other while that has no peers.
 */
export class DualDht implements Router, Dht {
  readonly name = 'dht'
  readonly wan: Table
  readonly lan: Table
  readonly #parts: DualParts
  readonly #providers: ProviderRecords
  readonly #wanServer: DhtServer
  readonly #lanServer: DhtServer
  readonly #engines: readonly DhtEngine[]

  static async load(parts: DualParts): Promise<DualDht> {
    const providers = new ProviderRecords(parts.datastore, parts.network.self, parts.settings, tellingFull(parts.log, 'providers'))
    const half = async (scope: 'wan' | 'lan') => {
      const common = { ...parts, rules: scopeRules(scope, parts.loopback), providers }
      const engine = await DhtEngine.load(common)
      return { engine, table: new Table({ ...common, engine }), server: new DhtServer({ ...common, engine }) }
    }
    return new DualDht(parts, providers, await half('wan'), await half('lan'))
  }

  private constructor(parts: DualParts, providers: ProviderRecords, wan: Half, lan: Half) {
    this.#parts = parts
    this.#providers = providers
    this.wan = wan.table
    this.lan = lan.table
    this.#wanServer = wan.server
    this.#lanServer = lan.server
    this.#engines = [wan.engine, lan.engine]
  }

  /** Serves what the mode says; in `auto` the internet only while this node has an address there. */
  async start(): Promise<void> {
    if (this.#parts.mode !== 'client') await this.#lanServer.start()
    if (this.#parts.mode === 'server') await this.#wanServer.start()
  }

  async stop(): Promise<void> {
    await this.#wanServer.stop()
    await this.#lanServer.stop()
  }

  /** Looks at the node's addresses again. Called from time to time, and when they change. */
  async adapt(): Promise<void> {
    if (this.#parts.mode !== 'auto') return
    const isPublic = this.#parts.network.announced().some(address => reachOf(address) === 'public' && !address.includes('/p2p-circuit'))
    if (isPublic) await this.#wanServer.start()
    else await this.#wanServer.stop()
  }

  async sweep(signal?: AbortSignal): Promise<void> {
    await this.#providers.kept.sweep(signal)
  }

  onPeer(listener: () => void): void {
    for (const engine of this.#engines) engine.onPeer(listener)
  }

  /** Peers in both tables. */
  get size(): number {
    return this.wan.size + this.lan.size
  }

  closest(key: Uint8Array, options?: RoutingOptions): AsyncIterable<RoutingEvent> {
    return this.#told.closest(key, options)
  }

  async *findPeer(peer: string, options?: RoutingOptions): AsyncGenerator<RoutingEvent> {
    for await (const event of this.#both(half => half.findPeer(peer, options))) {
      yield event
      if (event.type === 'peer') return
    }
  }

  async *findProviders(cid: CID, options: CountOptions = {}): AsyncGenerator<RoutingEvent> {
    const { count = Number.POSITIVE_INFINITY } = options
    const seen = new Set<string>()
    for await (const event of this.#both(half => half.findProviders(cid, options))) {
      if (event.type === 'provider') {
        if (seen.has(event.provider.id)) continue
        seen.add(event.provider.id)
      }
      yield event
      if (seen.size >= count) return
    }
  }

  tell(peer: string, multihashes: readonly Uint8Array[], options?: RoutingOptions): Promise<void> {
    return this.#told.tell(peer, multihashes, options)
  }

  provide(cid: CID, options?: RoutingOptions): AsyncIterable<RoutingEvent> {
    return this.#told.provide(cid, options)
  }

  async *getValue(key: Uint8Array, options: CountOptions = {}): AsyncGenerator<RoutingEvent> {
    const local = await this.#parts.values.get(key)
    let best = local?.value
    if (best !== undefined) yield { type: 'value', value: best }
    for await (const event of this.#both(half => half.getValue(key, options))) {
      if (event.type !== 'value') yield event
      else if (best === undefined || isBetter(key, event.value, best)) {
        best = event.value
        yield event
      }
    }
  }

  async *putValue(key: Uint8Array, value: Uint8Array, options?: RoutingOptions): AsyncGenerator<RoutingEvent> {
    await this.#parts.values.put(key, value, this.#parts.network.self)
    yield* this.#told.putValue(key, value, options)
  }

  /** The half that is told. */
  get #told(): Table {
    return this.wan.size > 0 ? this.wan : this.lan
  }

  /** A look-up in both halves; that nobody could be asked in one is none of its events. */
  #both(look: (half: Table) => AsyncIterable<RoutingEvent>): AsyncGenerator<RoutingEvent> {
    return together(
      [this.wan, this.lan].map(half => () => look(half)),
      error => {
        if (!hasCode(error, networkErrors.E_NO_PEERS_TO_ASK().code)) throw error
      }
    )
  }
}

interface Half {
  readonly engine: DhtEngine
  readonly table: Table
  readonly server: DhtServer
}
