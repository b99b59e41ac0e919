import { decodeMultihash } from '../../../core/cid/index.ts'
import { StreamTurns } from '../../../core/concurrency/index.ts'
import { type Logger, messageOf, type Network, type PeerStream, type RoutedPeer } from '../../../core/index.ts'
import { inlinePublicKey, peerIdString } from '../../../core/keys/index.ts'
import { originOf } from '../../../core/multiaddr/index.ts'
import { Refusals } from '../../../core/network/index.ts'
import { routingPluginErrors } from '../errors.ts'
import type { Libraries } from '../libraries.ts'
import type { RoutingSettings } from '../settings.ts'
import { type DhtEngine, K } from './engine.ts'
import { MESSAGE, type Message, readMessage, writeMessage } from './message.ts'
import type { ScopeRules } from './reach.ts'
import { readRecord, writeRecord } from './records/record.ts'
import type { ProviderRecords, ValueRecords } from './records/records.ts'
import { frames, writeFrame } from './wire.ts'

/** Bytes of a key (a namespace and a multihash, or a multihash of a long digest), and providers that an answer names. */
const MOST = { key: 256, providers: 50 } as const

export interface ServerParts {
  readonly network: Network
  readonly libraries: Libraries
  readonly rules: ScopeRules
  readonly engine: Pick<DhtEngine, 'closest' | 'addressesOf'>
  readonly providers: ProviderRecords
  readonly values: ValueRecords
  readonly settings: RoutingSettings
  readonly log: Logger
}

/** The server's side of one DHT: answers what peers ask, and keeps what they hand over as far as its limits go. */
export class DhtServer {
  readonly #parts: ServerParts
  readonly #refusals: Refusals
  #end: (() => Promise<void>) | undefined

  constructor(parts: ServerParts) {
    this.#parts = parts
    this.#refusals = new Refusals(parts.log)
  }

