import { randomBytes } from 'node:crypto'
import { readdir, readFile } from 'node:fs/promises'
import { equals } from 'multiformats/bytes'
import { hasCode } from '../../core/errors.ts'
import { readLayouts } from '../../core/repo/layouts.ts'
import type { Database } from './database/database.ts'
import type { Engine } from './database/engine.ts'
import { storageErrors } from './errors.ts'
import { makeFolder, syncData, syncFolder, writeFile } from './files.ts'

/** The file in each folder of blocks that names their database. Kubo's flatfs passes over names that begin so. */
const FILE = '.database'
const KEY = new TextEncoder().encode('id')
const COMPLETE_KEY = new TextEncoder().encode('complete')
/** First byte of the value: whether every folder is known to have the id, which follows. */
const BEGUN = 0
const PAIRED = 1
const ID_BYTES = 16
const BELONGS_TO_DATABASE = /^(?:MANIFEST-\d+|\d+\.(?:sst|log))$/
const SEGMENT = /^\d+\.blocks$/

/**
 * Refuses a start that would begin an empty database where there was one, as on a volume that is not mounted.
 *
 * @param plugin - whose content the repo's `layouts` may name; undefined: the repo is new
 * @throws E_STORAGE_NO_DATABASE, E_STORAGE_NO_CURRENT
 */
export async function refuseWithoutDatabase(repo: string, plugin?: string): Promise<void> {
  const names = await namesIn(`${repo}/db`)
  if (names.includes('CURRENT')) return
  const isExpected = plugin !== undefined && (await isNoted(repo, plugin))
  // A first start that was killed leaves a database that is only begun.
  if (names.some(name => name.endsWith('.sst')) || (isExpected && names.some(name => BELONGS_TO_DATABASE.test(name))))
    throw storageErrors.E_STORAGE_NO_CURRENT(`${repo}/db`)
  const segments = (await namesIn(`${repo}/segments`)).some(name => SEGMENT.test(name))
  if (isExpected || segments) throw storageErrors.E_STORAGE_NO_DATABASE(`${repo}/db`, segments ? `${repo}/segments` : repo)
}

/** Whether a repo that is not new keeps what `plugin` stores: one of an earlier version, which notes nothing, may. */
async function isNoted(repo: string, plugin: string): Promise<boolean> {
  const noted = await readLayouts(repo)
  return noted === undefined || Object.values(noted).some(layers => layers.some(layer => layer.plugin === plugin))
}

/**
 * Ties a database to the folders of its blocks, by an id in each: what another database made is neither read nor removed.
 *
 * @param isBegun - whether the database was there before this start
 * @throws E_STORAGE_PAIR
 */
export async function pair(database: Database, folders: readonly string[], isBegun: boolean): Promise<void> {
  const value = await database.get('state', KEY)
  const id = value?.subarray(1)
  const isPaired = value?.[0] === PAIRED
  const lacking: string[] = []
  for (const folder of folders) {
    if (isPaired && id !== undefined && isOneBitOff(await readText(folder), textOf(id))) {
      if (!database.isReadOnly) await writeId(folder, id)
      continue
    }
    const read = await readId(folder)
    // A power loss tore what was being written.
    const found = !isPaired && id !== undefined && read !== undefined && read.byteLength < ID_BYTES ? undefined : read
    if (found === undefined ? isPaired : id === undefined || !equals(found, id))
      throw storageErrors.E_STORAGE_PAIR(folder, found !== undefined)
    if (found === undefined) lacking.push(folder)
  }
  if (isPaired || database.isReadOnly) return
  if (!isBegun)
    for (const folder of folders)
      if ((await namesIn(folder)).some(name => SEGMENT.test(name))) throw storageErrors.E_STORAGE_PAIR(folder, true)
  const made = id ?? randomBytes(ID_BYTES)
  if (id === undefined) await database.writeThrough([{ family: 'state', key: KEY, value: Buffer.concat([Uint8Array.of(BEGUN), made]) }])
  for (const folder of lacking) await writeId(folder, made)
  await database.writeThrough([{ family: 'state', key: KEY, value: Buffer.concat([Uint8Array.of(PAIRED), made]) }])
}

/**
 * Notes that the repo of a database is complete, and refuses to make a new one of what is left of it.
 *
 * @param isNew - whether the repo has no configuration yet
 * @throws E_STORAGE_NO_CONFIG
 */
export async function noteComplete(database: Database, repo: string, isNew: boolean): Promise<void> {
  const isComplete = (await database.get('state', COMPLETE_KEY)) !== undefined
  if (isNew && isComplete) throw storageErrors.E_STORAGE_NO_CONFIG(repo)
  if (!isNew && !isComplete && !database.isReadOnly) await database.write([{ family: 'state', key: COMPLETE_KEY, value: Uint8Array.of(1) }])
}

/**
 * Ties a database that was made anew to folders of blocks, whatever they belonged to.
 *
 * @param id - that of the folders; undefined: the database's own, or a new one
 * @returns whether the database was theirs before
 */
export async function tie(
  database: Pick<Engine, 'get' | 'write'>,
  folders: readonly string[],
  id: Uint8Array | undefined
): Promise<boolean> {
  const before = (await database.get('state', KEY))?.subarray(1)
  const now = id ?? before ?? randomBytes(ID_BYTES)
  await database.write([{ family: 'state', key: KEY, value: Buffer.concat([Uint8Array.of(PAIRED), now]) }])
  for (const folder of folders) await writeId(folder, now)
  return before !== undefined && equals(before, now)
}

/** The id of the database that a folder of blocks names. */
export async function readId(folder: string): Promise<Uint8Array | undefined> {
  const text = await readText(folder)
  return text && new Uint8Array(Buffer.from(text.toString('latin1').trim(), 'hex'))
}

async function readText(folder: string): Promise<Buffer | undefined> {
  try {
    return await readFile(`${folder}/${FILE}`)
  } catch (error) {
    if (hasCode(error, 'ENOENT')) return undefined
    throw error
  }
}

async function writeId(folder: string, id: Uint8Array): Promise<void> {
  await makeFolder(folder)
  const path = `${folder}/${FILE}`
  await writeFile(path, textOf(id))
  await syncData(path)
  await syncFolder(folder)
}

function textOf(id: Uint8Array): Buffer {
  return Buffer.from(`${Buffer.from(id).toString('hex')}\n`)
}

/** Whether a disk changed a single bit. */
function isOneBitOff(text: Buffer | undefined, right: Buffer): boolean {
  if (text?.length !== right.length) return false
  const wrong = [...text.keys()].filter(at => text[at] !== right[at])
  const bits = text[wrong[0] ?? 0]! ^ right[wrong[0] ?? 0]!
  return wrong.length === 1 && (bits & (bits - 1)) === 0
}

/** The names in a folder; none where it is not there. */
export async function namesIn(folder: string): Promise<string[]> {
  return readdir(folder).catch(error => {
    if (hasCode(error, 'ENOENT')) return []
    throw error
  })
}
