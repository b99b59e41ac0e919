import { readdir } from 'node:fs/promises'
import { dirname } from 'node:path'
import type { IteratorOptions, Range } from 'rocksdb'
import { messageOf } from '../../../core/index.ts'
import { storageErrors } from '../errors.ts'
import { isMissing } from '../files.ts'
import { Gate } from '../gate.ts'
import type { Entry, Piece } from '../tables/block.ts'
import { isDamage, type Mended, mendAfter, mendLogs, tableOf } from '../tables/mend.ts'
import { Table } from '../tables/table.ts'
import type { Family, KeyValue } from './writes.ts'

export interface DamageOptions {
  /** Whether a value that was found in a damaged piece of a table can only be what was written under its key. Default: of none. */
  believes?(family: Family, key: Uint8Array, value: Uint8Array | undefined): Promise<boolean>
  /** Told of each bit that was turned back. */
  onMended?(mended: Mended): void
}

/** The mending of a piece; `mending` stays where it cannot be. */
interface Attempt {
  times: number
  mending: Promise<boolean> | undefined
}

/** `damaged`: entries that cannot be read are given as well, with what is wrong; without a key where not even that can be read. Default: the list ends there. */
export type EntryOptions = IteratorOptions & { signal?: AbortSignal; damaged?: boolean }

/** What a list past damaged pieces needs of a family. */
interface Readable {
  iterate(range: Range, options: EntryOptions): AsyncGenerator<KeyValue>
  get(key: Uint8Array): Promise<Uint8Array | undefined>
  /** Has tables have all that was written. */
  flush(): Promise<void>
}

const NOTHING = new Uint8Array()
/** Behind a key, that of the next one. */
const NEXT = new Uint8Array(1)
/** Times that a piece is mended: more often than that the disk does not keep it. */
const MOST_TIMES = 3
/** Pieces of a table in which a single wrong bit is looked for in vain: where there are more the disk lost more than bits. */
const MOST_IN_VAIN = 8

/** The keys of a piece that RocksDB cannot read, and of that range in all other tables. */
interface Gap {
  readonly keys: readonly Uint8Array[]
  /** No key of the piece is larger. */
  readonly upTo: Uint8Array
  /** Whether all keys of the piece itself are among them. */
  readonly isComplete: boolean
  /** What is wrong with pieces of other tables in that range, whose keys are not all among them. */
  readonly others: readonly Error[]
}

/** What is done about pieces of tables that RocksDB refuses to read, since their checksums do not fit: a single wrong bit is turned back, of others as much is read as can be. */
export class Damage {
  readonly #options: DamageOptions
  /** Attempts by place. */
  readonly #attempts = new Map<string, Attempt>()
  /** By table. */
  readonly #inVain = new Map<string, number>()
  /** One search at a time: each takes a part of every turn of the event loop. */
  readonly #searches = new Gate(1)

  constructor(options: DamageOptions) {
    this.#options = options
  }

  /** Opens a database once single wrong bits are turned back that would keep it from that, or from what is behind them. @throws E_STORAGE_OPEN, E_STORAGE_MANIFEST */
  async open(folder: string, open: () => Promise<void>): Promise<void> {
    for (const mended of await mendLogs(folder)) this.#options.onMended?.(mended)
    for (;;) {
      try {
        return await open()
      } catch (error) {
        if (!(await this.mend(error))) throw storageErrors.E_STORAGE_OPEN(folder, messageOf(error), isDamage(error))
      }
    }
  }

