/** A database with its journal: what it leaves on the disk, and what is there when its process dies. */
import { cp, readdir, rm, stat } from 'node:fs/promises'
import { join } from 'node:path'
import type { ExecutionContext } from 'ava'
import type { JournalOptions } from '../../../../plugins/storage-rocksdb/journal/journal.ts'
import { MARKER_KEY, readMarker } from '../../../../plugins/storage-rocksdb/journal/marker.ts'
import { Pace } from '../../../../plugins/storage-rocksdb/pace.ts'
import { temporaryFolder } from '../../../helpers/folder.ts'
import { Database } from '../disk.ts'
import { textsIn } from './entries.ts'

export const JOURNAL = /\.journal$/
export const LOG = /\.log$/

/** The names of the files of a repo's journal, the oldest first. */
export async function journalOf(repo: string): Promise<string[]> {
  return (await readdir(join(repo, 'journal'))).sort()
}

/** @param how - a machine that is busy with something else does not change what is tested, unless this says when a write is slow */
export async function openDatabase(t: ExecutionContext, repo?: string, how: JournalOptions = {}) {
  const folder = repo ?? (await temporaryFolder(t))
  const database = new Database(
    join(folder, 'db'),
    { writeBuffer: 1 << 20, journal: 1 << 20, pace: new Pace(60_000), ...how },
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

/** All that the death of the process at this moment leaves. */
export async function left(t: ExecutionContext, repo: string): Promise<Record<string, string>> {
  const { database } = await openDatabase(t, await killed(t, repo))
  const texts = await textsIn(database)
  await database.close()
  return texts
}

/** The number of the last batch of a repo that nobody has open, and that of the next file of its journal. */
export async function endOf(t: ExecutionContext, repo: string): Promise<{ readonly number: number; readonly first: number }> {
  const { database } = await openDatabase(t, repo)
  const { number, first } = readMarker(await database.get('state', MARKER_KEY))
  await database.close()
  // To close it is a batch as well.
  return { number: number + 1, first }
}
