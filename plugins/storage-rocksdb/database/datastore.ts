import { type Batch, Key, type Pair } from 'interface-datastore'
import { NotFoundError } from 'interface-store'
import { BaseDatastore } from '../../../core/datastore/base.ts'
import type { Startable } from '../../../core/index.ts'
import { type Storage } from '../storage.ts'
import { type Family, familyOf as familyOfBytes, SPECIAL, type Write } from './writes.ts'

interface Options {
  signal?: AbortSignal
}

/** Keys and small values in RocksDB. */
export class RocksDatastore extends BaseDatastore implements Startable {
  readonly #storage: Storage

  constructor(storage: Storage) {
    super()
    this.#storage = storage
  }

  /** Whether its keys lie in this storage. */
  isOf(storage: Storage): boolean {
    return this.#storage === storage
  }

  start(signal?: AbortSignal, progress?: () => void): Promise<void> {
    return this.#storage.open({ signal, progress })
  }

  stop(_?: AbortSignal, progress?: () => void): Promise<void> {
    return this.#storage.close(progress)
  }

  async get(key: Key, options?: Options): Promise<Uint8Array> {
    options?.signal?.throwIfAborted()
    const value = await this.#storage.database.get(familyOf(key), key.uint8Array())
    if (value === undefined) throw new NotFoundError(`could not find ${key}`)
    return value
  }

  async has(key: Key, options?: Options): Promise<boolean> {
    options?.signal?.throwIfAborted()
    return (await this.#storage.database.get(familyOf(key), key.uint8Array())) !== undefined
  }

  async put(key: Key, value: Uint8Array, options?: Options): Promise<Key> {
    options?.signal?.throwIfAborted()
    this.#storage.room.takeSmall(value.byteLength)
    await this.#storage.database.write([putting(key, value)])
    return key
  }

  async delete(key: Key, options?: Options): Promise<void> {
    options?.signal?.throwIfAborted()
    await this.#storage.database.write([deleting(key)])
  }

  /** A batch, which is atomic, whatever keys it touches. */
  batch(): Batch {
    const writes: Write[] = []
    return {
      put: (key, value) => {
        writes.push(putting(key, value))
      },
      delete: key => {
        writes.push(deleting(key))
      },
      commit: async options => {
        options?.signal?.throwIfAborted()
        // What takes something away goes through on a full disk too.
        if (writes.every(({ value }) => value !== undefined)) this.#storage.room.takeSmall(sizeOf(writes))
        await this.#storage.database.write(writes.splice(0))
      }
    }
  }

  /** What is kept here says nothing of blocks: whoever keeps something because of them syncs them first. */
  sync(): Promise<void> {
    return this.#storage.sync({ looksAtLost: true })
  }

  protected async *pairs(prefix: string | undefined, options?: Options): AsyncGenerator<Pair> {
    for (const family of familiesOf(prefix))
      for await (const { key, value } of this.#storage.database.entries(family, rangeOf(prefix), options))
        yield { key: new Key(key, false), value: value }
  }

  protected async *keys(prefix: string | undefined, options?: Options): AsyncGenerator<Key> {
    for (const family of familiesOf(prefix))
      for await (const { key } of this.#storage.database.entries(family, rangeOf(prefix), { ...options, values: false }))
        yield new Key(key, false)
  }
}

function putting(key: Key, value: Uint8Array): Write {
  return { family: familyOf(key), key: key.uint8Array(), value }
}

function deleting(key: Key): Write {
  return { family: familyOf(key), key: key.uint8Array(), value: undefined }
}

function sizeOf(writes: readonly Write[]): number {
  return writes.reduce((sum, { value }) => sum + (value?.byteLength ?? 0), 0)
}

function familyOf(key: Key): Family {
  return familyOfBytes(key.uint8Array())
}

/** The families in which keys with this prefix can lie. */
function familiesOf(prefix = ''): Family[] {
  const special = SPECIAL.filter(([start]) => start.startsWith(prefix) || prefix.startsWith(start))
  const within = special.some(([start]) => prefix.startsWith(start))
  return [...(within ? [] : (['data'] as const)), ...special.map(([, family]) => family)]
}

/** All keys that start with the prefix: up to the next one of its length, or without an end where there is none. */
function rangeOf(prefix = ''): { gte?: Uint8Array; lt?: Uint8Array } {
  if (prefix === '') return {}
  const gte = new TextEncoder().encode(prefix)
  const lt = gte.slice()
  // UTF-8 has no byte 0xff, so the last one can always be raised.
  lt[lt.length - 1] = (lt[lt.length - 1] as number) + 1
  return { gte, lt }
}
