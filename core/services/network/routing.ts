import type { CID } from 'multiformats/cid'
import { type Token, token } from '../../token.ts'
import type { Lease } from '../storage/blocks.ts'

/** A peer and where it can be reached. */
export interface RoutedPeer {
  /** base58 */
  readonly id: string
  /** Multiaddrs without the peer. */
  readonly addresses: readonly string[]
}

/** An event of a look-up: a step of it, or a find. */
export type RoutingEvent =
  /** A peer is about to be dialled. */
  | { readonly type: 'dialling'; readonly peer: string }
  /** A peer is asked. */
  | { readonly type: 'asking'; readonly peer: string }
  /** A peer has answered, with peers that may know more. */
  | { readonly type: 'answer'; readonly peer: string; readonly closer: readonly RoutedPeer[] }
  /** A peer could not be asked, or without `peer` the whole of a look-up. */
  | { readonly type: 'failure'; readonly peer?: string; readonly message: string }
  /** A provider of the content. */
  | { readonly type: 'provider'; readonly provider: RoutedPeer }
  /** A value that was found, or that `peer` has taken. It has been checked. */
  | { readonly type: 'value'; readonly peer?: string; readonly value: Uint8Array }
  /** The peer that was looked for, or one of those closest to a key. */
  | { readonly type: 'peer'; readonly found: RoutedPeer }

/** How long a look-up may take, and who waits for it. */
export interface RoutingOptions {
  /** Ends the look-up: the iteration throws its reason. */
  signal?: AbortSignal
}

/** How much a look-up is to find. */
export interface CountOptions extends RoutingOptions {
  /** Enough of them; default: as many as there are. */
  count?: number
}

/**
 * One way to find peers and content. Look-ups go on while they are iterated and end with the iterator. A method that is missing is nothing
 * that this way is for. Nothing found is no error: the look-up ends without.
 */
export interface Router {
  /** The name in messages, e.g. `dht`. */
  readonly name: string
  /** Ends with an event `peer` where it is found. */
  findPeer?(peer: string, options?: RoutingOptions): AsyncIterable<RoutingEvent>
  /** Each provider once. */
  findProviders?(cid: CID, options?: CountOptions): AsyncIterable<RoutingEvent>
  /** Tells others that this node has the block. @throws E_NO_PEERS_TO_ASK */
  provide?(cid: CID, options?: RoutingOptions): AsyncIterable<RoutingEvent>
  /** Values under a key (`/ipns/` or `/pk/` and a multihash), each better than those before it. */
  getValue?(key: Uint8Array, options?: CountOptions): AsyncIterable<RoutingEvent>
  /** @throws E_NO_PEERS_TO_ASK, E_ROUTING_RECORD for one that is not good, E_ROUTING_RECORD_OLDER */
  putValue?(key: Uint8Array, value: Uint8Array, options?: RoutingOptions): AsyncIterable<RoutingEvent>
}

/**
 * Where peers, providers and records are, by all ways together that the node configuration names (`Routing`) and that plugins add. A way that
 * fails does not fail the look-up: its event says so. Absent on a node that runs offline.
 */
export interface Routing extends Required<Router> {
  /** Adds a way, until it is released. */
  add(router: Router): Lease
  /** Whether there is anybody to tell what this node has. */
  readonly hasPeers: boolean
  /** Calls the listener when there may be a peer to tell. @returns what ends it */
  onPeer(listener: () => void): () => void
}
export const Routing: Token<Routing> = token<Routing>('routing')

/** Counts of the provider records that were told so far, in this run. */
export interface ProvideStats {
  /** Blocks, those of passes among them. */
  readonly total: number
  /** Blocks of the last pass. */
  readonly lastBatch: number
  /** How long one took on average, in nanoseconds. */
  readonly average: number
  /** How long the last pass took, in nanoseconds. */
  readonly lastDuration: number
  /** When the last pass began, of an earlier run too; undefined: never. */
  readonly lastRun: Date | undefined
  /** Blocks that passes told of. */
  readonly reprovided: number
  /** How long one of a pass took on average, in nanoseconds. */
  readonly averageReprovide: number
}

/** Tells others what this node has: what is new, and from time to time all of what `Reprovider.Strategy` says. Absent on a node that runs offline. */
export interface Provider {
  /** The counts so far. */
  readonly stats: ProvideStats
  /** Why nothing is told: the key of the node configuration that says so. */
  readonly off: string | undefined
  /** Milliseconds between two passes; 0: there are none. */
  readonly interval: number
  /** Resolves when it stands in a queue that outlives the process. */
  provide(cids: readonly CID[]): Promise<void>
  /** A whole pass, now. Resolves at its end. One at a time: a second call waits for the one that runs. */
  reprovide(options?: { signal?: AbortSignal }): Promise<void>
}
export const Provider: Token<Provider> = token<Provider>('provider')

/** A bucket of a routing table: the peers that have the same number of leading bits in common with this node. */
export interface DhtBucket {
  readonly refreshedAt: Date | undefined
  readonly peers: ReadonlyArray<{ readonly id: string; readonly usefulAt: Date | undefined; readonly queriedAt: Date | undefined }>
}

/** One distributed hash table. */
export interface DhtTable {
  /** Buckets from the furthest to the nearest; none where there are no peers. */
  buckets(): readonly DhtBucket[]
}

/** The distributed hash tables that this node takes part in. Absent where the configuration has none. */
export interface Dht {
  readonly wan: DhtTable
  readonly lan: DhtTable
  /** The peers closest to a key, nearest first, each an event `peer` at the end. @throws E_NO_PEERS_TO_ASK */
  closest(key: Uint8Array, options?: RoutingOptions): AsyncIterable<RoutingEvent>
}

/** The tables, where the configuration has some. */
export interface Dhts {
  /** The tables that there are now; undefined where `Routing.Type` has none. */
  readonly current: Dht | undefined
}
export const Dhts: Token<Dhts> = token<Dhts>('dhts')
