import { type Batch, Key, type Pair } from 'interface-datastore'
import { NotFoundError } from 'interface-store'
import { BaseDatastore } from '../../core/datastore/base.ts'

interface Options {
  signal?: AbortSignal
}

/** Keys and values in memory, for tests and nodes that keep nothing. */
export class MemoryDatastore extends BaseDatastore {
  readonly #values = new Map<string, Uint8Array>()

  async get(key: Key, options?: Options): Promise<Uint8Array> {
    options?.signal?.throwIfAborted()
    const value = this.#values.get(key.toString())
    if (value === undefined) throw new NotFoundError(`could not find ${key}`)
    return value
  }

  async has(key: Key, options?: Options): Promise<boolean> {
    options?.signal?.throwIfAborted()
    return this.#values.has(key.toString())
  }

  async put(key: Key, value: Uint8Array, options?: Options): Promise<Key> {
    options?.signal?.throwIfAborted()
    this.#values.set(key.toString(), new Uint8Array(value))
    return key
  }

  async delete(key: Key, options?: Options): Promise<void> {
    options?.signal?.throwIfAborted()
    this.#values.delete(key.toString())
  }

  batch(): Batch {
    const writes: Array<() => void> = []
    return {
      put: (key, value) => {
        writes.push(() => this.#values.set(key.toString(), new Uint8Array(value)))
      },
      delete: key => {
        writes.push(() => this.#values.delete(key.toString()))
      },
      commit: async options => {
        options?.signal?.throwIfAborted()
        for (const write of writes.splice(0)) write()
      }
    }
  }

  /** Memory outlives nothing. */
  async sync(): Promise<void> {}

  protected async *pairs(prefix?: string, options?: Options): AsyncGenerator<Pair> {
    for (const [name, value] of this.#snapshot(prefix)) {
      options?.signal?.throwIfAborted()
      yield { key: new Key(name, false), value }
    }
  }

  protected async *keys(prefix?: string, options?: Options): AsyncGenerator<Key> {
    for await (const { key } of this.pairs(prefix, options)) yield key
  }

  /** The pairs in the order of their keys, as of now: a range of the database in the other store is not disturbed either by what is written meanwhile. */
  #snapshot(prefix = ''): Array<[string, Uint8Array]> {
    return [...this.#values].filter(([name]) => name.startsWith(prefix)).sort(([a], [b]) => (a < b ? -1 : 1))
  }
}
