/** Stores that fail on demand, wrapped around real ones through the contract, as a third party's plugin would be. */

import type { InputPair } from 'interface-blockstore'
import type { Batch, Key, KeyQuery, Pair, Query } from 'interface-datastore'
import type { CID } from 'multiformats/cid'
import { FastBlockstore } from '../../../core/blocks/blockstore.ts'
import { Blockstore, type BlockTotals, Datastore, type Plugin, plugin, ready, type StoredBlock } from '../../../core/index.ts'
import { Armed } from './armed.ts'

/**
 * `before`: the write is not done; `after`: it is, and fails all the same; `broken`: from that one on none is done.
 * `short` and `damaged` are about reads: the end of a block is missing, or a byte of it is another.
 */
export type Mode = 'before' | 'after' | 'broken' | 'short' | 'damaged'

interface Options {
  signal?: AbortSignal
}

/** Which write, or read, of all that come fails, and what became of those before. */
export class Faults extends Armed<Mode> {
  /** Stores that were written to since they were last synced. */
  readonly unsynced = new Set<'blocks' | 'keys'>()

  constructor() {
    super('before', 'broken')
  }

  async write<T>(what: string, store: 'blocks' | 'keys', write: () => Promise<T>): Promise<T> {
    const fails = this.#isWrite && this.isNext()
    if (fails && this.mode !== 'after') throw this.#failure(what)
    const result = await write()
    if (fails) throw this.#failure(what)
    if (what.endsWith('sync')) this.unsynced.delete(store)
    else this.unsynced.add(store)
    return result
  }

  read(what: string, bytes: Uint8Array | undefined): Uint8Array | undefined {
    if (bytes === undefined || this.#isWrite || bytes.length === 0 || !this.isNext()) return bytes
    this.fired = what
    if (this.mode === 'short') return bytes.slice(0, Math.floor(bytes.length / 2))
    const damaged = bytes.slice()
    damaged[Math.floor(bytes.length / 2)]! ^= 0x40
    return damaged
  }

  get #isWrite(): boolean {
    return this.mode !== 'short' && this.mode !== 'damaged'
  }

  #failure(what: string): Error {
    this.fired ??= what
    return new Error(`the disk under ${what} failed`)
  }
}

/** Over the interface of the ecosystem alone. */
export class PlainBlockstore implements Blockstore {
  readonly #inner: FastBlockstore
  readonly #faults: Faults

  constructor(inner: FastBlockstore, faults: Faults) {
    this.#inner = inner
    this.#faults = faults
  }

  async put(cid: CID, bytes: Parameters<FastBlockstore['put']>[1], options?: Options): Promise<CID> {
    return this.#faults.write('blockstore.put', 'blocks', () => this.#inner.put(cid, bytes, options))
  }

  async *putMany(source: Iterable<InputPair> | AsyncIterable<InputPair>, options?: Options): AsyncGenerator<CID> {
    for await (const { cid, bytes } of source) yield this.put(cid, bytes, options)
  }

