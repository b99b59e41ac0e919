/** Makes a new database of all that can be read of a damaged one, without RocksDB, which gives up a whole table where its end or its index is damaged. */
import { readFile, rename, rm } from 'node:fs/promises'
import { decodeMultihash } from '../../core/cid/multihash.ts'
import { rawCidToString } from '../../core/cid/parse.ts'
import { hasCode } from '../../core/errors.ts'
import { MAGIC, HEADER as RECORD_HEADER, type SegmentRecord } from './blocks/segment-record.ts'
import { Segments } from './blocks/segments.ts'
import { decodeValue, type Place, segmentValue } from './blocks/values.ts'
import { Engine } from './database/engine.ts'
import { type Family, familyOf, type Write } from './database/writes.ts'
import { isIntact } from './durability/suspects.ts'
import { syncFolder } from './files.ts'
import { numberOf, pathOf } from './journal/journal-file.ts'
import { MARKER_KEY, markerOf } from './journal/marker.ts'
import { BEFORE_AT, HEADER } from './journal/record.ts'
import { namesIn, readId, tie } from './pair.ts'
import type { StorageSettings } from './settings.ts'
import type { Entry, KeyPiece } from './tables/block.ts'
import { readLog, writesOf } from './tables/logs.ts'
import { mendLogs } from './tables/mend.ts'
import { Table } from './tables/table.ts'

/** Bytes of keys and values written together. */
const AT_ONCE = 1 << 20
/** Damaged pieces of a table in which a single wrong bit is looked for, each for seconds. */
const MOST_MENDED = 16

/** Told what was found and done, a line each. */
export type Tell = (line: string) => void

interface FoundEntry extends Entry {
  /** Whether its checksum fits. */
  readonly isSure: boolean
}

interface Loss {
  /** Whether more than is named here may be lost. */
  isAny: boolean
  readonly tell: Tell
}

/** Ends a salvage that was killed when the new database was complete. */
export async function finishSalvage(repo: string): Promise<void> {
  const names = await namesIn(repo)
  if (!names.includes('db') && names.includes('db.salvaged')) await swap(repo)
}

/**
 * The old database stays beside the new one, under a name that is told. Call where no node works on the repo.
 *
 * @throws what keeps the new one from being written; the old one is untouched then
 */
export async function salvage(repo: string, options: StorageSettings, tell: Tell): Promise<void> {
  await finishSalvage(repo)
  const made = `${repo}/db.salvaging`
  await rm(made, { recursive: true, force: true })
  await rm(`${repo}/db.salvaged`, { recursive: true, force: true })
  const segments = new Segments(`${repo}/segments`, options.segmentSize)
  const engine = new Engine(made, options)
  await segments.open()
  await engine.open()
  try {
    const loss: Loss = { isAny: false, tell }
    const keys = await copy(`${repo}/db`, engine, segments, loss)
    tell(`${keys} keys were copied`)
    if (keys === 0)
      tell('the database had nothing that can be read: pins, names and the mutable tree are lost, but for what the journal has')
    await pairAnew(repo, engine, segments.root, loss)
    if (loss.isAny) await findBlocks(engine, segments, tell)
    // The next start looks for blocks in files of their own.
    if (loss.isAny) await engine.write([{ family: 'state', key: Buffer.from('format'), value: undefined }])
    await keepJournal(`${repo}/journal`, engine)
    await engine.sync()
  } catch (error) {
    await engine.close().catch(() => {})
    await rm(made, { recursive: true, force: true })
    throw error
  } finally {
    await segments.close()
  }
  await engine.close()
  await syncFolder(made)
  await rename(made, `${repo}/db.salvaged`)
  await syncFolder(repo)
  const kept = await swap(repo)
  tell(
    kept === undefined
      ? `the new database is in ${repo}/db`
      : `the new database is in ${repo}/db, the old one in ${kept}: remove it when nothing is missed`
  )
}

/** @returns where the old one is */
async function swap(repo: string): Promise<string | undefined> {
  const kept = `${repo}/db.before-${new Date().toISOString().replaceAll(/[-:]|\.\d+/g, '')}`
  const isThere = await rename(`${repo}/db`, kept).then(
    () => true,
    error => {
      if (hasCode(error, 'ENOENT')) return false
      throw error
    }
  )
  await rename(`${repo}/db.salvaged`, `${repo}/db`)
  await syncFolder(repo)
  return isThere ? kept : undefined
}

/** Copies the last write of each key. @returns how many keys there are */
async function copy(folder: string, engine: Engine, segments: Segments, loss: Loss): Promise<number> {
  await mendLogs(folder).catch(error => {
    if (!hasCode(error, 'E_STORAGE_MANIFEST')) throw error
    loss.tell(error.message)
  })
  const names = await namesIn(folder)
  const tables = names.filter(name => name.endsWith('.sst'))
  if (tables.length === 0) loss.isAny = true
  const streams = [...tables.map(name => ofTable(`${folder}/${name}`, loss)), ofLogs(folder, names, loss)]
  let keys = 0
  let writes: Write[] = []
  let bytes = 0
  const write = async () => {
    if (writes.length > 0) await engine.write(writes)
    writes = []
    bytes = 0
  }
  for await (const versions of byKey(streams)) {
    const { key } = versions[0]!
    const family = familyOf(key)
    const entry = await newest(versions, family, segments, loss)
    if (entry?.value === undefined) continue
    keys++
    writes.push({ family, key, value: entry.value })
    bytes += key.length + entry.value.length
    if (bytes >= AT_ONCE) await write()
  }
  await write()
  return keys
}

