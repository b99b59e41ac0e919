import type { Batch, Datastore as InterfaceDatastore, Pair } from 'interface-datastore'
import { Key } from 'interface-datastore'
import { BaseDatastore } from '../../core/datastore/index.ts'
import type { Datastore } from '../../core/index.ts'

/** The keys below a prefix as a datastore of its own. */
export function prefixed(datastore: Datastore, prefix: Key): Datastore {
  const below = new Below(datastore, prefix)
  return datastore.sync === undefined ? below : Object.assign(below, { sync: () => datastore.sync!() })
}

class Below extends BaseDatastore {
  readonly #datastore: InterfaceDatastore
  readonly #prefix: string

  constructor(datastore: InterfaceDatastore, prefix: Key) {
    super()
    this.#datastore = datastore
    this.#prefix = prefix.toString()
  }

  async get(key: Key): Promise<Uint8Array> {
    return this.#datastore.get(this.#outer(key))
  }

  async has(key: Key): Promise<boolean> {
    return this.#datastore.has(this.#outer(key))
  }

  async put(key: Key, value: Uint8Array): Promise<Key> {
    await this.#datastore.put(this.#outer(key), value)
    return key
  }

  async delete(key: Key): Promise<void> {
    await this.#datastore.delete(this.#outer(key))
  }

  batch(): Batch {
    const batch = this.#datastore.batch()
    return {
      put: (key, value) => batch.put(this.#outer(key), value),
      delete: key => batch.delete(this.#outer(key)),
      commit: options => batch.commit(options)
    }
  }

  protected async *pairs(prefix?: string): AsyncGenerator<Pair> {
    for await (const { key, value } of this.#datastore.query({ prefix: this.#prefix + (prefix || '/') }))
      yield { key: this.#inner(key), value }
  }

  protected async *keys(prefix?: string): AsyncGenerator<Key> {
    for await (const key of this.#datastore.queryKeys({ prefix: this.#prefix + (prefix || '/') })) yield this.#inner(key)
  }

  #outer(key: Key): Key {
    return new Key(this.#prefix + key.toString())
  }

  #inner(key: Key): Key {
    return new Key(key.toString().slice(this.#prefix.length))
  }
}
