import { type Token, token } from '../../token.ts'

/** How long a connection or a stream may take, and who waits for it. */
export interface NetworkOptions {
  /** Ends the wait, not what came of it. */
  signal?: AbortSignal
}

/** How a stream is opened. */
export interface OpenOptions extends NetworkOptions {
  /** Most streams of the protocol that this node has opened on one connection at a time. Default 64. */
  maxOutbound?: number
}

/** A connection with a peer. */
export interface PeerConnection {
  /** Unique for as long as the node runs. */
  readonly id: string
  /** base58 */
  readonly peer: string
  /** Where it leads, a multiaddr without the peer. */
  readonly address: string
  readonly direction: 'inbound' | 'outbound'
  /** Whether it goes through a relay that allows little of it: nothing large should. */
  readonly limited: boolean
  /** Bytes that the relay still lets through, where it counts them. */
  readonly bytesLeft?: number | undefined
  readonly openedAt: Date
  /** The protocols of its streams; `''` where one is not agreed on yet. */
  protocols(): readonly string[]
  /** Waits until its streams are closed, which takes a peer that reads them. */
  close(): Promise<void>
  /** Tears it at once. */
  abort(error: Error): void
}

/** Octets both ways between two peers. Reading is the iteration: it ends where the other side has written all, and throws where it was torn. */
export interface PeerStream extends AsyncIterable<Uint8Array> {
  readonly protocol: string
  readonly peer: string
  /** Writes bytes, or several parts as if they were one. Resolves when the stream takes more. They must not be changed after. @throws E_STREAM */
  write(bytes: Uint8Array | readonly Uint8Array[], options?: NetworkOptions): Promise<void>
  /** Writes no more; the other side can still be read. */
  end(options?: NetworkOptions): Promise<void>
  /** Tears it for both sides. */
  abort(error?: Error): void
}

/** How a peer is dialled. */
export interface DialOptions extends NetworkOptions {
  /** Whether to wait until the peer has said what it is: who opens a stream need not. Default true. */
  identified?: boolean
}

/** The record of a peer. */
export interface KnownPeer {
  /** base58 */
  readonly id: string
  /** Multiaddrs without the peer. */
  readonly addresses: readonly string[]
  readonly protocols: readonly string[]
  /** `''` where it is not known. */
  readonly agent: string
  /** libp2p protobuf. */
  readonly publicKey: Uint8Array | undefined
}

/** A router that knows addresses of peers. */
export interface PeerRouter {
  /** @returns multiaddrs; none where the peer is not known. Throws where nobody could be asked. */
  findPeer(peer: string, options: NetworkOptions): Promise<readonly string[]>
}

/** A discovery of peers, e.g. on the local network (mDNS). */
export interface PeerDiscovery {
  /** Runs until `signal` fires. */
  discover(found: (peer: { readonly id: string; readonly addresses: readonly string[] }) => void, signal: AbortSignal): Promise<void> | void
}

/** How a protocol is served. */
export interface HandleOptions {
  /** Most streams of one connection at a time. Default 32. */
  maxInbound?: number
  /** Whether it is served over connections of a relay that allows little, too. Default false. */
  onLimited?: boolean
  /** Bytes of the largest message that comes, where each stream carries requests: no peer is let send much more before it is read. Default: what memory there is. */
  maxRequest?: number
  /** Whether peers are told that this node speaks it. Those that ask for it by its name are served all the same. Default true. */
  announced?: boolean
}

/** Public addresses of this node, multiaddrs without the peer, by what peers that were asked to dial them have said. Sorted. */
export interface Reachability {
  readonly reachable: readonly string[]
  readonly unreachable: readonly string[]
  /** Addresses of which nobody has said anything yet. */
  readonly unknown: readonly string[]
  /** The reachability that the node claims whatever they say, where its configuration has it so (`Internal.Libp2pForceReachability`). */
  readonly forced: 'public' | 'private' | undefined
}

/**
 * The node among its peers: connections and streams by libp2p. Absent on a node that runs offline.
 *
 * A plugin's services get it started but not listening yet: what they add in their `start` is there before the first peer is. It listens, and
 * dials, when all services have started.
 */
