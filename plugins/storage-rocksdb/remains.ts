/** What tables and logs of a damaged database still have, without RocksDB, which gives up a whole table where its end or its index is damaged. */
import { readFile, stat } from 'node:fs/promises'
import { rawCidToString } from '../../core/cid/parse.ts'
import { type Family, familyOf } from './database/writes.ts'
import { isMissing } from './files.ts'
import type { Entry, KeyPiece } from './tables/block.ts'
import { readLog, writesOf } from './tables/logs.ts'
import type { Manifest } from './tables/manifest.ts'
import { Table } from './tables/table.ts'

/** Damaged pieces of a table in which a single wrong bit is looked for, each for seconds. */
const MOST_MENDED = 16

/** Told what was found and done, a line each. */
export type Tell = (line: string, isLoss?: boolean) => void

export interface FoundEntry extends Entry {
  /** Whether its checksum fits. */
  readonly isSure: boolean
}

export interface Loss {
  /** Whether more than is named here may be lost. */
  isAny: boolean
  readonly tell: Tell
  /** Told that it goes on. */
  readonly progress: () => void
}

/** The tables that count: those that were merged into others may have what was written anew, or removed, since. */
export async function tablesOf(folder: string, names: readonly string[], manifest: Manifest | undefined, loss: Loss): Promise<string[]> {
  const all = names.filter(name => name.endsWith('.sst'))
  if (manifest === undefined) {
    loss.isAny = true
    loss.tell(
      `${folder}: nothing says which tables it had, so those that are missing are not known, and what was removed may be there again`
    )
    return all
  }
  for (const [number, size] of manifest.tables) {
    const path = `${folder}/${String(number).padStart(6, '0')}.sst`
    const found = await stat(path).catch(error => {
      if (!isMissing(error)) throw error
    })
    if (found?.size === size) continue
    loss.isAny = true
    loss.tell(
      `${path} ${found === undefined ? 'is missing' : `has ${found.size} bytes in place of ${size}`}: the keys that it had are lost`
    )
  }
  return all.filter(name => !manifest.isMerged(Number.parseInt(name, 10)))
}

export async function* ofTable(path: string, loss: Loss): AsyncGenerator<FoundEntry> {
  const table = await Table.open(path, true)
  try {
    if (table.pieces === undefined) loss.tell(`${path}: its index is lost, so it is read from its beginning, as far as that goes`)
    let before: Buffer | undefined
    let damaged = 0
    for await (const piece of table.pieces ?? table.walk()) {
      loss.progress()
      const { last } = piece as Partial<KeyPiece>
      const { entries, isWhole } = await table.read(piece, damaged < MOST_MENDED)
      if (!isWhole) {
        damaged++
        loss.isAny = true
        loss.tell(`${path}: ${piece.size} bytes at ${piece.offset} are damaged`)
      }
      const after = before
      const isWithin = ({ key }: Entry) =>
        (after === undefined || Buffer.compare(key, after) >= 0) && (last === undefined || Buffer.compare(key, last) <= 0)
      for (const entry of isWhole ? entries : entries.filter(isWithin).sort(inOrder)) yield { ...entry, isSure: isWhole }
      before = last ?? entries.at(-1)?.key ?? before
    }
    if (table.pieces === undefined) {
      loss.isAny = true
      loss.tell(
        `${path}: nothing is read behind ${before === undefined ? 'its beginning' : inWords(before, familyOf(before))}, which may be its last key`
      )
    }
  } finally {
    await table.close()
  }
}

export async function* ofLogs(
  folder: string,
  names: readonly string[],
  manifest: Manifest | undefined,
  loss: Loss
): AsyncGenerator<FoundEntry> {
  const found: FoundEntry[] = []
  for (const name of names.filter(one => /^\d+\.log$/.test(one))) {
    const { records, broken, behind } = readLog(await readFile(`${folder}/${name}`))
    if (broken !== undefined && behind > 0) {
      loss.isAny = true
      loss.tell(`${folder}/${name} is damaged at ${broken}: what is behind that is taken over`)
    }
    const isLeft = ({ key }: Entry) => Number.parseInt(name, 10) >= (manifest?.logs.get(familyOf(key)) ?? 0)
    for (const record of records) for (const entry of writesOf(record)) if (isLeft(entry)) found.push({ ...entry, isSure: true })
  }
  yield* found.sort(inOrder)
}

/** By key, the last write first. */
function inOrder(one: Entry, other: Entry): number {
  return Buffer.compare(one.key, other.key) || other.number - one.number
}

/** The entries of several streams that are in order, key by key. */
export async function* byKey(streams: ReadonlyArray<AsyncGenerator<FoundEntry>>): AsyncGenerator<FoundEntry[]> {
  const heads: Array<{ stream: AsyncGenerator<FoundEntry>; entry: FoundEntry }> = []
  for (const stream of streams) {
    const { value, done } = await stream.next()
    if (!done) heads.push({ stream, entry: value })
  }
  while (heads.length > 0) {
    const first = heads.reduce((one, other) => (Buffer.compare(other.entry.key, one.entry.key) < 0 ? other : one)).entry.key
    const same: FoundEntry[] = []
    for (let i = heads.length - 1; i >= 0; i--) {
      const head = heads[i]!
      while (Buffer.compare(head.entry.key, first) === 0) {
        same.push(head.entry)
        const { value, done } = await head.stream.next()
        if (done) {
          heads.splice(i, 1)
          break
        }
        head.entry = value
      }
    }
    yield same.sort(inOrder)
  }
}

export function inWords(key: Buffer, family: Family): string {
  if (family === 'blocks') return `block ${rawCidToString(new Uint8Array(key))}`
  return `the key ${key.toString('latin1')}`
}
