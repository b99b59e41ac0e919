/** Makes a new database of all that can be read of a damaged one, without RocksDB, which gives up a whole table where its end or its index is damaged. */
import { link, mkdir, readFile, rename, rm } from 'node:fs/promises'
import { basename } from 'node:path'
import { decodeMultihash } from '../../core/cid/multihash.ts'
import { hasCode } from '../../core/errors.ts'
import { UNSURE_PINS } from '../../core/index.ts'
import { MAGIC, HEADER as RECORD_HEADER, type SegmentRecord } from './blocks/segment-record.ts'
import { Segments } from './blocks/segments.ts'
import { decodeValue, type Place, segmentValue } from './blocks/values.ts'
import { Engine } from './database/engine.ts'
import { type Family, families, familyOf, type Write } from './database/writes.ts'
import { isIntact } from './durability/suspects.ts'
import { syncFolder } from './files.ts'
import { numberOf } from './journal/journal-file.ts'
import { MARKER_KEY, markerOf, readMarker } from './journal/marker.ts'
import { mendRecords, recordsOf } from './journal/replay.ts'
import { namesIn, tie } from './pair.ts'
import { byKey, type FoundEntry, inWords, type Loss, ofLogs, ofTable, type Tell, tablesOf } from './remains.ts'
import type { StorageSettings } from './settings.ts'
import { readManifest } from './tables/manifest.ts'
import { mendLogs } from './tables/mend.ts'

/** Bytes of keys and values written together. */
const AT_ONCE = 1 << 20

/** Ends a salvage that was killed when the new database was complete. */
export async function finishSalvage(repo: string): Promise<void> {
  const names = await namesIn(repo)
  if (!names.includes('db') && names.includes('db.salvaged')) await swap(repo)
}

/**
 * The old database stays beside the new one, under a name that is told. Call where no node works on the repo.
 *
 * @param progress - called as long as it goes on, which may take long
 * @throws what keeps the new one from being written; the old one is untouched then
 */
export async function salvage(repo: string, options: StorageSettings, tell: Tell, progress: () => void = () => {}): Promise<void> {
  await finishSalvage(repo)
  const made = `${repo}/db.salvaging`
  await rm(made, { recursive: true, force: true })
  await rm(`${repo}/db.salvaged`, { recursive: true, force: true })
  const segments = new Segments(`${repo}/segments`, options.segmentSize)
  const engine = new Engine(made, options)
  try {
    await segments.open()
    await mkdir(made, { mode: 0o700 })
    await shareLock(`${repo}/db`, made)
    await engine.open()
    const loss: Loss = { isAny: false, tell, progress }
    const keys = await copy(`${repo}/db`, engine, segments, loss)
    tell(`${keys} keys were copied`)
    if (keys === 0)
      tell('the database had nothing that can be read: pins, names and the mutable tree are lost, but for what the journal has')
    await pairAnew(repo, engine, segments.root, loss)
    await takeJournal(`${repo}/journal`, engine, loss)
    if (loss.isAny) await findBlocks(engine, segments, loss)
    // The next start looks for blocks in files of their own.
    if (loss.isAny) await engine.write([{ family: 'state', key: Buffer.from('format'), value: undefined }])
    if (loss.isAny) await noteUnsure(engine)
    if (loss.isAny)
      tell(
        "pins may be among what is lost: nothing is collected until they are pinned again, and 'holdfast repo salvage --complete' was run",
        true
      )
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

/** Blocks whose pins were lost are no garbage. */
async function noteUnsure(engine: Engine): Promise<void> {
  await engine.write([{ family: 'data', key: Buffer.from(UNSURE_PINS), value: Buffer.from(new Date().toISOString().slice(0, 10)) }])
}

/** Whoever works on the old database, perhaps in another container, holds its lock; nobody opens it meanwhile. */
async function shareLock(old: string, made: string): Promise<void> {
  // A file system without second names, or no database, has nothing to share.
  await link(`${old}/LOCK`, `${made}/LOCK`).catch(() => {})
}

/** Removes what a salvage that was killed left. Call where the old database is open: it is the one that counts. */
export async function forgetSalvage(repo: string): Promise<void> {
  for (const name of ['db.salvaging', 'db.salvaged']) await rm(`${repo}/${name}`, { recursive: true, force: true })
}

/** @returns where the old one is */
async function swap(repo: string): Promise<string | undefined> {
  const before = `db.before-${new Date().toISOString().replaceAll(/[-:]|\.\d+/g, '')}`
  const names = await namesIn(repo)
  let kept = `${repo}/${before}`
  for (let times = 2; names.includes(basename(kept)); times++) kept = `${repo}/${before}-${times}`
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
  const manifest = await readManifest(folder, names, families)
  const tables = await tablesOf(folder, names, manifest, loss)
  const streams = [...tables.map(name => ofTable(`${folder}/${name}`, loss)), ofLogs(folder, names, manifest, loss)]
  let keys = 0
  let writes: Write[] = []
  let bytes = 0
  const write = async () => {
    if (writes.length > 0) await engine.write(writes)
    loss.progress()
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

/** Has the folders of blocks name the new database. */
async function pairAnew(repo: string, engine: Engine, segments: string, loss: Loss): Promise<void> {
  if (!(await tie(engine, [segments, `${repo}/blocks`]))) loss.isAny = true
}

/** Blocks of segments that no key names rightly get theirs: among them some that were removed, which the next collection removes again. */
async function findBlocks(engine: Engine, segments: Segments, { tell, progress }: Loss): Promise<void> {
  let found = 0
  for (const segment of segments.all()) {
    const bytes = await readFile(segments.pathOf(segment))
    for (const { multihash, place } of recordsAnywhere(segment, bytes)) {
      progress()
      const value = await engine.get('blocks', multihash)
      if (value !== undefined && (await isOf(multihash, value, segments))) continue
      await engine.write([{ family: 'blocks', key: multihash, value: segmentValue(place) }])
      found++
    }
  }
  if (found > 0) tell(`${found} blocks were found in segments`)
}

/** Takes over what the journal has beyond the database, also behind batches that only a lost log had. The next start finds what else is damaged there. */
async function takeJournal(folder: string, engine: Engine, loss: Loss): Promise<void> {
  const { number, first } = readMarker(await engine.get('state', MARKER_KEY))
  const files = (await namesIn(folder)).map(numberOf).filter(file => file !== undefined && file >= first) as number[]
  const chain = { last: number, gaps: 0 }
  for (const file of files.sort((one, other) => one - other)) {
    await mendRecords(folder, file)
    const reading = recordsOf(folder, file, chain)
    let next = await reading.next()
    for (; next.done !== true; next = await reading.next()) {
      loss.progress()
      const marker = markerOf({ number: next.value.number, first })
      await engine.write([...next.value.writes, { family: 'state', key: MARKER_KEY, value: marker }])
    }
    if (next.value !== undefined) break
  }
  if (chain.gaps === 0) return
  loss.isAny = true
  loss.tell(`${folder} goes on behind writes that only the log of the database had: they are lost`)
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
