/** A database with its journal, a RocksDB that takes its time, and calls to the system that fail in the loop itself. */
import fs from 'node:fs'
import { cp, readdir, rm, stat } from 'node:fs/promises'
import { join } from 'node:path'
import type { ExecutionContext } from 'ava'
import RocksDB from 'rocksdb'
import type { Family, Write } from '../../../../plugins/storage-rocksdb/database/writes.ts'
import type { JournalOptions } from '../../../../plugins/storage-rocksdb/journal/journal.ts'
import { MARKER_KEY, readMarker } from '../../../../plugins/storage-rocksdb/journal/marker.ts'
import { temporaryFolder } from '../../../helpers/folder.ts'
import { Database } from '../disk.ts'

export const JOURNAL = /\.journal$/
export const LOG = /\.log$/

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

/** @param how - a machine that is busy with something else does not change what is tested, unless this says when a write is slow */
export async function openDatabase(t: ExecutionContext, repo?: string, how: JournalOptions = {}) {
  const folder = repo ?? (await temporaryFolder(t))
  const database = new Database(
    join(folder, 'db'),
    { writeBuffer: 1 << 20, journal: 1 << 20, slow: 60_000, ...how },
    join(folder, 'journal')
  )
  await database.open()
  await database.recover()
  t.teardown(() => database.close().catch(() => {}))
  return { repo: folder, database }
}

/**
 * The repo as the death of its process at this moment leaves it. The journal comes first: what is taken out of it while this goes on is in
 * the database then.
 *
 * @param between - called once the journal is copied, and the database is not
 */
export async function killed(t: ExecutionContext, repo: string, between: () => void = () => {}): Promise<string> {
  const copy = join(await temporaryFolder(t), 'copy')
  await cp(join(repo, 'journal'), join(copy, 'journal'), { recursive: true }).catch(error => {
    if (error.code !== 'ENOENT') throw error
  })
  between()
  await copyDatabase(join(repo, 'db'), join(copy, 'db'))
  await cp(repo, copy, { recursive: true, filter: path => !['journal', 'db'].some(name => path.startsWith(join(repo, name))) })
  return copy
}

/** A copy of a database as it was at one moment: a compaction meanwhile takes files away that the list of files names, so that it begins anew. */
async function copyDatabase(folder: string, copy: string): Promise<void> {
  for (;;) {
    const before = await filesOf(folder)
    const isCopied = await cp(folder, copy, { recursive: true }).then(
      () => true,
      error => {
        if (error.code === 'ENOENT') return false
        throw error
      }
    )
    if (isCopied && before === (await filesOf(folder))) return
    await rm(copy, { recursive: true, force: true })
  }
}

/** The tables and lists of files of a database with their sizes; logs, which grow at their end alone, by name. */
async function filesOf(folder: string): Promise<string> {
  const names = (await readdir(folder)).sort()
  const sizeOf = async (name: string) =>
    JOURNAL.test(name) || LOG.test(name) || name === 'LOG' ? 0 : (await stat(join(folder, name))).size
  const files = await Promise.all(names.map(async name => `${name} ${await sizeOf(name).catch(() => 'gone')}`))
  return files.join()
}

export async function textsIn(database: InstanceType<typeof Database>, family: Family = 'data'): Promise<Record<string, string>> {
  const texts: Record<string, string> = {}
  for await (const { key, value } of database.entries(family, {})) texts[textOf(key)!] = textOf(value)!
  return texts
}

/** All that the death of the process at this moment leaves. */
export async function left(t: ExecutionContext, repo: string): Promise<Record<string, string>> {
  const { database } = await openDatabase(t, await killed(t, repo))
  const texts = await textsIn(database)
  await database.close()
  return texts
}

type Flushing = { flush(): Promise<void> }

/** Has `around` stand for each batch that RocksDB is to write, until the function that this returns is called. */
export function batches(around: (write: () => Promise<void>) => Promise<void>): () => void {
  const prototype = RocksDB.prototype as unknown as { write(...how: unknown[]): Flushing }
  const real = prototype.write
  const held = new Set<Flushing>()
  prototype.write = function (...how) {
    const batch = Reflect.apply(real, this, how) as Flushing
    const { flush } = Object.getPrototypeOf(batch) as Flushing
    batch.flush = () => around(() => Reflect.apply(flush, batch, []))
    held.add(batch)
    return batch
  }
  return () => {
    prototype.write = real
    // The binding uses its batches again.
    for (const batch of held) Reflect.deleteProperty(batch, 'flush')
  }
}

/** RocksDB takes no batch until `release` is called. */
export function holdBatches() {
  const gate = Promise.withResolvers<void>()
  const restore = batches(async write => {
    await gate.promise
    await write()
  })
  return {
    release() {
      restore()
      gate.resolve()
    }
  }
}

type InLoop = 'writeSync' | 'ftruncateSync' | 'openSync'

/** Has `around` stand for a call that the loop waits for, until the function that this returns is called. */
export function inLoop(name: InLoop, around: (call: (...args: unknown[]) => unknown, ...args: unknown[]) => unknown): () => void {
  const real = fs[name] as (...args: unknown[]) => unknown
  Object.assign(fs, { [name]: (...args: unknown[]) => around((...all) => Reflect.apply(real, fs, all), ...args) })
  return () => void Object.assign(fs, { [name]: real })
}

/** Has each write that the loop waits for take so many milliseconds more, until `restore` is called. */
export function slowWrites(milliseconds: number) {
  let count = 0
  const restore = inLoop('writeSync', (call, ...args) => {
    count++
    const until = performance.now() + milliseconds
    while (performance.now() < until);
    return call(...args)
  })
  return { restore, count: () => count }
}

/** The number of the last batch of a repo that nobody has open, and that of the next file of its journal. */
export async function endOf(t: ExecutionContext, repo: string): Promise<{ readonly number: number; readonly first: number }> {
  const { database } = await openDatabase(t, repo)
  const { number, first } = readMarker(await database.get('state', MARKER_KEY))
  await database.close()
  // To close it is a batch as well.
  return { number: number + 1, first }
}
