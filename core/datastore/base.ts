import type { Batch, Datastore as InterfaceDatastore, Key, KeyQuery, Pair, Query } from 'interface-datastore'
import { select } from './query.ts'

interface Options {
  signal?: AbortSignal
}

/** The parts of the ecosystem's interface that follow from the others. A store that extends this says how it reads, writes and ranges. */
export abstract class BaseDatastore implements InterfaceDatastore {
  abstract get(key: Key, options?: Options): Promise<Uint8Array>
  abstract has(key: Key, options?: Options): Promise<boolean>
  abstract put(key: Key, value: Uint8Array, options?: Options): Promise<Key>
  abstract delete(key: Key, options?: Options): Promise<void>
  abstract batch(): Batch
  /** All pairs whose key's text starts with `prefix`. */
  protected abstract pairs(prefix: string | undefined, options?: Options): AsyncIterable<Pair>
  /** Their keys alone. */
  protected abstract keys(prefix: string | undefined, options?: Options): AsyncIterable<Key>

  async *getMany(source: Iterable<Key> | AsyncIterable<Key>, options?: Options): AsyncGenerator<Pair> {
    for await (const key of source) yield { key, value: await this.get(key, options) }
  }

  async *putMany(source: Iterable<Pair> | AsyncIterable<Pair>, options?: Options): AsyncGenerator<Key> {
    for await (const { key, value } of source) yield this.put(key, value, options)
  }

  async *deleteMany(source: Iterable<Key> | AsyncIterable<Key>, options?: Options): AsyncGenerator<Key> {
    for await (const key of source) {
      await this.delete(key, options)
      yield key
    }
  }

  query(query: Query, options?: Options): AsyncGenerator<Pair> {
    return select(this.pairs(query.prefix, options), query)
  }

  queryKeys(query: KeyQuery, options?: Options): AsyncGenerator<Key> {
    return select(this.keys(query.prefix, options), query)
  }
}
