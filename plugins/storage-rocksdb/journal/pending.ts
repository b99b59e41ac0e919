import type { Range } from 'rocksdb'
import { copied, nameOf } from '../blocks/values.ts'
import type { Family, KeyValue, Write } from '../database/writes.ts'
import type { JournalRecord } from './record.ts'
import { Slab } from './slab.ts'

/** The batches that are in the journal and not in RocksDB so far, in their order, and what their keys say. */
export class Pending {
  readonly #atOnce: number
  readonly #largest: number
  /** The oldest first; all that are full, or that RocksDB was given, are closed. None is empty. */
  readonly #slabs: Slab[] = []
  /** The slab that takes what comes, where it is not full: the last one, or one that has nothing so far. */
  #open: Slab | undefined
  #spare: Slab | undefined
  #weight = 0

  /**
   * @param atOnce - bytes of memory of batches, about, that RocksDB is given together
   * @param largest - bytes of the largest record
   */
  constructor(atOnce: number, largest: number) {
    this.#atOnce = atOnce
    this.#largest = largest
  }

  /** Bytes of memory that they take, about, were RocksDB given all of them. */
  get bytes(): number {
    return this.#weight
  }

  get isEmpty(): boolean {
    return this.#slabs.length === 0
  }

  /** The bytes of a record, which are lost with the next one unless they are kept. @param size - of the record */
  encode(record: JournalRecord, size: number): Buffer {
    this.#open ??= this.#takeSpare() ?? new Slab(this.#atOnce, this.#largest)
    return this.#open.encode(record, size)
  }

  /** Keeps the record that was encoded last. */
  keep(record: JournalRecord): void {
    const slab = this.#open!
    const before = slab.weight
    slab.keep(record)
    if (before === 0) this.#slabs.push(slab)
    this.#weight += slab.weight - before
    if (slab.weight >= this.#atOnce) this.#open = undefined
  }

  /** Forgets all of them. RocksDB may still look at the memory of the first. */
  clear(): void {
    this.#slabs.length = 0
    this.#open = undefined
    this.#weight = 0
  }

  /** Gives back memory that nothing is in. */
  releaseMemory(): void {
    this.#spare = undefined
  }

  /** The oldest ones, which do not change until they are {@link done}. */
  first(): Slab {
    const [slab] = this.#slabs
    if (slab === this.#open) this.#open = undefined
    return slab!
  }

  /** Forgets the first ones, and uses their memory again. */
  done(slab: Slab): void {
    // unless all were forgotten meanwhile
    if (slab !== this.#slabs[0]) return
    this.#slabs.shift()
    this.#weight -= slab.weight
    slab.clear()
    this.#spare = slab
  }

  /** The value of the last write of a key, of its own, if it has any; undefined where RocksDB knows best. */
  get(family: Family, key: Uint8Array): { readonly value: Uint8Array | undefined } | undefined {
    for (let i = this.#slabs.length - 1; i >= 0; i--) {
      const write = this.#slabs[i]!.get(family, key)
      if (write !== undefined) return { value: write.value && copied(write.value) }
    }
    return undefined
  }

  /** The last write of each key of a range, of its own, in the order of the keys. */
  within(family: Family, range: Range): Write[] {
    const last = new Map<string, Write>()
    for (const slab of this.#slabs) {
      for (const write of slab.writes()) if (write.family === family && isWithin(write.key, range)) last.set(nameOf(write.key), write)
    }
    const all = Array.from(last.values(), ({ key, value }) => ({ family, key: copied(key), value: value && copied(value) }))
    return all.sort((one, other) => Buffer.compare(one.key, other.key))
  }

  #takeSpare(): Slab | undefined {
    const slab = this.#spare
    this.#spare = undefined
    return slab
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
      if (value !== undefined) yield { key, value }
    }
  }
  for await (const entry of entries) {
    yield* written(entry.key)
    const same = writes[next]
    if (same === undefined || Buffer.compare(same.key, entry.key) !== 0) yield entry
    else {
      next++
      if (same.value !== undefined) yield { key: entry.key, value: same.value }
    }
  }
  yield* written()
}
