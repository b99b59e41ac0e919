import type { PeerData, PeerId, Stream } from '@libp2p/interface'
import type { KadDHTComponents } from '@libp2p/kad-dht'
import { type Logger, messageOf, type Network, type RoutedPeer } from '../../../core/index.ts'
import { compareDistance, placeOf } from '../../../core/network/distance.ts'
import { withinTime } from '../../../core/network/index.ts'
import { type Libraries, withoutPeer } from '../libraries.ts'
import type { RoutingSettings } from '../settings.ts'
import { Diversity } from './diversity.ts'
import { Filling } from './filling.ts'
import { Latest } from './latest.ts'
import { type KadDht, NoDatastore, overlaid, pick, withoutKeepAlive } from './library.ts'
import { addProviderPieces, MESSAGE, type Message } from './message.ts'
import { Messenger } from './messenger.ts'
import type { ScopeRules } from './reach.ts'
import { readRecord } from './records/record.ts'
import { type EngineEvent, walk } from './walk.ts'

/** Peers that a bucket holds, and that a look-up ends with (Kademlia's k). */
export const K = 20

/** Peers that are asked at a time (Kademlia's α). */
const ALPHA = 10

/** Peers whose addresses are remembered between a look-up's answers and its dials. */
const MOST_HEARD = 4096

/** A message to a peer. */
export interface Request {
  readonly type: 'PUT_VALUE' | 'GET_VALUE' | 'ADD_PROVIDER' | 'GET_PROVIDERS' | 'FIND_NODE'
  readonly key: Uint8Array
  readonly record?: Uint8Array
  readonly providers?: readonly RoutedPeer[]
}

interface EngineParts {
  readonly network: Network
  readonly libraries: Libraries
  readonly rules: ScopeRules
  readonly settings: RoutingSettings
  readonly log: Logger
}

/**
 * The client's side of one DHT: the routing table of `@libp2p/kad-dht`, which looks for the node's own neighbours by itself, and messages to peers.
 * Connections are the network's own, so they are made and bounded as all others are; a peer gets into the table by connecting or answering.
 */
export class DhtEngine {
  readonly #network: Network
  readonly #libraries: Libraries
  readonly #rules: ScopeRules
  readonly #log: Logger
  readonly #heard = new Latest<readonly string[]>(MOST_HEARD)
  readonly #answered = new Latest<Date>(MOST_HEARD)
  /** The peers of the table, with the addresses of those that were told of: to ask the store of peers takes longer than the rest of an answer. */
  readonly #members = new Map<string, Promise<readonly string[]> | undefined>()
  readonly #diversity: Diversity
  readonly #dht: KadDht
  readonly #messenger: Messenger

  static async load(parts: EngineParts): Promise<DhtEngine> {
    const { kadDHT } = await import('@libp2p/kad-dht')
    return new DhtEngine(parts, kadDHT)
  }

