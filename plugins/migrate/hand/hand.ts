import { chmod, mkdir } from 'node:fs/promises'
import { dirname, isAbsolute, join, relative, resolve } from 'node:path'
import { cidToString } from '../../../core/cid/index.ts'
import { type Keys, messageOf, type Names, SELF } from '../../../core/index.ts'
import { formatName, parseName } from '../../../core/ipns/index.ts'
import { syncFolder, writeWhole } from '../../../core/repo/index.ts'
import { migrateErrors } from '../errors.ts'
import { KEYSTORE, keyFileOf } from '../kubo/keystore.ts'
import { CLEAN, pinEntries } from '../kubo/pins.ts'
import { FILES_ROOT, inEnvelope, knownKey, publishedKey, REFERENCES, referenceEntry } from '../kubo/records.ts'
import { VERSIONS } from '../kubo/repo.ts'
import { DatabaseWriter } from '../leveldb/write.ts'
import type { Moving } from '../needs.ts'
import { emptyReport, type Item, type Report } from '../report.ts'
import { writeBlocks } from './blocks.ts'
import { forKubo } from './config.ts'
import { Target } from './target.ts'

export interface Handing {
  /** Go on where blocks are damaged, without them. */
  readonly skipDamaged: boolean
  readonly signal: AbortSignal
}

/**
 * Writes all of this node's repo as one of Kubo's, in a folder of its own. One that was broken off goes on where it was when it is begun again.
 *
 * @throws E_MIGRATE_TARGET, E_MIGRATE_DAMAGED, E_MIGRATE_LEFT
 */
export async function* handOver(moving: Moving, folder: string, { skipDamaged, signal }: Handing): AsyncGenerator<Item> {
  const { store, repo, model, mfs, keys } = moving
  const { peerId } = repo.identity
  const report = emptyReport({ From: repo.path ?? '', To: folder, RepoVersion: VERSIONS.least, PeerID: peerId })
  const target = await Target.open(folder, peerId)
  // what is in memory of it becomes blocks
  const root = await mfs.flush('/', { signal })
  for await (const done of writeBlocks(store, join(folder, 'blocks'), report.Blocks, signal)) yield { Step: 'blocks', Done: done }
  if (report.Blocks.Damaged.length > 0 && !skipDamaged) throw migrateErrors.E_MIGRATE_DAMAGED(report.Blocks.Damaged)
  const database = await DatabaseWriter.create(await target.anew('datastore'))
  try {
    yield* writePins(database, moving, report, signal)
    await database.put(FILES_ROOT, root.bytes)
    report.Root = cidToString(root)
    await writeNames(database, moving, report)
    await writeReferences(database, moving, report)
    await database.end()
  } catch (error) {
    await database.close()
    throw error
  }
  await writeKeys(await target.anew(KEYSTORE), keys, report)
  const { file, changes } = forKubo(repo.config(), model.create(repo.identity), model.print)
  report.Configuration.push(...changes)
  await target.finish(file)
  yield { Report: report }
  if (report.Left.length > 0) throw migrateErrors.E_MIGRATE_LEFT(report.Left.length)
}

async function* writePins(database: DatabaseWriter, { pins }: Moving, { Pins: told }: Report, signal: AbortSignal): AsyncGenerator<Item> {
  for (const mode of ['recursive', 'direct'] as const) {
    for await (const { cid, name } of pins.list({ mode, signal })) {
      for (const [key, value] of pinEntries({ cid, mode, name })) await database.put(key, value)
      told[mode === 'recursive' ? 'Recursive' : 'Direct']++
      if (name !== '') told.Named++
      yield { Step: 'pins', Done: told.Recursive + told.Direct }
    }
  }
  await database.put(...CLEAN)
}

/** The targets of the names of the keys: what was published last, and what answers. */
async function writeNames(database: DatabaseWriter, { names, keys }: { names: Names; keys: Keys }, report: Report): Promise<void> {
  for (const { peerId } of await keys.list()) {
    const multihash = parseName(peerId)
    const name = formatName(multihash)
    const published = await names.published(name)
    if (published === undefined) continue
    await database.put(publishedKey(multihash), published)
    await database.put(knownKey(multihash), inEnvelope(multihash, (await names.record(name, { offline: true })) ?? published))
    report.Names++
  }
}

/** Kubo takes references to files below the folder that its repo lies in, and to URLs. */
async function writeReferences(database: DatabaseWriter, { references, datastore }: Moving, report: Report): Promise<void> {
  const above = dirname(report.To)
  if (references === undefined) {
    for await (const _ of datastore.queryKeys({ prefix: REFERENCES, limit: 1 }))
      report.Left.push("the references to files and URLs: the plugin 'filestore' is off")
  }
  for await (const { multihash, path, offset, size, corrupt } of references?.list() ?? []) {
    const isUrl = /^https?:/.test(path)
    const at = isUrl ? path : relative(above, resolve(dirname(report.From), path))
    if (corrupt !== undefined) report.Left.push(`a reference: ${corrupt}`)
    else if (!isUrl && (at.startsWith('..') || isAbsolute(at))) report.Left.push(`the reference to ${path}: it does not lie below ${above}`)
    else {
      await database.put(...referenceEntry({ multihash, path: at, offset, size }))
      report.References++
    }
  }
}

async function writeKeys(folder: string, keys: Keys, report: Report): Promise<void> {
  await mkdir(folder, { mode: 0o700 })
  for (const { name } of await keys.list()) {
    if (name === SELF) continue
    const file = join(folder, keyFileOf(name))
    try {
      await writeWhole(file, await keys.export(name))
      await chmod(file, 0o400)
      report.Keys.push(name)
    } catch (error) {
      report.Left.push(`the key '${name}': ${messageOf(error)}`)
    }
  }
  await syncFolder(folder)
}
