/** Reads what RocksDB's log of its tables (`MANIFEST`) says of them. */
import { readFile } from 'node:fs/promises'
import { Cursor } from './block.ts'
import { readLog } from './logs.ts'

/** What an item of a record says; those from `IGNORABLE` on have a length, and may be passed over. */
const [COMPARATOR, LOG, NEXT_FILE, LAST_NUMBER, CURSOR, DELETED, PREVIOUS_LOG, KEPT_LOG] = [1, 2, 3, 4, 5, 6, 9, 10] as const
const [NEW_FILE, FAMILY, FAMILY_ADDED, FAMILY_GONE, MOST_FAMILY, IN_GROUP, IGNORABLE] = [103, 200, 201, 202, 203, 300, 1 << 13] as const
/** Ends the further items of a new file. */
const END = 1

/** What a database is made of. */
export interface Manifest {
  /** Bytes of each table, by its number. */
  readonly tables: ReadonlyMap<number, number>
  /** The first log that has what the tables of a family do not, by its name. */
  readonly logs: ReadonlyMap<string, number>
  /** Whether a table that it does not name is one that was merged into others. */
  isMerged(table: number): boolean
}

/**
 * @param names - what lies in the folder of the database
 * @param families - those that it must know: its beginning may be all that is left of it
 * @returns undefined where it cannot be read, or which one counts is not known
 */
export async function readManifest(folder: string, names: readonly string[], families: readonly string[]): Promise<Manifest | undefined> {
  const name = await currentOf(folder, names)
  if (name === undefined) return undefined
  const { records, broken, behind } = readLog(await readFile(`${folder}/${name}`))
  if (broken !== undefined && behind > 0) return undefined
  const own = Number(name.slice(name.indexOf('-') + 1))
  const tables = new Map<number, number>()
  const deleted = new Set<number>()
  const logs = new Map<number, number>()
  const numbers = new Map<string, number>()
  for (const record of records) {
    const edit = editOf(record)
    if (edit === undefined) return undefined
    if (edit.added !== undefined) numbers.set(edit.added, edit.family)
    if (edit.log !== undefined) logs.set(edit.family, Math.max(edit.log, logs.get(edit.family) ?? 0))
    // A table that only changes its level goes and comes with one record.
    for (const table of edit.deleted) {
      tables.delete(table)
      deleted.add(table)
    }
    for (const [table, size] of edit.tables) {
      tables.set(table, size)
      deleted.delete(table)
    }
  }
  const found = new Map(families.map(family => [family, logs.get(numbers.get(family) ?? -1)] as const))
  if ([...found.values()].includes(undefined)) return undefined
  return { tables, logs: found as Map<string, number>, isMerged: table => !tables.has(table) && (deleted.has(table) || table < own) }
}

/** The log that counts: the one that `CURRENT` names, or the only one. */
async function currentOf(folder: string, names: readonly string[]): Promise<string | undefined> {
  const all = names.filter(name => /^MANIFEST-\d+$/.test(name))
  const current = names.includes('CURRENT') ? (await readFile(`${folder}/CURRENT`, 'latin1')).trim() : undefined
  return all.find(name => name === current) ?? (all.length === 1 ? all[0] : undefined)
}

interface Edit {
  family: number
  added: string | undefined
  log: number | undefined
  readonly deleted: number[]
  readonly tables: Array<readonly [number: number, size: number]>
}

/** @returns undefined where it has what is not known here */
function editOf(record: Buffer): Edit | undefined {
  const cursor = new Cursor(record)
  const text = () => cursor.take(cursor.number())
  const edit: Edit = { family: 0, added: undefined, log: undefined, deleted: [], tables: [] }
  while (cursor.at < record.length) {
    const item = cursor.number()
    if (
      item === NEXT_FILE ||
      item === LAST_NUMBER ||
      item === PREVIOUS_LOG ||
      item === KEPT_LOG ||
      item === MOST_FAMILY ||
      item === IN_GROUP
    )
      cursor.number()
    else if (item === LOG) edit.log = cursor.number()
    else if (item === FAMILY) edit.family = cursor.number()
    else if (item === FAMILY_ADDED) edit.added = text().toString()
    else if (item === COMPARATOR || item >= IGNORABLE) text()
    else if (item === CURSOR) {
      cursor.number()
      text()
    } else if (item === DELETED) {
      cursor.number()
      edit.deleted.push(cursor.number())
    } else if (item === NEW_FILE) {
      cursor.number()
      edit.tables.push([cursor.number(), cursor.number()])
      text()
      text()
      cursor.number()
      cursor.number()
      while (cursor.at < record.length && cursor.number() !== END) text()
    } else if (item !== FAMILY_GONE) return undefined
  }
  return edit
}
