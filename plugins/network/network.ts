import type { Connection, IdentifyResult, PeerId, PeerInfo, PeerRouting } from '@libp2p/interface'
import {
  type DialOptions,
  type HandleOptions,
  type KnownPeer,
  messageOf,
  type Network,
  type NetworkOptions,
  networkErrors,
  type OpenOptions,
  type PeerConnection,
  type PeerDiscovery,
  type PeerRouter,
  type PeerStream,
  type Reachability,
  type Startable
} from '../../core/index.ts'
import { bounded } from '../../core/timing.ts'
import { sorted, withoutPeer } from './addresses/addresses.ts'
import { reachabilityOf } from './addresses/reachability.ts'
import { connectionOf } from './connections/connection.ts'
import { directOf } from './dial/direct.ts'
import { Discoveries } from './discoveries.ts'
import type { Foundation, NetworkInit } from './libp2p/foundation.ts'
import { Parts } from './parts.ts'
import { knownPeer } from './peers/known.ts'
import { Latencies } from './peers/latencies.ts'
import { routerOf } from './routers.ts'
import { PING, roundTrip } from './streams/ping.ts'
import { openStream, type StreamHandler, serveStreams } from './streams/streams.ts'

/** How long the look-up of a peer's addresses may take, in milliseconds. */
const FIND_TIMEOUT = 60_000

/** How often the node looks for connections that have become too many, in milliseconds: those that were new are not any more. */
const TRIM_INTERVAL = 10_000

/** Most addresses of one peer that are kept. */
const MOST_ADDRESSES = 64

/** The node among its peers, by libp2p. */
export class Libp2pNetwork implements Network, Startable {
  readonly self: string
  readonly agent: string
  readonly #init: NetworkInit
  readonly #latencies = new Latencies()
  readonly #discoveries: Discoveries
  #foundation: Foundation | undefined
  #parts: Parts | undefined
  #trimming: NodeJS.Timeout | undefined

  constructor(init: NetworkInit) {
    const { self, agent, log } = init
    this.self = self
    this.agent = agent
    this.#init = init
    this.#discoveries = new Discoveries(peer => void this.#meet(peer.id, peer.addresses), log)
  }

