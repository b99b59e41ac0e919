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
  /** When the last pass, or cycle of a sweep, began, of an earlier run too; undefined: never. */
  readonly lastRun: Date | undefined
  /** Blocks that passes told of. */
  readonly reprovided: number
  /** How long one of a pass took on average, in nanoseconds. */
  readonly averageReprovide: number
}

/** A sweep through the keyspace of the DHT. Counts of its run, of the last cycle where one has ended; times in milliseconds. */
export interface SweepStats {
  readonly isOnline: boolean
  readonly onlineSince: Date | undefined
  /** Keys that are told of in a cycle. */
  readonly keys: number
  /** Regions of a cycle, and how many leading bits they are by on average; -1: none yet. */
  readonly regions: number
  readonly prefixLength: number
  /** Regions of this cycle that were told of. */
  readonly regionsDone: number
  /** The region that comes next: when, and its leading bits. */
  readonly next: { readonly at: Date; readonly prefix: string } | undefined
  readonly isBusy: boolean
  readonly uptime: number
  readonly interval: number
  readonly cycleBegan: Date
  /** How far in it this cycle is. */
  readonly offset: number
  readonly cycle: SweepCounts
  readonly total: SweepCounts
  readonly lookups: number
  /** When a cycle began last, of an earlier run too; undefined: never. */
  readonly lastRun: Date | undefined
  /** Whether the last cycle left no key out. */
  readonly isWhole: boolean
}

/** What a sweep told. */
export interface SweepCounts {
  readonly regions: number
  readonly servers: number
  readonly failedServers: number
  readonly keys: number
  readonly failedKeys: number
  readonly records: number
  /** Milliseconds for which regions were worked on. */
  readonly time: number
}

/** Tells others what this node has: what is new, and from time to time all of what `Reprovider.Strategy` says. Absent on a node that runs offline. */
export interface Provider {
  /** The counts so far. */
  readonly stats: ProvideStats
  /** Why nothing is told: the key of the node configuration that says so. */
  readonly off: string | undefined
  /** Milliseconds between two passes; 0: there are none. */
  readonly interval: number
  /** The sweep that is in the place of passes; undefined where there is none. */
  readonly sweep: SweepStats | undefined
  /** Those that wait in the queue, and those of them that are told just now, and at most. */
  readonly queue: { readonly waiting: number; readonly active: number; readonly atOnce: number; readonly serversAtOnce: number }
  /** Resolves when it stands in a queue that outlives the process. `again` (default true): it is told with the others from then on, until a listing leaves it out. */
  provide(cids: readonly CID[], options?: { readonly again?: boolean }): Promise<void>
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
  /** Peers in both tables. */
  readonly size: number
  /**
   * Tells one server, over one stream, that this node provides many multihashes; itself, it keeps the records. Resolves once the server has read all.
   *
   * @throws E_STREAM, and what dialling throws
   */
  tell(peer: string, multihashes: readonly Uint8Array[], options?: RoutingOptions): Promise<void>
}

/** The tables, where the configuration has some. */
export interface Dhts {
  /** The tables that there are now; undefined where `Routing.Type` has none. */
  readonly current: Dht | undefined
  /** The same, where it is the one way by which this node tells what it has, so that who tells the DHT tells everybody. */
  readonly soleWay: Dht | undefined
}
export const Dhts: Token<Dhts> = token<Dhts>('dhts')