  private constructor({ network, libraries, rules, settings, log }: EngineParts, kadDHT: typeof import('@libp2p/kad-dht').kadDHT) {
    this.#network = network
    this.#libraries = libraries
    this.#rules = rules
    this.#log = log
    const self = libraries.idBytes(network.self)
    this.#diversity = new Diversity(self, libraries.idBytes)
    this.#messenger = new Messenger({
      network,
      protocol: rules.protocol,
      libraries,
      settings,
      dial: (peer, signal) => this.#dial(peer, signal)
    })
    const make = kadDHT({
      protocol: rules.protocol,
      clientMode: true,
      kBucketSize: K,
      alpha: ALPHA,
      disjointPaths: 1,
      allowQueryWithZeroPeers: true,
      querySelfInterval: settings.refreshInterval,
      networkDialTimeout: { minTimeout: settings.requestTimeout, maxTimeout: settings.requestTimeout },
      logPrefix: `dht:${rules.scope}`,
      peerInfoMapper: peer => peer
    })
    const filling = new Filling({
      few: settings.fewPeers,
      size: () => this.size,
      walk: signal => withinTime(settings.queryTimeout, signal, inner => this.walk({ type: 'FIND_NODE', key: self }, inner)),
      log
    })
    // its life is the network's: it starts when that listens, and stops before it
    const added = network.add((components: KadDHTComponents) => {
      const dht = make(this.#components(components)) as unknown as KadDht
      components.events.addEventListener('peer:update', ({ detail }) => this.#forget(detail.peer.id.toString()))
      const stop = () => {
        filling.stop()
        this.#messenger.stop()
        return dht.stop()
      }
      return { dht, start: () => dht.start(), stop }
    })
    this.#dht = added.dht
    this.#dht.routingTable.addEventListener('peer:add', ({ detail }) => {
      this.#members.set(detail.toString(), undefined)
      filling.came(detail.toString())
    })
    this.#dht.routingTable.addEventListener('peer:remove', ({ detail }) => void this.#members.delete(detail.toString()))
    // told before the answer is: a dial that comes of it finds the addresses
    this.#dht.network.addEventListener('peer', ({ detail }) => this.#hear(this.#peer(detail)))
  }

  /** Peers in the table. */
  get size(): number {
    return this.#dht.routingTable.size
  }

  /** Called when a peer has come into the table. */
  onPeer(listener: () => void): void {
    this.#dht.routingTable.addEventListener('peer:add', listener)
  }

  /** The peers in the table and when each answered last. */
  table(): Array<{ readonly id: string; readonly answeredAt: Date | undefined; readonly askedAt: Date | undefined }> {
    return [...this.#dht.routingTable.kb.toIterable()].map(({ peerId, lastPing }) => {
      const id = peerId.toString()
      return { id, answeredAt: this.#answered.get(id), askedAt: lastPing > 0 ? new Date(lastPing) : undefined }
    })
  }

  /** Peers of the table, those closest to a key first. */
  closest(key: Uint8Array, most = K): string[] {
    const target = placeOf(key)
    const contacts = [...this.#dht.routingTable.kb.toIterable()].sort((a, b) => compareDistance(target, a.kadId, b.kadId))
    return contacts.slice(0, most).map(({ peerId }) => peerId.toString())
  }

  /** Addresses of a peer that is known or was heard of, as they may be handed on. */
  async addressesOf(peer: string): Promise<RoutedPeer> {
    const known = await (this.#members.get(peer) ?? this.#known(peer))
    return this.#rules.shown({ id: peer, addresses: known.length > 0 ? known : (this.#heard.get(peer) ?? []) })
  }

  #known(peer: string): Promise<readonly string[]> {
    const known = this.#network.peer(peer).then(found => found?.addresses ?? [])
    if (this.#members.has(peer)) this.#members.set(peer, known)
    known.catch(() => this.#forget(peer))
    return known
  }

  #forget(peer: string): void {
    if (this.#members.has(peer)) this.#members.set(peer, undefined)
  }

  /** Asks peers ever closer to a key. */
  walk(request: Request, signal: AbortSignal): AsyncGenerator<EngineEvent> {
    return walk({
      key: request.key,
      seeds: this.closest(request.key),
      width: K,
      atATime: ALPHA,
      self: this.#network.self,
      signal,
      idBytes: peer => this.#libraries.idBytes(peer),
      ask: peer => this.ask(peer, request, signal)
    })
  }

  /** Asks one peer; or tells it, where no answer is expected. */
  async *ask(peer: string, { type, key, record, providers = [] }: Request, signal: AbortSignal): AsyncGenerator<EngineEvent> {
    if (this.#network.connections(peer).length === 0) yield { type: 'dialling', peer }
    yield { type: 'asking', peer }
    try {
      const answer = await this.#messenger.send(peer, { type: MESSAGE[type], key, record, closer: [], providers }, signal)
      yield this.#answer(peer, answer)
    } catch (error) {
      // it was no fault of the peer where the look-up is over
      if (!signal.aborted) void this.#dropped(peer)
      yield { type: 'failure', peer, message: messageOf(error) }
    }
  }

  /** Tells a peer that one provides many multihashes. @throws what `tellAll` of the messenger does */
  async tell(peer: string, multihashes: readonly Uint8Array[], provider: RoutedPeer, signal: AbortSignal): Promise<void> {
    const last = multihashes.at(-1)
    if (last === undefined) return
    const pieces = (take: () => Uint8Array) => addProviderPieces(multihashes, provider, this.#libraries, take)
    try {
      await this.#messenger.tellAll(peer, pieces, { type: MESSAGE.FIND_NODE, key: last, closer: [], providers: [] }, signal)
    } catch (error) {
      if (!signal.aborted) void this.#dropped(peer)
      throw error
    }
  }

  #answer(peer: string, answer: Message | undefined): EngineEvent {
    // to have been told is no sign of life
    if (answer === undefined) return { type: 'answer', peer, closer: [], providers: [], record: undefined }
    const { closer, providers, record } = answer
    this.#answered.set(peer, new Date())
    if (!this.#members.has(peer)) this.#dht.routingTable.queueRoutingTableUpdate(this.#libraries.peerId(peer))
    for (const one of [...closer, ...providers]) this.#hear(one)
    return {
      type: 'answer',
      peer,
      // who answers with more than a bucket holds sends a walk nowhere else
      closer: closer.slice(0, K).map(one => this.#rules.shown(one)),
      providers,
      record: record && readRecord(record)
    }
  }

  #hear(peer: RoutedPeer): void {
    const { id, addresses } = this.#rules.shown(peer)
    if (addresses.length > 0) this.#heard.set(id, addresses)
  }

  /** A peer that does not answer leaves the table; it comes back by connecting. */
  async #dropped(peer: string): Promise<void> {
    this.#answered.delete(peer)
    if (this.#network.connections(peer).length > 0) return
    try {
      await this.#dht.routingTable.kb.remove(placeOf(this.#libraries.idBytes(peer)))
    } catch (error) {
      this.#log.debug(`${peer} stays in the routing table: ${messageOf(error)}`)
    }
  }

  #peer({ id, multiaddrs }: { id: PeerId; multiaddrs: readonly unknown[] }): RoutedPeer {
    return { id: id.toString(), addresses: multiaddrs.map(address => withoutPeer(String(address))) }
  }

  /** libp2p's parts as the library is to see them: it dials nobody by itself, keeps nothing and serves nothing. */
  #components(components: KadDHTComponents): KadDHTComponents {
    const { connectionManager, registrar, peerStore } = components
    const open = async (peer: PeerId, protocol: string | string[], options?: { signal?: AbortSignal }): Promise<Stream> => {
      const id = peer.toString()
      if (this.#network.connections(id).length === 0) await this.#dial(id, options?.signal)
      return connectionManager.openStream(peer, protocol, options)
    }
    return {
      ...pick(components),
      datastore: new NoDatastore(),
      connectionManager: overlaid(connectionManager, {
        openStream: open,
        isDialable: async (addresses: unknown) =>
          [addresses].flat().some(one => this.#rules.shown({ id: '', addresses: [withoutPeer(String(one))] }).addresses.length > 0)
      }),
      // libp2p dials whom it is to stay connected with as soon as the connection is closed, even by the user
      peerStore: overlaid(peerStore, { merge: (peer: PeerId, about: PeerData) => peerStore.merge(peer, withoutKeepAlive(about)) }),
      registrar: overlaid(registrar, { handle: async () => {}, unhandle: async () => {} }),
      // who answered a moment ago, or has just connected, needs no ping; nobody is dialled for one
      ping: { ping: async (peer: PeerId) => this.#verified(peer.toString()) } as unknown as KadDHTComponents['ping']
    }
  }

  /** @throws for a peer that does not belong into this table */
  async #verified(peer: string): Promise<number> {
    const open = this.#network.connections(peer)
    if (open.length === 0) throw new Error(`${peer} is not connected`)
    const addresses = open.map(({ address }) => address)
    if (!this.#rules.admits(addresses)) throw new Error(`${peer} is not of the ${this.#rules.scope}`)
    const why = this.#rules.isDiverse
      ? this.#diversity.refuses(
          peer,
          addresses,
          this.table().map(({ id }) => id)
        )
      : undefined
    if (why !== undefined) {
      this.#log.debug(`${peer} stays out of the routing table: ${why}`)
      throw new Error(why)
    }
    return 1
  }

  async #dial(peer: string, signal: AbortSignal | undefined): Promise<void> {
    const { addresses } = await this.addressesOf(peer)
    const all = [...new Set([...addresses, ...(this.#heard.get(peer) ?? [])])]
    if (all.length === 0) throw new Error(`no address of ${peer} is known`)
    await this.#network.dial(peer, all, { signal, identified: false })
  }
}