  async start(): Promise<void> {
    this.#foundation = await this.#init.build(this)
    const { node } = this.#foundation
    this.#parts = new Parts(node, (routing, discovery) => this.#use(routing, discovery))
    node.addEventListener('peer:disconnect', ({ detail }) => {
      this.#latencies.forget(detail.toString())
      this.#base.trimmer.forget(detail.toString())
    })
    node.addEventListener('connection:open', () => this.#trim())
    this.#trimming = setInterval(() => this.#trim(), TRIM_INTERVAL).unref()
  }

  async afterStart(): Promise<void> {
    const { node, beside, listen } = this.#base
    await node.start()
    await listen()
    await this.#parts?.start()
    for (const one of beside) await one.start?.(AbortSignal.timeout(FIND_TIMEOUT), () => {})
    this.#discoveries.start()
  }

  async stop(): Promise<void> {
    clearInterval(this.#trimming)
    if (this.#foundation === undefined) return
    const { node, beside } = this.#foundation
    this.#discoveries.stop()
    for (const one of beside.toReversed()) await one.stop?.(AbortSignal.timeout(FIND_TIMEOUT), () => {})
    await this.#parts?.stop()
    await node.stop()
    this.#foundation = undefined
  }

  get fingerprint(): string | undefined {
    return this.#base.fingerprint
  }

  listening(): readonly string[] {
    const addresses = this.#base.node.components.transportManager.getAddrs().map(address => withoutPeer(address.toString()))
    const { relays } = this.#base.libraries
    return sorted([...addresses, ...(relays ? ['/p2p-circuit'] : [])])
  }

  announced(): readonly string[] {
    return sorted(this.#base.node.getMultiaddrs().map(address => withoutPeer(address.toString())))
  }

  reachability(): Reachability {
    const { node, forced } = this.#base
    return { ...reachabilityOf(node.components.addressManager.getAddressesWithMetadata()), forced }
  }

  protocols(): readonly string[] {
    return sorted(this.#base.node.getProtocols())
  }

  connections(peer?: string): readonly PeerConnection[] {
    const { node } = this.#base
    return node.getConnections(peer === undefined ? undefined : this.#id(peer)).map(connectionOf)
  }

  async dial(
    peer: string,
    addresses?: readonly string[],
    { signal, identified: isWaiting = true }: DialOptions = {}
  ): Promise<PeerConnection> {
    const { identified, dialer } = this.#base
    const connection = await this.#connect(peer, addresses, signal)
    // what takes the place of a relayed one goes by what the peer says of itself
    if (isWaiting || connection.limits !== undefined) await identified.wait(connection, signal)
    const best = await directOf(dialer, { peer, connection, given: addresses ?? [], known: () => this.peer(peer), signal })
    if (isWaiting) await identified.wait(best, signal)
    return connectionOf(best)
  }

  async open(peer: string, protocols: string | readonly string[], options: OpenOptions = {}): Promise<PeerStream> {
    const connection = await this.#connect(peer, undefined, options.signal)
    const { spoken } = this.#base
    return openStream(connection, [protocols].flat(), { timeout: this.#init.settings.negotiationTimeout, spoken }, options)
  }

  handle(protocol: string, handler: StreamHandler, options: HandleOptions = {}): Promise<() => Promise<void>> {
    return serveStreams(this.#base, protocol, handler, options, this.#init.log)
  }

  onConnect(listener: (peer: string) => void): () => void {
    return this.#on('peer:connect', (peer: PeerId) => listener(peer.toString()))
  }

  onDisconnect(listener: (peer: string) => void): () => void {
    return this.#on('peer:disconnect', (peer: PeerId) => listener(peer.toString()))
  }

  onIdentify(listener: (peer: KnownPeer) => void): () => void {
    return this.#on('peer:identify', async ({ peerId }: IdentifyResult) => {
      const known = await this.peer(peerId.toString())
      if (known !== undefined) listener(known)
    })
  }

  async peer(peer: string): Promise<KnownPeer | undefined> {
    const { node, libraries } = this.#base
    if (peer === this.self) return this.#selfAsPeer()
    const id = this.#id(peer)
    if (!(await node.peerStore.has(id))) return undefined
    return knownPeer(await node.peerStore.get(id), libraries.publicKeyToProtobuf)
  }

  async peers(): Promise<readonly KnownPeer[]> {
    const { node, libraries } = this.#base
    const all = (await node.peerStore.all()).map(peer => knownPeer(peer, libraries.publicKeyToProtobuf))
    return [this.#selfAsPeer(), ...all.filter(({ id }) => id !== this.self)]
  }

  async remember(peer: string, addresses: readonly string[]): Promise<void> {
    if (peer === this.self || addresses.length === 0) return
    const { node, libraries } = this.#base
    const multiaddrs = addresses.slice(0, MOST_ADDRESSES).map(address => libraries.multiaddr(address))
    await node.peerStore.merge(this.#id(peer), { multiaddrs })
  }

  async find(peer: string, { signal }: NetworkOptions = {}): Promise<readonly string[]> {
    const known = (await this.peer(peer))?.addresses ?? []
    if (known.length > 0) return known
    const found = await bounded(FIND_TIMEOUT, signal, networkErrors.E_PEER_NOT_FOUND, inner =>
      this.#base.routers.find(peer, { signal: inner })
    )
    const addresses = found.map(withoutPeer)
    await this.remember(peer, addresses)
    return addresses
  }

  async ping(peer: string, { signal }: NetworkOptions = {}): Promise<number> {
    const stream = await this.open(peer, PING, { signal })
    const late = () => networkErrors.E_STREAM(peer, PING, 'the peer does not answer')
    try {
      const time = await bounded(this.#init.settings.negotiationTimeout, signal, late, () => roundTrip(stream))
      this.#latencies.record(peer, time)
      return time
    } finally {
      stream.abort()
    }
  }

  latency(peer: string): number | undefined {
    return this.#latencies.of(peer)
  }

  async tag(peer: string, name: string, value: number): Promise<void> {
    // what is taken back when the network has stopped is gone with it
    const trimmer = value === 0 ? this.#foundation?.trimmer : this.#base.trimmer
    trimmer?.tag(peer, name, value)
  }

  protect(peer: string, name: string): void {
    this.#base.trimmer.protect(peer, name)
  }

  unprotect(peer: string, name: string): void {
    this.#foundation?.trimmer.unprotect(peer, name)
  }

  addRouter(router: PeerRouter): () => void {
    return this.#base.routers.add(router)
  }

  addDiscovery(discovery: PeerDiscovery): () => void {
    return this.#discoveries.add(discovery)
  }

  addTransport<C, T extends object>(make: (components: C) => T): T {
    return this.#added.transport(make)
  }

  add<C, T extends object>(make: (components: C) => T): T {
    return this.#added.add(make)
  }

  libp2p<L>(): L {
    return this.#base.node as unknown as L
  }

  get #base(): Foundation {
    if (this.#foundation === undefined) throw networkErrors.E_NETWORK_STOPPED()
    return this.#foundation
  }

  get #added(): Parts {
    if (this.#parts === undefined) throw networkErrors.E_NETWORK_STOPPED()
    return this.#parts
  }

  #selfAsPeer(): KnownPeer {
    const { publicKey } = this.#init
    return { id: this.self, addresses: this.announced(), protocols: this.protocols(), agent: this.agent, publicKey }
  }

  #id(peer: string): PeerId {
    return this.#base.libraries.peerIdFromString(peer)
  }

  async #connect(peer: string, addresses: readonly string[] | undefined, signal: AbortSignal | undefined): Promise<Connection> {
    if (peer === this.self) throw networkErrors.E_DIAL_SELF()
    const { node, dialer } = this.#base
    const open = node.getConnections(this.#id(peer)).filter(({ status }) => status === 'open')
    const best = open.find(({ limits }) => limits === undefined) ?? open[0]
    if (best !== undefined) return best
    this.#base.limits.reserve(peer)
    return dialer.dial(peer, addresses?.length ? addresses : await this.find(peer, { signal }), { signal })
  }

  /** Closes what is too many. */
  #trim(): void {
    for (const connection of this.#base.trimmer.excess(this.connections())) connection.close().catch(() => {})
  }

  #on<D>(type: 'peer:connect' | 'peer:disconnect' | 'peer:identify', listener: (detail: D) => unknown): () => void {
    const { node } = this.#base
    const heard = async ({ detail }: { detail: unknown }) => {
      try {
        await listener(detail as D)
      } catch (error) {
        this.#init.log.error({ err: error }, `a listener for ${type} failed: ${messageOf(error)}`)
      }
    }
    const on = (event: unknown) => void heard(event as { detail: unknown })
    node.addEventListener(type, on)
    return () => node.removeEventListener(type, on)
  }

  /** Connects with a peer that was found, unless there are many already. */
  async #meet(peer: string, addresses: readonly string[]): Promise<void> {
    try {
      await this.remember(peer, addresses)
      if (peer !== this.self && this.connections().length < this.#base.trimmer.enough) await this.dial(peer, addresses)
    } catch (error) {
      this.#init.log.debug(`${peer}, a peer that was found, cannot be reached: ${messageOf(error)}`)
    }
  }

  /** The members that a part offers under libp2p's symbols. */
  #use(routing: PeerRouting | undefined, discovery: EventTarget | undefined): void {
    if (routing !== undefined) this.addRouter(routerOf(routing, peer => this.#id(peer)))
    discovery?.addEventListener('peer', event => {
      const { id, multiaddrs } = (event as CustomEvent<PeerInfo>).detail
      void this.#meet(id.toString(), multiaddrs.map(String).map(withoutPeer))
    })
  }
}