export interface Network {
  /** The node's own ID, base58. */
  readonly self: string
  /** The agent version that peers are told: `holdfast/1.2.3`. */
  readonly agent: string
  /** The fingerprint of the key of the private network that the node is in, hexadecimal; undefined on the public one. */
  readonly fingerprint: string | undefined
  /** Multiaddrs that it listens on, with those of interfaces in the stead of `0.0.0.0`. Sorted, without the node's ID. */
  listening(): readonly string[]
  /** Multiaddrs that peers are told. Sorted, without the node's ID. */
  announced(): readonly string[]
  /** Whether peers reach the addresses that this node has beyond its own network. */
  reachability(): Reachability
  /** Protocols that are served and that peers are told of. Sorted. */
  protocols(): readonly string[]

  /** All connections that are open, or those with one peer. */
  connections(peer?: string): readonly PeerConnection[]
  /**
   * A connection with a peer: one that is open, else a new one, by these addresses (multiaddrs without the peer), or where there are none by
   * those that are known or that a router finds. A new one is answered when the peer has said what it is, is late with that, or does not say it.
   *
   * @throws E_DIAL, which names each address with what is wrong; E_DIAL_SELF; E_PEER_NOT_FOUND, E_NO_PEERS_TO_ASK
   */
  dial(peer: string, addresses?: readonly string[], options?: DialOptions): Promise<PeerConnection>
  /** A stream of the first of the protocols that the peer speaks; dials where there is no connection. @throws E_PROTOCOL and what {@link dial} does */
  open(peer: string, protocols: string | readonly string[], options?: OpenOptions): Promise<PeerStream>
  /**
   * Serves a protocol. A stream ends when the handler's promise does, by an error if it throws.
   *
   * @returns what ends it
   * @throws E_PROTOCOL_SERVED where another serves it
   */
  handle(protocol: string, handler: (stream: PeerStream) => Promise<void> | void, options?: HandleOptions): Promise<() => Promise<void>>
  /** Called for each peer when its first connection is there. @returns what ends it */
  onConnect(listener: (peer: string) => void): () => void
  /** Called for each peer when its last connection is gone. @returns what ends it */
  onDisconnect(listener: (peer: string) => void): () => void
  /** Called for each peer when it has said what it is: its protocols are known then. @returns what ends it */
  onIdentify(listener: (peer: KnownPeer) => void): () => void

  /** The record of a peer; undefined for one that was never heard of. */
  peer(peer: string): Promise<KnownPeer | undefined>
  /** All peers of which something is known, the node itself among them. */
  peers(): Promise<readonly KnownPeer[]>
  /** Keeps addresses (multiaddrs without the peer) for later dials. */
  remember(peer: string, addresses: readonly string[]): Promise<void>
  /** The addresses of a peer that is not connected: known ones, else what routers find. @throws E_PEER_NOT_FOUND, E_NO_PEERS_TO_ASK */
  find(peer: string, options?: NetworkOptions): Promise<readonly string[]>
  /** One round trip, in milliseconds. @throws what {@link open} does */
  ping(peer: string, options?: NetworkOptions): Promise<number>
  /** The round trip of late, in milliseconds; undefined where none was measured. */
  latency(peer: string): number | undefined

  /** Says what a peer is worth: of too many connections those go first that are worth least. `value` 0 takes the name back. */
  tag(peer: string, name: string, value: number): Promise<void>
  /** Keeps connections with the peer from being closed for being too many, until taken back under the same name. */
  protect(peer: string, name: string): void
  /** Takes the protection under this name back. */
  unprotect(peer: string, name: string): void

  /** @returns what takes it away again */
  addRouter(router: PeerRouter): () => void
  /** @returns what ends it */
  addDiscovery(discovery: PeerDiscovery): () => void
  /**
   * Adds a transport as libp2p knows them (`@libp2p/interface`, Transport), made of libp2p's components.
   *
   * ```ts
   * network.addTransport((components: WebSocketsComponents) => webSockets()(components))
   * ```
   */
  addTransport<C, T extends object>(make: (components: C) => T): T
  /**
   * Adds a service that is written against libp2p, made of libp2p's components. It starts and stops with the network, and what it offers
   * under libp2p's symbols (peer routing, content routing, discovery) is used.
   *
   * ```ts
   * const dht = network.add((components: KadDHTComponents) => kadDHT({ protocol: '/ipfs/kad/1.0.0' })(components))
   * ```
   */
  add<C, T extends object>(make: (components: C) => T): T
  /** The `Libp2p` itself (package `libp2p`), for plugins that are written against it. */
  libp2p<L>(): L
}
export const Network: Token<Network> = token<Network>('network')

