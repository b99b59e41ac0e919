import {
  type CID,
  type CountOptions,
  type DhtBucket,
  type DhtTable,
  messageOf,
  type Network,
  networkErrors,
  type RoutedPeer,
  type RoutingEvent,
  type RoutingOptions
} from '../../../core/index.ts'
import { commonBits, nearest, placeOf } from '../../../core/network/distance.ts'
import { withinTime } from '../../../core/network/index.ts'
import type { Libraries } from '../libraries.ts'
import { merged } from '../merged.ts'
import type { RoutingSettings } from '../settings.ts'
import { type DhtEngine, K, type Request } from './engine.ts'
import { writeRecord } from './records/record.ts'
import type { ProviderRecords, ValueRecords } from './records/records.ts'
import { checkValue, isBetter } from './records/validators.ts'
import { type EngineEvent } from './walk.ts'

interface TableParts {
  readonly network: Network
  readonly libraries: Libraries
  readonly engine: DhtEngine
  readonly providers: ProviderRecords
  readonly values: ValueRecords
  readonly settings: RoutingSettings
}

/** One DHT as its user sees it: what is asked of it, in events. */
export class Table implements DhtTable {
  readonly #parts: TableParts

  constructor(parts: TableParts) {
    this.#parts = parts
  }

  get size(): number {
    return this.#parts.engine.size
  }

  buckets(): readonly DhtBucket[] {
    const { network, libraries, engine } = this.#parts
    const selfPlace = placeOf(libraries.idBytes(network.self))
    const buckets: Array<DhtBucket & { peers: Array<DhtBucket['peers'][number]> }> = []
    for (const { id, answeredAt, askedAt } of engine.table()) {
      const index = commonBits(selfPlace, placeOf(libraries.idBytes(id)))
      while (buckets.length <= index) buckets.push({ refreshedAt: undefined, peers: [] })
      buckets[index]!.peers.push({ id, usefulAt: answeredAt, queriedAt: askedAt })
    }
    return buckets
  }