/** The last write of a key that is believed. */
async function newest(versions: readonly FoundEntry[], family: Family, segments: Segments, loss: Loss): Promise<FoundEntry | undefined> {
  for (const entry of versions) {
    if (entry.isSure) return entry
    if (family !== 'blocks') {
      loss.tell(`not sure: ${inWords(entry.key, family)} lies in a damaged part of a table`)
      return entry
    }
    if (entry.value !== undefined && (await isOf(entry.key, entry.value, segments))) return entry
  }
  loss.tell(`lost: ${inWords(versions[0]!.key, family)}`)
  loss.isAny = true
  return undefined
}

async function isOf(multihash: Uint8Array, value: Uint8Array, segments: Segments): Promise<boolean> {
  try {
    const found = decodeValue(value)
    if (found.kind === 'inline') return isIntact(multihash, found.bytes)
    return found.kind === 'file' || (await segments.holds(multihash, found))
  } catch {
    return false
  }
}

async function* ofTable(path: string, loss: Loss): AsyncGenerator<FoundEntry> {
  const table = await Table.open(path, true)
  try {
    if (table.pieces === undefined) loss.tell(`${path}: its index is lost, so it is read from its beginning, as far as that goes`)
    let before: Buffer | undefined
    let damaged = 0
    for await (const piece of table.pieces ?? table.walk()) {
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

async function* ofLogs(folder: string, names: readonly string[], loss: Loss): AsyncGenerator<FoundEntry> {
  const found: FoundEntry[] = []
  for (const name of names.filter(one => /^\d+\.log$/.test(one))) {
    const { records, broken, behind } = readLog(await readFile(`${folder}/${name}`))
    if (broken !== undefined && behind > 0) {
      loss.isAny = true
      loss.tell(`${folder}/${name} is damaged at ${broken}: what is behind that is taken over`)
    }
    for (const record of records) for (const entry of writesOf(record)) found.push({ ...entry, isSure: true })
  }
  yield* found.sort(inOrder)
}

/** By key, the last write first. */
function inOrder(one: Entry, other: Entry): number {
  return Buffer.compare(one.key, other.key) || other.number - one.number
}

/** The entries of several streams that are in order, key by key. */
async function* byKey(streams: ReadonlyArray<AsyncGenerator<FoundEntry>>): AsyncGenerator<FoundEntry[]> {
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

/** Has the folders of blocks name the new database. */
async function pairAnew(repo: string, engine: Engine, segments: string, loss: Loss): Promise<void> {
  const id = await readId(segments)
  if (!(await tie(engine, [segments, `${repo}/blocks`], id))) loss.isAny = true
}

/** Blocks of segments that no key names rightly get theirs: among them some that were removed, which the next collection removes again. */
async function findBlocks(engine: Engine, segments: Segments, tell: Tell): Promise<void> {
  let found = 0
  for (const segment of segments.all()) {
    const bytes = await readFile(segments.pathOf(segment))
    for (const { multihash, place } of recordsAnywhere(segment, bytes)) {
      const value = await engine.get('blocks', multihash)
      if (value !== undefined && (await isOf(multihash, value, segments))) continue
      await engine.write([{ family: 'blocks', key: multihash, value: segmentValue(place) }])
      found++
    }
  }
  if (found > 0) tell(`${found} blocks were found in segments`)
}

/** Has the next start replay the journal from its beginning, where nothing says how much of it the database had. */
async function keepJournal(folder: string, engine: Engine): Promise<void> {
  if ((await engine.get('state', MARKER_KEY)) !== undefined) return
  const numbers = (await namesIn(folder)).map(numberOf).filter(number => number !== undefined)
  if (numbers.length === 0) return
  const bytes = await readFile(pathOf(folder, Math.min(...numbers)))
  const number = bytes.length < HEADER ? 0 : bytes.readUIntBE(BEFORE_AT, 6)
  await engine.write([{ family: 'state', key: MARKER_KEY, value: markerOf({ number, first: 0 }) }])
}

function inWords(key: Buffer, family: Family): string {
  if (family === 'blocks') return `block ${rawCidToString(new Uint8Array(key))}`
  return `the key ${key.toString('latin1')}`
}

/** What looks like records in the bytes of a segment, also behind what is damaged. */
function* recordsAnywhere(segment: number, bytes: Buffer): Generator<SegmentRecord> {
  const magic = Buffer.alloc(4)
  magic.writeUInt32BE(MAGIC)
  for (let at = bytes.indexOf(magic); at >= 0; ) {
    const isHead = at + RECORD_HEADER <= bytes.length
    const [keyLength, size] = isHead ? [bytes.readUInt32BE(at + 4), bytes.readUInt32BE(at + 8)] : [0, 0]
    const offset = at + RECORD_HEADER + keyLength
    const isThere = isHead && keyLength > 0 && offset + size <= bytes.length
    const record = { multihash: new Uint8Array(bytes.subarray(at + RECORD_HEADER, offset)), place: { segment, offset, size } }
    const isWhole = isThere && isWholeRecord(record.multihash, record.place, bytes)
    if (isWhole) yield record
    at = bytes.indexOf(magic, isWhole ? offset + size : at + 1)
  }
}

/** Whether the bytes at a place are those of the block. */
function isWholeRecord(multihash: Uint8Array, { offset, size }: Place, bytes: Buffer): boolean {
  try {
    return (
      decodeMultihash(multihash).bytes.byteLength === multihash.byteLength && isIntact(multihash, bytes.subarray(offset, offset + size))
    )
  } catch {
    return false
  }
}