  async start(): Promise<void> {
    const { network, rules, settings } = this.#parts
    this.#end ??= await network.handle(rules.protocol, stream => this.#serve(stream), {
      maxInbound: settings.maxStreams,
      maxRequest: settings.maxRequest
    })
  }

  async stop(): Promise<void> {
    const end = this.#end
    this.#end = undefined
    await end?.()
  }

  /** Answers the requests of a stream one after the other. One that is refused, or none for a while, ends it; what is malformed, the peer's connections. */
  async #serve(stream: PeerStream): Promise<void> {
    const { settings, libraries, log } = this.#parts
    const over = new AbortController()
    let isPartial = false
    let stalled: Error | undefined
    const idle = setTimeout(() => {
      if (isPartial) stalled = routingPluginErrors.E_DHT_MESSAGE('it was begun, and the rest did not come in time')
      over.abort()
      stream.abort(stalled ?? routingPluginErrors.E_DHT_REQUEST('none came in time'))
    }, settings.idleTimeout)
    const rests = (part: boolean) => {
      isPartial = part
    }
    const turns = new StreamTurns(over.signal)
    try {
      for await (const frame of frames(stream, settings.maxRequest, rests)) {
        idle.refresh()
        // this one came whole: what takes long from here on is the answer, or its reader
        isPartial = false
        // a peer may have sent thousands at once, over each of its streams
        if (turns.due) await turns.take()
        const answer = await this.answer(stream.peer, readMessage(frame, libraries, K))
        if (answer !== undefined) await writeFrame(stream, writeMessage(answer, libraries), over.signal)
      }
    } catch (thrown) {
      const error = (stalled ?? thrown) as Error & { readonly code?: unknown }
      log.debug(`a request of ${stream.peer} was refused: ${messageOf(error)}`)
      if (error.code === 'E_DHT_MESSAGE') this.#drop(stream.peer, error)
      throw thrown
    } finally {
      clearTimeout(idle)
    }
  }

  /** The answer to a request; undefined where there is none to be given. @throws E_DHT_MESSAGE, E_DHT_REQUEST, E_DHT_FULL, E_ROUTING_RECORD… */
  async answer(peer: string, request: Message): Promise<Message | undefined> {
    const { type, key } = request
    if (key.length > MOST.key || (key.length === 0 && type !== MESSAGE.PING)) throw routingPluginErrors.E_DHT_REQUEST('the key')
    switch (type) {
      case MESSAGE.FIND_NODE:
        return { type, key, closer: await this.#nodes(peer, key), providers: [] }
      case MESSAGE.GET_PROVIDERS:
        return { type, key, closer: await this.#closer(peer, key), providers: await this.#providers(key) }
      case MESSAGE.ADD_PROVIDER:
        return this.#addProvider(peer, request)
      case MESSAGE.GET_VALUE:
        return { type, key, record: await this.#record(key), closer: await this.#closer(peer, key), providers: [] }
      case MESSAGE.PUT_VALUE:
        return this.#putValue(peer, request)
      case MESSAGE.PING:
        return request
      default:
        throw routingPluginErrors.E_DHT_REQUEST(`type ${type}`)
    }
  }

  #drop(peer: string, why: Error): void {
    this.#refusals.tell(`the peer ${peer}`, messageOf(why), 'what is no message of the DHT')
    for (const connection of this.#parts.network.connections(peer)) connection.abort(why)
  }

  /** Peers closest to a key, without the one that asks. */
  async #closer(peer: string, key: Uint8Array): Promise<RoutedPeer[]> {
    const { engine } = this.#parts
    const closest = engine.closest(key, K + 1).filter(id => id !== peer)
    return this.#reachable(closest.slice(0, K))
  }

  /** The same, with the peer that the key names where it is known, though it takes no part in the DHT. */
  async #nodes(peer: string, key: Uint8Array): Promise<RoutedPeer[]> {
    const { network } = this.#parts
    const named = peerIdString(key)
    const closer = await this.#closer(peer, key)
    if (named === peer || closer.some(({ id }) => id === named)) return closer
    if (!isPeerKey(key) || (named !== network.self && network.connections(named).length === 0)) return closer
    const addresses = named === network.self ? network.announced() : (await this.#parts.engine.addressesOf(named)).addresses
    return [...this.#shown([{ id: named, addresses }]), ...closer]
  }

  async #providers(key: Uint8Array): Promise<RoutedPeer[]> {
    const { network, providers, engine } = this.#parts
    decodeMultihash(key)
    const found = (await providers.of(key)).slice(0, MOST.providers)
    const whole = found.map(async provider => {
      if (provider.id === network.self) return { id: provider.id, addresses: network.announced() }
      return provider.addresses.length > 0 ? provider : engine.addressesOf(provider.id)
    })
    return this.#shown(await Promise.all(whole))
  }

  async #addProvider(peer: string, { key, providers }: Message): Promise<undefined> {
    const { rules, providers: records } = this.#parts
    decodeMultihash(key)
    // who speaks for others is not heard
    const sender = providers.find(({ id }) => id === peer)
    if (sender === undefined) throw routingPluginErrors.E_DHT_REQUEST('the sender is no provider in it')
    await records.add(key, rules.shown(sender), this.#originOf(peer))
  }

  async #record(key: Uint8Array): Promise<Uint8Array | undefined> {
    const { values, network } = this.#parts
    const found = await values.get(key)
    if (found !== undefined) return writeRecord({ key, value: found.value }, found.received)
    if (Buffer.from(key.subarray(0, 4)).toString() !== '/pk/') return undefined
    const multihash = key.subarray(4)
    const publicKey = inlinePublicKey(multihash) ?? (await network.peer(peerIdString(multihash)).catch(() => undefined))?.publicKey
    return publicKey && writeRecord({ key, value: publicKey }, new Date())
  }

  async #putValue(peer: string, request: Message): Promise<Message> {
    const { values } = this.#parts
    if (request.record === undefined) throw routingPluginErrors.E_DHT_REQUEST('it has no record')
    const { key, value } = readRecord(request.record)
    if (Buffer.compare(key, request.key) !== 0) throw routingPluginErrors.E_DHT_REQUEST('its record is of another key')
    await values.put(key, value, peer, this.#originOf(peer))
    return { type: request.type, key, record: request.record, closer: [], providers: [] }
  }

  /** The network address of a peer that hands something over: it may have any number of IDs. Those that are gone already have one together. */
  #originOf(peer: string): string {
    return originOf(this.#parts.network.connections(peer)[0]?.address ?? '')
  }

  async #reachable(peers: readonly string[]): Promise<RoutedPeer[]> {
    return (await Promise.all(peers.map(id => this.#parts.engine.addressesOf(id)))).filter(({ addresses }) => addresses.length > 0)
  }

  #shown(peers: readonly RoutedPeer[]): RoutedPeer[] {
    return peers.map(peer => this.#parts.rules.shown(peer)).filter(({ addresses }) => addresses.length > 0)
  }
}

/** Whether a key can be the ID of a peer: a multihash of SHA-256, or a public key itself. The keys of records are asked for as well. */
function isPeerKey(key: Uint8Array): boolean {
  return (key[0] === 0x12 && key[1] === 32 && key.length === 34) || (key[0] === 0 && key[1] === key.length - 2)
}
