import { type Token, token } from '../../token.ts'
import type { NameOptions } from '../content/paths.ts'
import type { Lease } from '../storage/blocks.ts'

/** How a record is made and put. */
export interface PublishOptions {
  /** Name of a key, or its ID in any form; default the node's own. */
  key?: string
  /** How long it is good, in nanoseconds; default 48 hours. */
  lifetime?: bigint
  /** How long readers may take it for the newest, in nanoseconds; default one hour. */
  ttl?: bigint
  /** Readers of the older form can check it too. Default true. */
  v1Compatible?: boolean
  /** Publish also where no route leads to other nodes. */
  allowOffline?: boolean
  /** Only the publishers over HTTP (`Ipns.DelegatedPublishers`) get it, and one of them has to take it. */
  allowDelegated?: boolean
  /** The number that says which record counts. Default: that of the record before, one more where it leads elsewhere. */
  sequence?: bigint
  signal?: AbortSignal
}

/** A record that was made. */
export interface PublishedName {
  /** `k51…` */
  readonly name: string
  /** The path it leads to. */
  readonly path: string
  readonly sequence: bigint
}

/** Where a name leads. */
export interface NameResolution {
  /** A content path, e.g. `/ipfs/Qm…/a`. */
  readonly path: string
  /** How long it may be taken for the newest, in nanoseconds: 0 where nobody says. */
  readonly ttl: bigint
}

/** Options of a {@link NameRoute}. */
export interface RouteOptions {
  readonly signal: AbortSignal
  /** Records that are enough; 0 for all there are. */
  readonly count: number
}

/** A way to put records where other nodes find them and to find theirs, such as a DHT. Records are checked by who asks for them. */
export interface NameRoute {
  /** The name in messages, e.g. `dht`. */
  readonly name: string
  /** Resolves when others can find it. Left out: the route has records to find, and takes none. @param multihash - of the name */
  publish?(multihash: Uint8Array, record: Uint8Array, options: { readonly signal: AbortSignal }): Promise<void>
  /** Records of a name as they are found, good or not. Ends by itself when `signal` fires. */
  find(multihash: Uint8Array, options: RouteOptions): AsyncIterable<Uint8Array>
}

/**
 * Names of the node's keys and of others: what they lead to. A record that was published survives power loss, and no later one has a lower
 * sequence number.
 */
export interface Names {
  /** Ways to other nodes. Without any, names are published and resolved on this node alone. */
  readonly routes: readonly NameRoute[]
  /** Whether there are publishers over HTTP (`Ipns.DelegatedPublishers`), which take records also of a node without routes. */
  readonly hasPublishers: boolean
  /**
   * Makes a name lead to a content path, as it is written.
   *
   * @throws E_PUBLISH_OFFLINE, E_NAME_KEY, E_NAME_KEY_ID, E_NAME_KEY_EMPTY, E_RECORD_SIZE, E_PUBLISH_SEQUENCE, E_PUBLISH_SEQUENCE_LAST;
   * E_PUBLISH_ROUTES where no route took it
   */
  publish(path: string, options?: PublishOptions): Promise<PublishedName>
  /**
   * Where a path that starts at a name leads (`/ipns/NAME/a`): to a path of another namespace, or with `recursive: false` one step on.
   *
   * @throws E_NAME_UNRESOLVED, E_NAME_DEPTH, E_NAME_NEITHER, E_NAME_CODEC, E_DNSLINK_…
   */
  resolve(path: string, options?: NameOptions): Promise<NameResolution>
  /** The same as it is found out: each answer is a better one than that before. None at all where nothing is found. */
  resolutions(path: string, options?: NameOptions): AsyncIterable<NameResolution>
  /** The best record of a name that is known here, else of those that the routes find. @param name - `k51…` in any form */
  record(name: string, options?: NameOptions): Promise<Uint8Array | undefined>
  /**
   * Keeps a record that somebody else made, where it is better than the one that is known.
   *
   * @throws E_RECORD_… for one that is not good, E_RECORD_OLDER
   */
  put(name: string, record: Uint8Array, options?: { readonly signal?: AbortSignal }): Promise<void>
  /**
   * Hands a record that somebody else made to the routes as it is, whether it is good or not; with `delegated` to the publishers over HTTP alone.
   *
   * @throws E_PUBLISH_ROUTES where there are some and none took it
   */
  spread(name: string, record: Uint8Array, options?: { readonly signal?: AbortSignal; readonly delegated?: boolean }): Promise<void>
  /**
   * Remembers a record that a way to other nodes has heard of without being asked, as if it had been found just now. One that is no better than what
   * is remembered changes nothing.
   *
   * @throws E_RECORD_… for one that is not good
   */
  heard(name: string, record: Uint8Array): Promise<void>
  /** The record that this node published last under a name of one of its keys, ended or not; undefined where it has published none. */
  published(name: string): Promise<Uint8Array | undefined>
  /**
   * Takes over what another program published last under a name of one of this node's keys: the next record counts on from it. It leads where it
   * led; one that has ended is made anew. The empty folder, which the name of a new node stands for, gives way to it.
   *
   * @throws E_NAME_KEY_ID where the key is not here, E_RECORD_… for what is no record of it, E_RECORD_OLDER
   */
  takeOver(name: string, record: Uint8Array): Promise<void>
  /**
   * Reserves the names of this node's keys for who asks, until it is released: the command `name/publish` is refused meanwhile.
   *
   * @param why - what its callers are told
   */
  reserve(why: string): Lease
  /** The text that callers of `name/publish` are told where the names are reserved. */
  readonly reserved: string | undefined
  /** Adds a way to other nodes, until it is released. */
  addRoute(route: NameRoute): Lease
}
export const Names: Token<Names> = token<Names>('names')

/** TXT records of the domain name system. */
export interface TxtResolver {
  /**
   * The texts of a domain, each joined of its parts; none where there is no such domain.
   *
   * @param domain - with a dot at its end
   */
  texts(domain: string, options: { readonly signal: AbortSignal }): Promise<readonly string[]>
}
export const TxtResolver: Token<TxtResolver> = token<TxtResolver>('txt-resolver')

/** Subscriptions to names, of a node that learns of records as they are published. Absent on a node that runs offline. */
export interface NameSubscriptions {
  /** Whether the configuration or a flag switched it on. */
  readonly enabled: boolean
  /** Multihashes of the names. */
  list(): readonly Uint8Array[]
  /** @returns whether there was one */
  cancel(multihash: Uint8Array): Promise<boolean>
}
export const NameSubscriptions: Token<NameSubscriptions> = token<NameSubscriptions>('name-subscriptions')
