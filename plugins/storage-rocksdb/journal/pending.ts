import type { Range } from 'rocksdb'
import { copied, nameOf } from '../blocks/values.ts'
import { type Family, families, type KeyValue, type Write } from '../database/writes.ts'
import { type Encoded, memoryOf } from './record.ts'

interface Held {
  readonly write: Write
  /** The number of the batch that it was written with. */
  readonly number: number
}

/** The batches that are in the journal and not in RocksDB so far, in their order, and what their keys say. */
export class Pending {
  readonly #batches: Encoded[] = []
  readonly #keys = Object.fromEntries(families.map(family => [family, new Map<string, Held>()])) as Readonly<
    Record<Family, Map<string, Held>>
  >
  #bytes = 0

  /** Bytes of memory that they take, about. */
  get bytes(): number {
    return this.#bytes
  }

  get isEmpty(): boolean {
    return this.#batches.length === 0
  }

  add(batch: Encoded): void {
    this.#batches.push(batch)
    this.#bytes += memoryOf(batch.writes)
    for (const write of batch.writes) this.#keys[write.family].set(nameOf(write.key), { write, number: batch.number })
  }

  /** Forgets all of them. */
  clear(): void {
    this.done(this.#batches.length)
  }

  /** The oldest, one or more, up to so many bytes. */
  first(bytes: number): readonly Encoded[] {
    let size = 0
    const end = this.#batches.findIndex((batch, i) => {
      size += batch.bytes.byteLength
      return i > 0 && size > bytes
    })
    return this.#batches.slice(0, end < 0 ? undefined : end)
  }

  /** Forgets the first `count`. */
  done(count: number): void {
    for (const { writes, number } of this.#batches.splice(0, count)) {
      this.#bytes -= memoryOf(writes)
      for (const { family, key } of writes) {
        const name = nameOf(key)
        // One that was written once more since stays.
        if (this.#keys[family].get(name)?.number === number) this.#keys[family].delete(name)
      }
    }
  }

  /** The last write of a key; undefined where RocksDB knows best. */
  get(family: Family, key: Uint8Array): Write | undefined {
    const held = this.#keys[family]
    return held.size === 0 ? undefined : held.get(nameOf(key))?.write
  }

  /** The last write of each key of a range, in the order of the keys. */
  within(family: Family, range: Range): Write[] {
    const all = [...this.#keys[family].values()].map(({ write }) => write)
    return all.filter(({ key }) => isWithin(key, range)).sort((one, other) => Buffer.compare(one.key, other.key))
  }
}

function isWithin(key: Uint8Array, { gt, gte, lt, lte }: Range): boolean {
  const isBehind = (gt === undefined || Buffer.compare(key, gt) > 0) && (gte === undefined || Buffer.compare(key, gte) >= 0)
  return isBehind && (lt === undefined || Buffer.compare(key, lt) < 0) && (lte === undefined || Buffer.compare(key, lte) <= 0)
}

/** The entries of a family and what is written over them, both in the order of their keys. */
export async function* merged(entries: AsyncIterable<KeyValue>, writes: readonly Write[]): AsyncGenerator<KeyValue> {
  let next = 0
  const written = function* (until?: Uint8Array): Generator<KeyValue> {
    for (; next < writes.length; next++) {
      const { key, value } = writes[next]!
      if (until !== undefined && Buffer.compare(key, until) >= 0) return
      if (value !== undefined) yield { key: copied(key), value: copied(value) }
    }
  }
  for await (const entry of entries) {
    yield* written(entry.key)
    const same = writes[next]
    if (same === undefined || Buffer.compare(same.key, entry.key) !== 0) yield entry
    else {
      next++
      if (same.value !== undefined) yield { key: entry.key, value: copied(same.value) }
    }
  }
  yield* written()
}
