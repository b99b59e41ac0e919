import { readdir } from 'node:fs/promises'
import { join } from 'node:path'
import { byteString } from '../../../core/go/utf8.ts'
import { hasCode, messageOf } from '../../../core/index.ts'
import { withRegularFile } from '../../../core/repo/index.ts'
import { migrateErrors } from '../errors.ts'
import { recordsOf } from './log.ts'
import { readManifest } from './manifest.ts'
import { readBatch, readTable } from './table.ts'

/** Most bytes of one file: many times what LevelDB lets a table, a log or a manifest become. */
const MOST = 1024 * 1024 * 1024

const TABLE = /^(\d+)\.(?:ldb|sst)$/
const LOG = /^(\d+)\.log$/

interface Version {
  readonly sequence: bigint
  readonly value: Uint8Array | undefined
}

/**
 * The newest values of a LevelDB database's keys, read without opening it: LevelDB writes to a database that it opens, leaves out what is torn,
 * and need not look at its sums. Here no file is written, every sum is checked, and a file that is damaged or missing is an error that names it.
 * A manifest that lacks its last changes is found out by that too: it names files that are gone since, or ones that have the same in them.
 *
 * @param wanted - whether a key's value is needed; what is not takes no memory
 * @returns values by key, a character for each byte
 * @throws E_LEVELDB_FILE
 */
export async function readDatabase(
  folder: string,
  wanted: (key: string) => boolean,
  signal?: AbortSignal
): Promise<ReadonlyMap<string, Uint8Array>> {
  const { names, manifest } = await filesOf(folder)
  const newest = new Map<string, Version>()
  const take = (bytes: Uint8Array, value: Uint8Array | undefined, sequence: bigint) => {
    const key = byteString(bytes)
    if (!wanted(key)) return
    const before = newest.get(key)
    if (before === undefined || sequence >= before.sequence) newest.set(key, { sequence, value: value && new Uint8Array(value) })
  }
  for (const { number, size } of manifest.tables) {
    signal?.throwIfAborted()
    const name = names.find(one => Number(TABLE.exec(one)?.[1]) === number)
    const file = join(folder, name ?? `${String(number).padStart(6, '0')}.ldb`)
    if (name === undefined) throw migrateErrors.E_LEVELDB_FILE(file, 'it is missing')
    const bytes = await contentOf(file)
    if (bytes.length !== size) throw migrateErrors.E_LEVELDB_FILE(file, `it has ${bytes.length} bytes in place of ${size}`)
    readTable(bytes, file, take)
  }
  for (const name of logsIn(names, folder, manifest)) {
    signal?.throwIfAborted()
    const file = join(folder, name)
    for (const record of recordsOf(await contentOf(file), file)) readBatch(record, file, take)
  }
  return new Map([...newest].flatMap(([key, { value }]) => (value === undefined ? [] : [[key, value]])))
}

/** The files in a folder, and which of them count. */
async function filesOf(folder: string) {
  const current = join(folder, 'CURRENT')
  const names = await readdir(folder).catch(error => {
    throw migrateErrors.E_LEVELDB_FILE(folder, messageOf(error))
  })
  const text = (await contentOf(current)).toString('latin1')
  const name = /^(MANIFEST-\d+)\n$/.exec(text)?.[1]
  if (name === undefined) throw migrateErrors.E_LEVELDB_FILE(current, 'it names no manifest')
  const file = join(folder, name)
  const manifest = readManifest(await contentOf(file), file)
  return { names, manifest }
}

/** The logs of what no table has yet, the oldest first. */
function logsIn(names: readonly string[], folder: string, { log, previousLog }: { log: number; previousLog: number }): string[] {
  const numbered = names.flatMap(name => {
    const number = Number(LOG.exec(name)?.[1] ?? Number.NaN)
    return number >= log || (number === previousLog && previousLog !== 0) ? [{ name, number }] : []
  })
  if (!numbered.some(({ number }) => number === log))
    throw migrateErrors.E_LEVELDB_FILE(join(folder, `${String(log).padStart(6, '0')}.log`), 'it is missing')
  return numbered.sort((a, b) => a.number - b.number).map(({ name }) => name)
}

async function contentOf(file: string): Promise<Buffer> {
  try {
    return await withRegularFile(file, ({ found, whole }) => {
      if (found.size > MOST) throw migrateErrors.E_LEVELDB_FILE(file, `it has more than ${MOST} bytes`)
      return whole()
    })
  } catch (error) {
    if (hasCode(error, 'E_LEVELDB_FILE')) throw error
    throw migrateErrors.E_LEVELDB_FILE(file, hasCode(error, 'ENOENT') ? 'it is missing' : messageOf(error))
  }
}
