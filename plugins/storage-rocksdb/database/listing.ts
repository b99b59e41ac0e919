import type { Range } from 'rocksdb'
import { within } from '../../../core/timing.ts'
import { merged, type Pending } from '../journal/pending.ts'
import type { EntryOptions } from './damage.ts'
import type { Engine } from './engine.ts'
import type { Family, KeyValue } from './writes.ts'

/** Milliseconds for which a list waits for RocksDB to have what is pending. */
const LISTS_WAIT = 100
const NOTHING = new Uint8Array()

/** RocksDB, and what is on its way to it. */
export interface Behind {
  readonly engine: Pick<Engine, 'entries' | 'getAll'>
  readonly pending: Pending
  /** Resolves when RocksDB has all that is pending now. */
  drain(): Promise<void>
  /** Those of the last batch that was written, and of the last that RocksDB was given. */
  numbers(): { readonly last: number; readonly given: number }
}

/** Values of several keys, looked up as one. */
export async function valuesBehind(
  { engine, pending }: Behind,
  family: Family,
  keys: readonly Uint8Array[]
): Promise<ReadonlyArray<Uint8Array | undefined>> {
  const written = keys.map(key => pending.get(family, key))
  const asked = keys.filter((_, i) => written[i] === undefined)
  if (asked.length === keys.length) return engine.getAll(family, keys)
  const left = (await engine.getAll(family, asked)).values()
  return written.map(write => (write === undefined ? left.next().value : write.value))
}

/**
 * Entries of a range once RocksDB has what is pending; where it does not take it in time, with that written over what it has. Nothing that was
 * read ahead goes to one who has left.
 */
export async function* entriesBehind(
  { engine, pending, drain, numbers }: Behind,
  family: Family,
  range: Range,
  options: EntryOptions
): AsyncGenerator<KeyValue> {
  const { limit = Number.POSITIVE_INFINITY, ...all } = options
  while (!(await within(LISTS_WAIT, drain()).catch(() => false))) {
    const { last } = numbers()
    const entries = merged(engine.entries(family, range, all), pending.within(family, range))
    // With the first one, the moment of RocksDB's entries is settled: they may have of what is pending, but must not have what came later.
    let next = await entries.next()
    try {
      if (numbers().given > last) continue
      for (let left = limit; left > 0 && next.done !== true; left--, next = await entries.next()) {
        yield options.values === false ? { key: next.value.key, value: NOTHING } : next.value
        options.signal?.throwIfAborted()
      }
      return
    } finally {
      await entries.return(undefined)
    }
  }
  yield* engine.entries(family, range, options)
}
