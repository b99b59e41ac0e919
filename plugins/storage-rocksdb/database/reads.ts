import type { ReadBatch } from 'rocksdb'
import { bare } from '../blocks/values.ts'
import { Gate, LOOK_UPS_AT_ONCE } from '../gate.ts'
import type { Family } from './writes.ts'

interface Read {
  readonly key: Uint8Array
  resolve(value: Value | Promise<Value>): void
}

type Value = Uint8Array | undefined

/** The look-ups of one turn of the event loop, made as one: half of the time of a look-up goes into the call. */
export class Reads {
  readonly #batchOf: (family: Family, capacity: number) => ReadBatch
  readonly #again: (family: Family, key: Uint8Array, error: unknown) => Promise<Value>
  /** The reads that are asked for in this turn, by family. */
  readonly #reads = new Map<Family, Read[]>()
  readonly #lookUps = new Gate(LOOK_UPS_AT_ONCE)

  /** @param again - a look-up that failed once */
  constructor(
    batchOf: (family: Family, capacity: number) => ReadBatch,
    again: (family: Family, key: Uint8Array, error: unknown) => Promise<Value>
  ) {
    this.#batchOf = batchOf
    this.#again = again
  }

  get(family: Family, key: Uint8Array): Promise<Value> {
    return new Promise(resolve => {
      const reads = this.#reads.get(family)
      if (reads !== undefined) reads.push({ key, resolve })
      else {
        this.#reads.set(family, [{ key, resolve }])
        // What is asked for while it waits for its turn is read with it.
        queueMicrotask(() => this.#lookUps.run(() => this.#readAll(family)))
      }
    })
  }

  /** Values of several keys, looked up as one. */
  async getAll(family: Family, keys: readonly Uint8Array[]): Promise<readonly Value[]> {
    if (keys.length <= 1) return Promise.all(keys.map(key => this.get(family, key)))
    return this.#lookUps.run(() => this.#getAll(family, keys))
  }

  async #getAll(family: Family, keys: readonly Uint8Array[]): Promise<readonly Value[]> {
    const batch = this.#batchOf(family, keys.length)
    try {
      const found = Promise.all(keys.map(key => batch.get(key).then(barely, error => this.#again(family, key, error))))
      // Each read reports its own failure, and the batch that one of them failed.
      await Promise.allSettled([found, batch.flush()])
      return await found
    } finally {
      batch.destroy()
    }
  }

  async #readAll(family: Family): Promise<void> {
    const reads = this.#reads.get(family) ?? []
    this.#reads.delete(family)
    try {
      const batch = this.#batchOf(family, reads.length)
      for (const { key, resolve } of reads)
        batch.get(key).then(
          value => resolve(barely(value)),
          error => resolve(this.#again(family, key, error))
        )
      // Each read reports its own failure.
      await batch.flush().catch(() => {})
      batch.destroy()
    } catch (error) {
      for (const { resolve } of reads) resolve(Promise.reject(error))
    }
  }
}

export function barely(value: Buffer | null): Value {
  return value === null ? undefined : bare(value)
}
