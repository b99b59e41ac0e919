import { Cursor } from './cursor.ts'
import { recordsOf } from './log.ts'

/** A table that belongs to the database. */
interface TableFile {
  readonly number: number
  /** The size in bytes. */
  readonly size: number
}

/** Which files make up a database. */
interface Manifest {
  readonly tables: readonly TableFile[]
  /** The log from which on all count, and the one before it where it counts still; 0: none. */
  readonly log: number
  readonly previousLog: number
}

export const COMPARATOR = 1
export const LOG = 2
export const NEXT_FILE = 3
export const LAST_SEQUENCE = 4
const COMPACTED = 5
const REMOVED = 6
const ADDED = 7
const PREVIOUS_LOG = 9

/** The order of bytes, which Kubo uses. */
export const BYTEWISE = 'leveldb.BytewiseComparator'

/** Puts the changes together that a manifest lists (LevelDB, db/version_edit.cc). @throws E_LEVELDB_FILE */
export function readManifest(bytes: Uint8Array, file: string): Manifest {
  const tables = new Map<string, TableFile>()
  let log: number | undefined
  let previousLog = 0
  for (const record of recordsOf(bytes, file)) {
    const cursor = new Cursor(record, file)
    while (!cursor.isAtEnd) {
      const tag = cursor.varint()
      if (tag === COMPARATOR) {
        const name = Buffer.from(cursor.prefixed()).toString('latin1')
        if (name !== BYTEWISE) throw cursor.fault(`its keys are ordered by '${name}'`)
      } else if (tag === LOG) log = cursor.varint()
      else if (tag === PREVIOUS_LOG) previousLog = cursor.varint()
      else if (tag === NEXT_FILE || tag === LAST_SEQUENCE) cursor.varint()
      else if (tag === COMPACTED) {
        cursor.varint()
        cursor.prefixed()
      } else if (tag === REMOVED) tables.delete(`${cursor.varint()}/${cursor.varint()}`)
      else if (tag === ADDED) {
        const level = cursor.varint()
        const table = { number: cursor.varint(), size: cursor.varint() }
        // its first key and its last
        cursor.prefixed()
        cursor.prefixed()
        tables.set(`${level}/${table.number}`, table)
      } else throw cursor.fault(`there is no change of the kind ${tag}`)
    }
  }
  if (log === undefined) throw new Cursor(bytes, file).fault('it names no log')
  return { tables: [...tables.values()].sort((a, b) => a.number - b.number), log, previousLog }
}