  async *get(cid: CID, options?: Options): AsyncGenerator<Uint8Array> {
    for await (const bytes of this.#inner.get(cid, options)) yield this.#faults.read('blockstore.get', bytes)!
  }

  async *getMany(source: Iterable<CID> | AsyncIterable<CID>, options?: Options): ReturnType<FastBlockstore['getMany']> {
    for await (const cid of source) yield { cid, bytes: this.get(cid, options) }
  }

  async *getAll(options?: Options): ReturnType<FastBlockstore['getAll']> {
    for await (const { cid } of this.#inner.getAll(options)) yield { cid, bytes: this.get(cid, options) }
  }

  has(cid: CID, options?: Options): Promise<boolean> {
    return this.#inner.has(cid, options)
  }

  delete(cid: CID, options?: Options): Promise<void> {
    return this.#faults.write('blockstore.delete', 'blocks', () => this.#inner.delete(cid, options))
  }

  async *deleteMany(source: Iterable<CID> | AsyncIterable<CID>, options?: Options): AsyncGenerator<CID> {
    for await (const cid of source) {
      await this.delete(cid, options)
      yield cid
    }
  }

  sync(): Promise<void> {
    return this.#faults.write('blockstore.sync', 'blocks', () => this.#inner.sync())
  }
}

/** Over whole blocks by multihash, as a store does that wants to be quick. */
export class QuickBlockstore extends FastBlockstore {
  readonly #inner: FastBlockstore
  readonly #faults: Faults

  constructor(inner: FastBlockstore, faults: Faults) {
    super()
    this.#inner = inner
    this.#faults = faults
  }

  async getBytes(multihash: Uint8Array, options?: Options): Promise<Uint8Array | undefined> {
    return this.#faults.read('blockstore.getBytes', await this.#inner.getBytes(multihash, options))
  }

  putBytes(multihash: Uint8Array, bytes: Uint8Array, options?: Options): Promise<void> {
    return this.#faults.write('blockstore.putBytes', 'blocks', () => this.#inner.putBytes(multihash, bytes, options))
  }

  putAll(blocks: readonly StoredBlock[], options?: Options): Promise<void> {
    return this.#faults.write('blockstore.putAll', 'blocks', () => this.#inner.putAll(blocks, options))
  }

  hasMultihash(multihash: Uint8Array, options?: Options): Promise<boolean> {
    return this.#inner.hasMultihash(multihash, options)
  }

  sizeOf(multihash: Uint8Array, options?: Options): Promise<number | undefined> {
    return this.#inner.sizeOf(multihash, options)
  }

  deleteMultihash(multihash: Uint8Array, options?: Options): Promise<boolean> {
    return this.#faults.write('blockstore.deleteMultihash', 'blocks', () => this.#inner.deleteMultihash(multihash, options))
  }

  deleteAll(multihashes: readonly Uint8Array[], options?: Options): ReturnType<FastBlockstore['deleteAll']> {
    return this.#faults.write('blockstore.deleteAll', 'blocks', () => this.#inner.deleteAll(multihashes, options))
  }

  listMultihashes(options?: Options): AsyncIterable<Uint8Array> {
    return this.#inner.listMultihashes(options)
  }

  totals(options?: Options): Promise<BlockTotals> {
    return this.#inner.totals(options)
  }

  sync(): Promise<void> {
    return this.#faults.write('blockstore.sync', 'blocks', () => this.#inner.sync())
  }

  tidy(options?: Options): Promise<void> {
    return this.#inner.tidy(options)
  }
}

class FaultyDatastore implements Datastore {
  readonly #inner: Datastore
  readonly #faults: Faults

  constructor(inner: Datastore, faults: Faults) {
    this.#inner = inner
    this.#faults = faults
  }

  async put(key: Key, value: Uint8Array, options?: Options): Promise<Key> {
    return this.#faults.write('datastore.put', 'keys', async () => this.#inner.put(key, value, options))
  }

  async *putMany(source: Iterable<Pair> | AsyncIterable<Pair>, options?: Options): AsyncGenerator<Key> {
    for await (const { key, value } of source) yield this.put(key, value, options)
  }

  get(key: Key, options?: Options) {
    return this.#inner.get(key, options)
  }

  getMany(source: Iterable<Key> | AsyncIterable<Key>, options?: Options) {
    return this.#inner.getMany(source, options)
  }

  has(key: Key, options?: Options) {
    return this.#inner.has(key, options)
  }

  async delete(key: Key, options?: Options): Promise<void> {
    await this.#faults.write('datastore.delete', 'keys', async () => this.#inner.delete(key, options))
  }

  async *deleteMany(source: Iterable<Key> | AsyncIterable<Key>, options?: Options): AsyncGenerator<Key> {
    for await (const key of source) {
      await this.delete(key, options)
      yield key
    }
  }

  batch(): Batch {
    const batch = this.#inner.batch()
    return {
      put: (key, value) => batch.put(key, value),
      delete: key => batch.delete(key),
      commit: options => this.#faults.write('datastore.commit', 'keys', async () => batch.commit(options))
    }
  }

  query(query: Query, options?: Options) {
    return this.#inner.query(query, options)
  }

  queryKeys(query: KeyQuery, options?: Options) {
    return this.#inner.queryKeys(query, options)
  }

  sync(): Promise<void> {
    return this.#faults.write('datastore.sync', 'keys', async () => this.#inner.sync?.())
  }
}

export interface InnerStores {
  readonly blocks: FastBlockstore
  readonly data: Datastore
}

/** A plugin whose stores keep what they are given in these, and fail as `faults` says. */
export function faultyStorage({ blocks, data }: InnerStores, faults: Faults, kind: 'plain' | 'quick'): Plugin {
  return plugin({
    name: 'faulty-storage',
    api: '^1',
    about: 'Stores that fail on demand.',
    provides: [
      ready(Blockstore, kind === 'plain' ? new PlainBlockstore(blocks, faults) : new QuickBlockstore(blocks, faults)),
      ready(Datastore, new FaultyDatastore(data, faults))
    ]
  })
}