  /** Ends with the peers closest to a key, the nearest first. @throws E_NO_PEERS_TO_ASK */
  async *closest(key: Uint8Array, { signal }: RoutingOptions = {}): AsyncGenerator<RoutingEvent> {
    for (const id of yield* this.#closestIds(key, signal))
      yield { type: 'peer', found: { id, addresses: (await this.#parts.engine.addressesOf(id)).addresses } }
  }

  /** Ends with the peer, where it is found. @throws E_NO_PEERS_TO_ASK */
  async *findPeer(peer: string, { signal }: RoutingOptions = {}): AsyncGenerator<RoutingEvent> {
    const key = this.#parts.libraries.idBytes(peer)
    for await (const event of this.#walk({ type: 'FIND_NODE', key }, signal)) {
      yield* shown(event)
      const found = event.type === 'answer' ? event.closer.find(({ id, addresses }) => id === peer && addresses.length > 0) : undefined
      if (found === undefined) continue
      await this.#parts.network.remember(peer, found.addresses)
      yield { type: 'peer', found }
      return
    }
  }

  /** @throws E_NO_PEERS_TO_ASK, where none is known here either */
  async *findProviders(cid: CID, { signal, count = Number.POSITIVE_INFINITY }: CountOptions = {}): AsyncGenerator<RoutingEvent> {
    const key = cid.multihash.bytes
    const seen = new Set<string>()
    for (const provider of await this.#parts.providers.of(key)) {
      const known = provider.addresses.length > 0 ? provider : await this.#known(provider.id)
      if (seen.size >= count) return
      seen.add(provider.id)
      yield { type: 'provider', provider: known }
    }
    for await (const event of this.#walk({ type: 'GET_PROVIDERS', key }, signal)) {
      yield* shown(event)
      if (event.type !== 'answer') continue
      for (const provider of event.providers) {
        if (seen.has(provider.id)) continue
        if (seen.size >= count) return
        seen.add(provider.id)
        if (provider.id !== this.#parts.network.self) await this.#parts.network.remember(provider.id, provider.addresses)
        yield { type: 'provider', provider }
      }
    }
  }

  /** @throws E_NO_PEERS_TO_ASK */
  async *provide(cid: CID, { signal }: RoutingOptions = {}): AsyncGenerator<RoutingEvent> {
    const { network, providers } = this.#parts
    const key = cid.multihash.bytes
    await providers.add(key, { id: network.self, addresses: [] })
    const self = { id: network.self, addresses: network.announced() }
    yield* this.#tell(key, { type: 'ADD_PROVIDER', key, providers: [self] }, signal, () => false)
  }

  async tell(
    peer: string,
    multihashes: readonly Uint8Array[],
    { signal = new AbortController().signal }: RoutingOptions = {}
  ): Promise<void> {
    const { network, engine, providers } = this.#parts
    if (peer !== network.self) return engine.tell(peer, multihashes, { id: network.self, addresses: network.announced() }, signal)
    for (const multihash of multihashes) {
      signal.throwIfAborted()
      await providers.add(multihash, { id: peer, addresses: [] })
    }
  }

  /** @throws E_NO_PEERS_TO_ASK */
  async *getValue(key: Uint8Array, { signal, count = Number.POSITIVE_INFINITY }: CountOptions = {}): AsyncGenerator<RoutingEvent> {
    let best: Uint8Array | undefined
    /** Peers that have the best, and those that have an older one. */
    const upToDate = new Set<string>()
    const outdated = new Set<string>()
    let found = 0
    for await (const event of this.#walk({ type: 'GET_VALUE', key }, signal)) {
      yield* shown(event)
      if (event.type !== 'answer' || event.record === undefined) continue
      const { record, peer } = event
      try {
        if (Buffer.compare(record.key, key) !== 0) throw new Error('it is of another key')
        // mostly all have the same
        if (best === undefined || Buffer.compare(record.value, best) !== 0) await checkValue(key, record.value)
      } catch (error) {
        yield { type: 'failure', peer, message: messageOf(error) }
        continue
      }
      found++
      if (best !== undefined && Buffer.compare(best, record.value) === 0) upToDate.add(peer)
      else if (best === undefined || isBetter(key, record.value, best)) {
        best = record.value
        for (const one of upToDate) outdated.add(one)
        upToDate.clear()
        upToDate.add(peer)
        yield { type: 'value', peer, value: best }
      } else outdated.add(peer)
      if (found >= count) break
    }
    // the look-up does not wait for them
    for (const peer of outdated) void this.#correct(peer, key, best!)
  }

  /** Tells a peer of a value that counts before its own, whether it takes it or not. */
  async #correct(peer: string, key: Uint8Array, value: Uint8Array): Promise<void> {
    const record = writeRecord({ key, value }, new Date())
    const { signal } = new AbortController()
    for await (const _ of this.#parts.engine.ask(peer, { type: 'PUT_VALUE', key, record }, signal)) {
    }
  }

  /** Hands a value that is good to the peers closest to its key. @throws E_NO_PEERS_TO_ASK */
  async *putValue(key: Uint8Array, value: Uint8Array, { signal }: RoutingOptions = {}): AsyncGenerator<RoutingEvent> {
    const record = writeRecord({ key, value }, new Date())
    const taken = (event: EngineEvent) =>
      event.type === 'answer' && event.record !== undefined && Buffer.compare(event.record.value, value) === 0
    for await (const event of this.#tell(key, { type: 'PUT_VALUE', key, record }, signal, taken)) {
      yield event.type === 'value' ? { ...event, value } : event
    }
  }

  /** Sends a request to the peers closest to a key, some at a time; one that has `taken` it is an event `value`. */
  async *#tell(
    key: Uint8Array,
    request: Request,
    signal: AbortSignal | undefined,
    taken: (event: EngineEvent) => boolean
  ): AsyncGenerator<RoutingEvent> {
    const closest = yield* this.#closestIds(key, signal)
    const { engine, settings } = this.#parts
    yield* withinTime(settings.queryTimeout, signal, inner =>
      merged(
        closest.map(peer =>
          (async function* (): AsyncGenerator<RoutingEvent> {
            for await (const event of engine.ask(peer, request, inner)) {
              if (event.type === 'failure') yield event
              if (taken(event)) yield { type: 'value', peer, value: new Uint8Array() }
            }
          })()
        )
      )
    )
  }

  async *#closestIds(key: Uint8Array, signal: AbortSignal | undefined): AsyncGenerator<RoutingEvent, string[]> {
    const answered = new Set<string>()
    for await (const event of this.#walk({ type: 'FIND_NODE', key }, signal)) {
      yield* shown(event)
      if (event.type === 'answer') answered.add(event.peer)
    }
    return nearest(key, [...answered], this.#parts.libraries.idBytes).slice(0, K)
  }

  async *#walk(request: Request, signal: AbortSignal | undefined): AsyncGenerator<EngineEvent> {
    const { engine, settings } = this.#parts
    if (engine.size === 0) throw networkErrors.E_NO_PEERS_TO_ASK()
    yield* withinTime(settings.queryTimeout, signal, inner => engine.walk(request, inner))
  }

  async #known(peer: string): Promise<RoutedPeer> {
    const { network } = this.#parts
    if (peer === network.self) return { id: peer, addresses: network.announced() }
    return { id: peer, addresses: (await network.peer(peer))?.addresses ?? [] }
  }
}

function* shown(event: EngineEvent): Generator<RoutingEvent> {
  if (event.type === 'answer') yield { type: 'answer', peer: event.peer, closer: event.closer }
  else yield event
}
