import type { Batch, Key, Pair } from 'interface-datastore'
import { BaseDatastore } from '../../../core/datastore/index.ts'

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
