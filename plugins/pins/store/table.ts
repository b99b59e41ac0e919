import type { Batch, Key } from 'interface-datastore'
import type { Datastore, PinMode } from '../../../core/index.ts'
import { Mirror } from './mirror.ts'
import { keyOf, PinRecord, prefixOf } from './record.ts'

/** Pins that are also kept in memory, at about 400 bytes each. */
const MIRRORED = 16_384

interface Change {
  readonly put?: readonly PinRecord[]
  readonly remove?: readonly PinRecord[]
  /** Other keys that go in the same batch. */
  readonly forget?: readonly Key[]
}

interface Options {
  signal?: AbortSignal
}

/** The pins of a repo, one key each: look-ups, listings in the order of the keys, atomic and durable changes. */
export class PinTable {
  readonly #datastore: Datastore
  readonly #most: number
  #mirror: Mirror | undefined

  constructor(datastore: Datastore, { mirrored = MIRRORED } = {}) {
    this.#datastore = datastore
    this.#most = mirrored
  }

  /** The pin where pins are in memory, without a promise, for hot paths; `'unknown'` where only {@link get} can tell. */
  known(mode: PinMode, id: string): PinRecord | undefined | 'unknown' {
    const mirror = this.#mirrored()
    return mirror.isWhole ? mirror.get(mode, id) : 'unknown'
  }

  async get(mode: PinMode, id: string): Promise<PinRecord | undefined> {
    const known = this.known(mode, id)
    if (known !== 'unknown') return known
    try {
      return PinRecord.fromValue(mode, id, await this.#datastore.get(keyOf(mode, id)))
    } catch (error) {
      if (error instanceof Error && error.name === 'NotFoundError') return undefined
      throw error
    }
  }

  /** The pins in the order of their keys; from memory without a generator in between, which would cost more than the pins. */
  list(mode: PinMode, { signal }: Options = {}): AsyncIterable<PinRecord> {
    const records = this.atHand(mode)
    return records === undefined ? this.#stored(mode, signal) : eachOf(records)
  }

  /** The pins of a mode as of now where all pins are in memory; else undefined. */
  atHand(mode: PinMode): readonly PinRecord[] | undefined {
    const mirror = this.#mirrored()
    return mirror.isWhole ? mirror.list(mode) : undefined
  }

  /** All or nothing; resolves when it survives power loss. Who adds a root has announced it to the write barrier. */
  async change({ put = [], remove = [], forget = [] }: Change): Promise<void> {
    const mirror = this.#mirrored()
    const batch: Batch = this.#datastore.batch()
    for (const record of remove) batch.delete(record.key)
    for (const record of put) batch.put(record.key, record.value)
    for (const key of forget) batch.delete(key)
    try {
      await batch.commit()
    } catch (error) {
      // Whether it was written is known to the database alone.
      mirror.giveUp()
      throw error
    }
    mirror.change(put, remove)
    await this.#datastore.sync?.()
  }

  /** Begins to fill it at its first use, which does not wait for that. */
  #mirrored(): Mirror {
    if (this.#mirror === undefined) {
      this.#mirror = new Mirror(this.#most)
      void this.#mirror.fill(this.#all())
    }
    return this.#mirror
  }

  async *#all(): AsyncGenerator<PinRecord> {
    yield* this.#stored('recursive')
    yield* this.#stored('direct')
  }

  async *#stored(mode: PinMode, signal?: AbortSignal): AsyncGenerator<PinRecord> {
    for await (const pair of this.#datastore.query({ prefix: prefixOf(mode) }, { signal })) yield PinRecord.fromPair(mode, pair)
  }
}

/** An array that can be iterated with `for await` and with `for`. */
export function eachOf<T>(items: readonly T[]): AsyncIterable<T> & Iterable<T> {
  return {
    [Symbol.iterator]: () => items[Symbol.iterator](),
    [Symbol.asyncIterator]() {
      const inner = items[Symbol.iterator]()
      return { next: () => Promise.resolve(inner.next()) }
    }
  }
}
