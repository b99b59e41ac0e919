/** Writes of a database, and what it holds, as texts. */
import type { Family, Write } from '../../../../plugins/storage-rocksdb/database/writes.ts'
import { encode, type JournalRecord, sizeOf } from '../../../../plugins/storage-rocksdb/journal/record.ts'
import type { Database } from '../disk.ts'

export const bytesOf = (text: string): Uint8Array => new Uint8Array(Buffer.from(text))
export const textOf = (bytes: Uint8Array | undefined): string | undefined => bytes && Buffer.from(bytes).toString()

export function put(key: string, value: string | Uint8Array, family: Family = 'data'): Write {
  return { family, key: bytesOf(key), value: typeof value === 'string' ? bytesOf(value) : value }
}

export function remove(key: string, family: Family = 'data'): Write {
  return { family, key: bytesOf(key), value: undefined }
}

/** So large that the journal does not take it. */
export function large(key: string, text: string): Write {
  return put(key, Buffer.alloc(80_000, text))
}

/** A record as the journal has it. */
export function encoded(record: JournalRecord): Buffer {
  const bytes = Buffer.alloc(sizeOf(record.writes))
  encode(record, bytes)
  return bytes
}

export async function textsIn(database: InstanceType<typeof Database>, family: Family = 'data'): Promise<Record<string, string>> {
  const texts: Record<string, string> = {}
  for await (const { key, value } of database.entries(family, {})) texts[textOf(key)!] = textOf(value)!
  return texts
}