  /** @returns whether what failed with this error can be tried again */
  mend(error: unknown): Promise<boolean> {
    const found = tableOf(error)
    if (found === undefined) return Promise.resolve(false)
    const place = `${found.path} ${found.piece?.offset}`
    const { times = 0, mending } = this.#attempts.get(place) ?? {}
    if (mending !== undefined) return mending
    if (times >= MOST_TIMES) return Promise.resolve(false)
    const attempt: Attempt = { times: times + 1, mending: this.#search(found.path, error).then(mended => this.#settle(attempt, mended)) }
    this.#attempts.set(place, attempt)
    return attempt.mending!
  }

  #search(path: string, error: unknown): Promise<Mended | undefined> {
    return this.#searches.run(async () => {
      const inVain = this.#inVain.get(path) ?? 0
      if (inVain >= MOST_IN_VAIN) return undefined
      const mended = await mendAfter(error)
      if (mended === undefined) this.#inVain.set(path, inVain + 1)
      return mended
    })
  }

  #settle(attempt: Attempt, mended: Mended | undefined): boolean {
    // What cannot be mended stays so: to look for it again would take seconds.
    if (mended === undefined) return false
    attempt.mending = undefined
    this.#options.onMended?.(mended)
    return true
  }

  /** A value that RocksDB could not read. @throws E_STORAGE_DAMAGED, or the error where it is about something else */
  async valueOf(family: Family, key: Uint8Array, error: unknown): Promise<Uint8Array | undefined> {
    const { path, piece } = located(error)
    return withTable(path, async table => {
      const { entries } = await table.read(piece, false)
      const entry = entries.find(one => Buffer.compare(one.key, key) === 0)
      if (entry !== undefined && (await this.#options.believes?.(family, key, entry.value))) return entry.value
      throw damagedAt(table, piece, entries)
    })
  }

  /** Entries of a range; past what is damaged, where that is asked for. @throws E_STORAGE_DAMAGED */
  async *entries(
    range: Range,
    { damaged = false, limit = Number.POSITIVE_INFINITY, ...how }: EntryOptions = {},
    family: Readable
  ): AsyncGenerator<KeyValue> {
    let from = range
    let left = limit
    let last: Uint8Array | undefined
    while (left > 0) {
      try {
        for await (const entry of family.iterate(from, { limit: left, ...how })) {
          last = entry.key
          left--
          yield entry
        }
        return
      } catch (error) {
        if (last !== undefined) from = behind(range, last)
        if (await this.mend(error)) continue
        // Keys that cannot be read either would not be missed by who goes on.
        if (!damaged) throw await damageOf(error)
        // What no table has would not be among the keys.
        await family.flush().catch(() => {})
        const { keys, upTo, isComplete, others } = await this.#gapOf(error, last)
        let isNamed = false
        for (const key of keys.filter(one => isWithin(range, one))) {
          const entry = await family.get(key).then(
            value => value && { key, value },
            damage => ({ key, value: NOTHING, damage })
          )
          if (entry === undefined || left-- <= 0) continue
          isNamed ||= 'damage' in entry
          yield entry
        }
        if (!isNamed && !isComplete) yield { key: NOTHING, value: NOTHING, damage: await damageOf(error) }
        // The list goes on behind them, and would not meet them any more.
        for (const damage of others) yield { key: NOTHING, value: NOTHING, damage }
        last = upTo
        // The key itself may still be looked for in the damaged piece.
        from = { ...behind(range, upTo), gt: undefined, gte: Buffer.concat([upTo, NEXT]) }
      }
    }
  }

  /**
   * The keys that are to be looked up one by one, where a list of them cannot go on.
   *
   * @param after - the last key that was read
   * @throws the error where it is about something else, or the index of the table is lost
   */
  async #gapOf(error: unknown, after: Uint8Array | undefined): Promise<Gap> {
    const { path, piece } = located(error)
    const { upTo, isComplete } = await withTable(path, async table => ({
      upTo: table.pieces?.find(({ offset }) => offset === piece.offset)?.last,
      isComplete: (await table.read(piece, false)).isComplete
    }))
    if (upTo === undefined) throw error
    const isWithin = ({ key }: Entry) => (after === undefined || Buffer.compare(key, after) > 0) && Buffer.compare(key, upTo) <= 0
    const found = new Map<string, Uint8Array>()
    const others: Error[] = []
    const look = (one: string) =>
      withTable(one, async table => {
        const { pieces } = table
        if (pieces === undefined) throw storageErrors.E_STORAGE_DAMAGED(one, 0, rangeOf(table, { offset: 0, size: 0 }, []))
        for (const [i, { last = upTo, ...place }] of pieces.entries()) {
          const before = pieces[i - 1]?.last
          if ((after !== undefined && Buffer.compare(last, after) <= 0) || (before !== undefined && Buffer.compare(before, upTo) > 0))
            continue
          const read = await table.read(place, false)
          for (const entry of read.entries) if (isWithin(entry)) found.set(entry.key.toString('latin1'), new Uint8Array(entry.key))
          const isSame = one === path && place.offset === piece.offset
          if (!read.isComplete && !isSame) others.push(damagedAt(table, place, read.entries))
        }
      }).catch(error => {
        // One that was merged into others meanwhile is gone.
        if (!isMissing(error)) others.push(error)
      })
    const folder = dirname(path)
    const looked = new Set<string>()
    for (let names = await tablesIn(folder); names.some(name => !looked.has(name)); names = await tablesIn(folder))
      for (const name of names.filter(one => !looked.has(one))) {
        looked.add(name)
        await look(`${folder}/${name}`)
      }
    return { keys: [...found.values()].sort(Buffer.compare), upTo: new Uint8Array(upTo), isComplete, others }
  }
}

/** Whatever was merged while others were read is among those that are there afterwards. */
async function tablesIn(folder: string): Promise<string[]> {
  return (await readdir(folder)).filter(name => name.endsWith('.sst'))
}

function located(error: unknown): { path: string; piece: Piece } {
  const found = tableOf(error)
  if (found?.piece === undefined) throw error
  return { path: found.path, piece: found.piece }
}

function damagedAt(table: Table, piece: Piece, entries: readonly Entry[]): Error {
  return storageErrors.E_STORAGE_DAMAGED(table.path, piece.offset, rangeOf(table, piece, entries))
}

/** What is wrong with the piece that an error is about. @throws the error where it is about something else */
async function damageOf(error: unknown): Promise<Error> {
  const { path, piece } = located(error)
  return withTable(path, async table => damagedAt(table, piece, (await table.read(piece, false)).entries))
}

async function withTable<T>(path: string, use: (table: Table) => Promise<T>): Promise<T> {
  const table = await Table.open(path, false)
  try {
    return await use(table)
  } finally {
    await table.close()
  }
}

/** The keys of a piece, in words. */
function rangeOf({ pieces = [] }: Table, piece: Piece, entries: readonly Entry[]): string {
  const at = pieces.findIndex(({ offset }) => offset === piece.offset)
  const [first, last] = [entries[0]?.key ?? pieces[at - 1]?.last, pieces[at]?.last ?? entries.at(-1)?.key]
  return `${inWords(first)} to ${inWords(last)}`
}

function inWords(key: Uint8Array | undefined): string {
  if (key === undefined) return 'an unknown one'
  const text = Buffer.from(key)
  return text[0] === 0x2f ? text.toString() : text.toString('hex')
}

function behind({ lt, lte }: Range, key: Uint8Array): Range {
  return { gt: key, ...(lt && { lt }), ...(lte && { lte }) }
}

function isWithin({ gt, gte, lt, lte }: Range, key: Uint8Array): boolean {
  const above = (gt === undefined || Buffer.compare(key, gt) > 0) && (gte === undefined || Buffer.compare(key, gte) >= 0)
  return above && (lt === undefined || Buffer.compare(key, lt) < 0) && (lte === undefined || Buffer.compare(key, lte) <= 0)
}
