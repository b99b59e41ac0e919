import type { PeerId } from '@libp2p/interface'
import { type Batch, Key, type Pair } from 'interface-datastore'
import { NotFoundError } from 'interface-store'
import { BaseDatastore } from '../../../core/datastore/index.ts'

/** Bytes that a record takes besides its value. */
const OVERHEAD = 256

/** The largest record of one peer, in bytes: what a peer says of itself, and addresses that others tell of it, which nobody else bounds. */
const LARGEST = 128 * 1024

/** The part of the bound down to which records go at once. */
const ROOM = 7 / 8

/** The key of a peer's record, as libp2p chooses it (@libp2p/peer-store). */
export const recordOf = (peer: PeerId) => `/peers/${peer.toCID()}`

export interface PeerRecordsParts {
  /** The most bytes of all records. */
  readonly most: number
  /** The keys of records that stay. */
  kept(): ReadonlySet<string>
}

/**
 * Records of peers, in memory, for libp2p, which forgets none by itself: beyond the bound those go that were used least recently. A record that
 * grows too large begins anew.
 */
export class PeerRecords extends BaseDatastore {
  readonly #parts: PeerRecordsParts
  /** The one that was used last is the last. */
  readonly #records = new Map<string, Uint8Array>()
  #bytes = 0

  constructor(parts: PeerRecordsParts) {
    super()
    this.#parts = parts
  }

  /** Bytes that the records take. */
  get bytes(): number {
    return this.#bytes
  }

  async get(key: Key): Promise<Uint8Array> {
    const name = key.toString()
    const value = this.#records.get(name)
    if (value === undefined) throw new NotFoundError(`could not find ${key}`)
    this.#records.delete(name)
    this.#records.set(name, value)
    return value
  }

  async has(key: Key): Promise<boolean> {
    return this.#records.has(key.toString())
  }

  async put(key: Key, value: Uint8Array): Promise<Key> {
    const name = key.toString()
    this.#remove(name)
    if (value.length > LARGEST) return key
    this.#records.set(name, value)
    this.#bytes += value.length + OVERHEAD
    if (this.#bytes > this.#parts.most) this.#forget(name)
    return key
  }

  async delete(key: Key): Promise<void> {
    this.#remove(key.toString())
  }

  batch(): Batch {
    const writes: Array<() => Promise<unknown>> = []
    return {
      put: (key, value) => void writes.push(() => this.put(key, value)),
      delete: key => void writes.push(() => this.delete(key)),
      commit: async () => {
        for (const write of writes.splice(0)) await write()
      }
    }
  }

  protected async *pairs(prefix = ''): AsyncGenerator<Pair> {
    for (const [name, value] of [...this.#records]) if (name.startsWith(prefix)) yield { key: new Key(name, false), value }
  }

  protected async *keys(prefix?: string): AsyncGenerator<Key> {
    for await (const { key } of this.pairs(prefix)) yield key
  }

  #remove(name: string): void {
    const value = this.#records.get(name)
    if (value === undefined) return
    this.#records.delete(name)
    this.#bytes -= value.length + OVERHEAD
  }

  #forget(newest: string): void {
    const kept = this.#parts.kept()
    for (const name of this.#records.keys()) {
      if (this.#bytes <= this.#parts.most * ROOM) return
      if (name !== newest && !kept.has(name)) this.#remove(name)
    }
  }
}