/** Ranges of addresses that the node neither dials nor is reached from. */
export interface AddressFilters {
  /** `/ip4/10.0.0.0/ipcidr/8`, in the order in which they were added. */
  list(): readonly string[]
  /** Takes effect at once, and is written to the node configuration. @throws E_FILTER_FORMAT, E_FILTER_RANGE */
  add(filters: readonly string[]): Promise<void>
  /** @returns those that the configuration had. @throws E_FILTER_FORMAT, E_FILTER_RANGE */
  remove(filters: readonly string[]): Promise<readonly string[]>
  /** @returns what the configuration had; undefined for none */
  clear(): Promise<readonly string[] | undefined>
  /** Whether a multiaddr lies in one of them. */
  blocks(address: string): boolean
}
export const AddressFilters: Token<AddressFilters> = token<AddressFilters>('address-filters')

/** Peers that the node stays connected with. */
export interface Peering {
  /** Of a peer that is there already, the addresses (multiaddrs without the peer) are replaced. Not written to the node configuration. */
  add(peer: string, addresses: readonly string[]): void
  /** Lets the peer go like any other; a connection that there is stays. */
  remove(peer: string): void
  /** The peers, with their addresses. */
  list(): ReadonlyArray<{ readonly id: string; readonly addresses: readonly string[] }>
}
export const Peering: Token<Peering> = token<Peering>('peering')

/** Octets that went over streams. */
export interface BandwidthReading {
  readonly in: bigint
  readonly out: bigint
  /** Bytes a second of late. */
  readonly rateIn: number
  readonly rateOut: number
}

/** The meter of what goes over streams; without, the configuration switched it off (`Swarm.DisableBandwidthMetrics`). */
export interface BandwidthMeter {
  /** Whether anything is measured. */
  readonly enabled: boolean
  /** All streams together. */
  total(): BandwidthReading
  /** The streams with one peer (base58). */
  ofPeer(peer: string): BandwidthReading
  /** The streams of one protocol. */
  ofProtocol(protocol: string): BandwidthReading
}
export const BandwidthMeter: Token<BandwidthMeter> = token<BandwidthMeter>('network-traffic')

/** The limits of one part of the network at a time; undefined: as much as it likes. */
export interface ScopeLimits {
  readonly memory?: number | undefined
  readonly fd?: number | undefined
  readonly conns?: number | undefined
  readonly connsInbound?: number | undefined
  readonly connsOutbound?: number | undefined
  readonly streams?: number | undefined
  readonly streamsInbound?: number | undefined
  readonly streamsOutbound?: number | undefined
}

/** The limits by their names in files and answers, in the reference's order. */
export const SCOPE_LIMITS = [
  ['Memory', 'memory'],
  ['FD', 'fd'],
  ['Conns', 'conns'],
  ['ConnsInbound', 'connsInbound'],
  ['ConnsOutbound', 'connsOutbound'],
  ['Streams', 'streams'],
  ['StreamsInbound', 'streamsInbound'],
  ['StreamsOutbound', 'streamsOutbound']
] as const satisfies ReadonlyArray<readonly [wire: string, name: keyof ScopeLimits]>

/** A part of the network, what it may take and what it takes. */
export interface Scope {
  readonly limits: ScopeLimits
  /** Whether the configuration gives it limits, in place of the defaults. */
  readonly isConfigured: boolean
  readonly usage: Readonly<Record<keyof ScopeLimits, number>>
}

/** How much of the machine peers may take. */
export interface NetworkLimits {
  /** Whether limits are held (`Swarm.ResourceMgr.Enabled`). */
  readonly enabled: boolean
  /** Everything together. */
  readonly system: Scope
  /** Connections and streams that are not agreed on yet. */
  readonly transient: Scope
  /** Scopes by the name of a part of libp2p that has limits of its own. */
  readonly services: ReadonlyMap<string, Scope>
  /** Scopes by protocol. */
  readonly protocols: ReadonlyMap<string, Scope>
  /** Scopes by peer, base58. */
  readonly peers: ReadonlyMap<string, Scope>
}
export const NetworkLimits: Token<NetworkLimits> = token<NetworkLimits>('network-limits')
