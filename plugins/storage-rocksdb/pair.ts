import { randomBytes } from 'node:crypto'
import { readdir, readFile } from 'node:fs/promises'
import { equals } from 'multiformats/bytes'
import { hasCode } from '../../core/errors.ts'
import { writeWhole } from '../../core/files/whole.ts'
import { readLayouts } from '../../core/repo/layouts.ts'
import type { Database, Write } from './database/database.ts'
import type { Engine } from './database/engine.ts'
import { storageErrors } from './errors.ts'
import { makeFolder } from './files.ts'

/** The file in each folder of blocks that names their database. Kubo's flatfs passes over names that begin so. */
const FILE = '.database'
const KEY = new TextEncoder().encode('id')
const COMPLETE_KEY = new TextEncoder().encode('complete')
/** First byte of the value: whether every folder is known to have the id, which follows, or a salvage took folders that may lack it. */
const [BEGUN, PAIRED, TAKEN] = [0, 1, 2] as const
const ID_BYTES = 16
const NONE = new Uint8Array()
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
    const text = await readText(folder)
    const found = text && idOf(text)
    if (id !== undefined && found !== undefined && equals(found, id)) continue
    if (id !== undefined && text !== undefined && isOneBitOff(text, textOf(id))) {
      // To work with the folder it need not be right.
      if (!database.isReadOnly) await writeId(folder, id).catch(() => {})
      continue
    }
    // A death or a power loss tore what an earlier version was writing in place.
    const lacks = text === undefined || (id !== undefined && !isPaired && isTorn(text, textOf(id)))
    if (!lacks || isPaired) throw storageErrors.E_STORAGE_PAIR(folder, text !== undefined)
    lacking.push(folder)
  }
  if (isPaired || database.isReadOnly) return
  if (!isBegun && value?.[0] !== TAKEN)
    for (const folder of folders)
      if ((await namesIn(folder)).some(name => SEGMENT.test(name))) throw storageErrors.E_STORAGE_PAIR(folder, true)
  const made = id ?? randomBytes(ID_BYTES)
  if (id === undefined) await database.writeThrough([idWrite(BEGUN, made)])
  for (const folder of lacking) await writeId(folder, made)
  await database.writeThrough([idWrite(PAIRED, made)])
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
 * Ties a database that was made anew to folders of blocks, whatever they belonged to. Those that lack the id get it at the next start: till then the
 * database before works with them as it did.
 *
 * @param folders - the first of them that has an id gives it to all; else the database's own is taken, or a new one
 * @returns whether the database was theirs before
 */
export async function tie(database: Pick<Engine, 'get' | 'write'>, folders: readonly string[]): Promise<boolean> {
  const stored = (await database.get('state', KEY))?.subarray(1)
  const before = stored?.byteLength === ID_BYTES ? stored : undefined
  const texts = await Promise.all(folders.map(readText))
  const ids = texts.map(text => text && (before !== undefined && isOneBitOff(text, textOf(before)) ? before : idOf(text)))
  const id = ids.find(one => one !== undefined) ?? before ?? randomBytes(ID_BYTES)
  for (const [i, folder] of folders.entries()) if (texts[i] !== undefined && !equals(ids[i] ?? NONE, id)) await writeId(folder, id)
  await database.write([idWrite(TAKEN, id)])
  return before !== undefined && equals(before, id)
}

function idWrite(state: number, id: Uint8Array): Write {
  return { family: 'state', key: KEY, value: Buffer.concat([Uint8Array.of(state), id]) }
}

async function readText(folder: string): Promise<Buffer | undefined> {
  try {
    return await readFile(`${folder}/${FILE}`)
  } catch (error) {
    if (hasCode(error, 'ENOENT')) return undefined
    throw error
  }
}

/** The id of the database that the file of a folder names. @returns undefined where it is none */
function idOf(text: Buffer): Uint8Array | undefined {
  const id = new Uint8Array(Buffer.from(text.toString('latin1').trim(), 'hex'))
  return id.byteLength === ID_BYTES ? id : undefined
}

/** As a whole or not at all: a database that is paired does not work with a part of it. */
async function writeId(folder: string, id: Uint8Array): Promise<void> {
  await makeFolder(folder)
  await writeWhole(`${folder}/${FILE}`, textOf(id))
}

function textOf(id: Uint8Array): Buffer {
  return Buffer.from(`${Buffer.from(id).toString('hex')}\n`)
}

/** Whether it is the beginning of what should be there, with zeros in place of the rest. */
function isTorn(text: Buffer, right: Buffer): boolean {
  const end = text.indexOf(0) < 0 ? text.length : text.indexOf(0)
  return end < right.length && text.subarray(0, end).equals(right.subarray(0, end)) && text.subarray(end).every(byte => byte === 0)
}

/** Whether a disk changed a single bit. */
function isOneBitOff(text: Buffer, right: Buffer): boolean {
  if (text.length !== right.length) return false
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
