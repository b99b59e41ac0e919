import type { PeerData, PeerId } from '@libp2p/interface'
import type { KadDHTComponents, KadDHT as LibraryDht } from '@libp2p/kad-dht'
import type { Batch, Key, Pair } from 'interface-datastore'
import { BaseDatastore } from '../../../core/datastore/index.ts'

/** A peer in the library's table. */
interface Contact {
  readonly peerId: PeerId
  /** Its place: see `placeOf`. */
  readonly kadId: Uint8Array
  readonly lastPing: number
}

/** As much of the library as is used beyond its interface: whom it hears of, and its table. */
interface LibraryParts {
  readonly network: {
    addEventListener(type: 'peer', listener: (event: CustomEvent<{ id: PeerId; multiaddrs: readonly unknown[] }>) => void): void
  }
  readonly routingTable: {
    readonly size: number
    queueRoutingTableUpdate(peer: PeerId): void
    readonly kb: { toIterable(): Iterable<Contact>; remove(place: Uint8Array): Promise<void> }
    addEventListener(type: 'peer:add' | 'peer:remove', listener: (event: CustomEvent<PeerId>) => void): void
  }
}

export type KadDht = LibraryDht & LibraryParts & { start(): Promise<void>; stop(): Promise<void> }

/** A datastore that keeps nothing. */
export class NoDatastore extends BaseDatastore {
  async get(key: Key): Promise<Uint8Array> {
    throw Object.assign(new Error(`${key} is not kept`), { name: 'NotFoundError' })
  }

  async has(): Promise<boolean> {
    return false
  }

  async put(key: Key): Promise<Key> {
    return key
  }

  async delete(): Promise<void> {}

  batch(): Batch {
    return { put() {}, delete() {}, async commit() {} }
  }

  protected async *pairs(): AsyncGenerator<Pair> {}

  protected async *keys(): AsyncGenerator<Key> {}
}

export function withoutKeepAlive({ tags, ...about }: PeerData): PeerData {
  return { ...about, tags: Object.fromEntries(Object.entries(tags ?? {}).filter(([name]) => !name.startsWith('keep-alive'))) }
}

/** The components that the library takes; libp2p's own answers for a missing one by throwing. */
export function pick({
  peerId,
  privateKey,
  registrar,
  addressManager,
  peerStore,
  connectionManager,
  events,
  logger,
  ping,
  datastore
}: KadDHTComponents) {
  return { peerId, privateKey, registrar, addressManager, peerStore, connectionManager, events, logger, ping, datastore }
}

/** The object with some methods in the place of its own. */
export function overlaid<T extends object>(of: T, methods: object): T {
  return new Proxy(of, {
    get(target, name) {
      const replacement = Reflect.get(methods, name)
      if (replacement !== undefined) return replacement
      const value: unknown = Reflect.get(target, name, target)
      return typeof value === 'function' ? value.bind(target) : value
    }
  })
}
