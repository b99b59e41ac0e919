/** What the store promises while the disk takes its time, or fails, in the middle of something else. */
import fs from 'node:fs'
import { stat } from 'node:fs/promises'
import { syncBuiltinESMExports } from 'node:module'
import { join } from 'node:path'
import { setImmediate } from 'node:timers/promises'
import test, { type ExecutionContext } from 'ava'
import type { Place } from '../../../../plugins/storage-rocksdb/blocks/values.ts'
import { temporaryFolder } from '../../../helpers/folder.ts'
import { all } from '../../../helpers/streams.ts'
import { until } from '../../../helpers/until.ts'
import { holdUp, intercept, OpenFiles, openRocks, Segments, segmentsOf } from '../disk.ts'
import { sample } from '../samples.ts'

const SEGMENT = /segments\/\d+\.blocks$/
const [one, two, three] = [sample(1, 9000), sample(2, 9000), sample(3, 9000)]
const nothing = async () => {}

/** Long enough for whatever waits for nothing but other promises. */
async function turns(): Promise<void> {
  for (let i = 0; i < 50; i++) await setImmediate()
}

async function openSegments(t: ExecutionContext, limit = 1 << 20) {
  const root = join(await temporaryFolder(t), 'segments')
  const segments = new Segments(root, limit)
  await segments.open()
  return { root, segments }
}

test.serial('who asks for durability while compaction syncs the segment is answered after that sync', async t => {
  const { storage, blocks } = await openRocks(await temporaryFolder(t))
  // The name of the segment is on the disk, so that nothing but its bytes is missing.
  await blocks.putBytes(three.multihash, three.bytes)
  await blocks.sync()
  await blocks.putBytes(one.multihash, one.bytes)
  const order = new Set<string>()
  const { sync } = storage.database
  storage.database.sync = () => {
    order.add('log')
    return sync.call(storage.database)
  }
  const [entered, gate] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()]
  const stop = intercept('fdatasync', async (path, call) => {
    if (!SEGMENT.test(path)) return call()
    entered.resolve()
    await gate.promise
    await call()
    order.add('segment')
  })
  const moving = storage.moveToSegment(two.multihash, two.bytes)
  await entered.promise
  const synced = blocks.sync().then(() => order.add('acknowledged'))
  await turns()
  t.deepEqual([...order], [], 'nothing while the segment is on its way')
  gate.resolve()
  await Promise.all([moving, synced])
  stop()
  t.deepEqual([...order], ['segment', 'log', 'acknowledged'])
  await storage.close()
})

test.serial('a sync of compaction that fails is reported to those who asked for durability meanwhile', async t => {
  const { storage, blocks } = await openRocks(await temporaryFolder(t))
  // The name of the segment is on the disk, so that nothing but its bytes is missing.
  await blocks.putBytes(three.multihash, three.bytes)
  await blocks.sync()
  await blocks.putBytes(one.multihash, one.bytes)
  const held = holdUp('fdatasync', SEGMENT)
  const moving = storage.moveToSegment(two.multihash, two.bytes)
  await held.entered
  const synced = blocks.sync()
  await turns()
  held.fail(new Error('the disk lost it'))
  await t.throwsAsync(moving, { message: /the disk lost it/ })
  await t.throwsAsync(synced, { code: 'E_STORAGE_SYNC', message: /the disk lost it/ })
  t.is(storage.unsynced.size, 1, 'the mark stays')
  await blocks.sync()
  await storage.close()
})

/** Has compaction's sync of a segment fail, which the disk reports once. */
async function failMove(t: ExecutionContext, { storage }: Awaited<ReturnType<typeof openRocks>>) {
  const stop = intercept('fdatasync', (path, call) => (SEGMENT.test(path) ? Promise.reject(new Error('the disk lost it')) : call()))
  await t.throwsAsync(storage.moveToSegment(two.multihash, two.bytes), { message: /the disk lost it/ })
  stop()
}

test.serial('a sync of compaction that fails while nobody waits is reported to whoever asks for durability next, once', async t => {
  const opened = await openRocks(await temporaryFolder(t))
  const { storage, blocks } = opened
  await blocks.putBytes(one.multihash, one.bytes)
  await failMove(t, opened)
  await t.throwsAsync(blocks.sync(), { code: 'E_STORAGE_SYNC', message: /the disk lost it/ })
  await blocks.sync()
  await storage.close()
})

test.serial('a sync of compaction that fails is reported to those who wait for another to end', async t => {
  const opened = await openRocks(await temporaryFolder(t))
  const { storage, blocks } = opened
  await blocks.putBytes(three.multihash, three.bytes)
  const log = Promise.withResolvers<void>()
  const entered = Promise.withResolvers<void>()
  const { sync } = storage.database
  storage.database.sync = async () => {
    entered.resolve()
    await log.promise
    await sync.call(storage.database)
  }
  const first = t.throwsAsync(blocks.sync(), { code: 'E_STORAGE_SYNC' })
  await entered.promise
  await blocks.putBytes(one.multihash, one.bytes)
  const second = t.throwsAsync(blocks.sync(), { code: 'E_STORAGE_SYNC', message: /the disk lost it/ })
  await failMove(t, opened)
  log.resolve()
  await Promise.all([first, second])
  await blocks.sync()
  await storage.close()
})

test.serial('a size that comes late does not undo what was appended meanwhile', async t => {
  const { root, segments: first } = await openSegments(t)
  await first.append(one.multihash, one.bytes, nothing)
  await first.close()
  const segments = new Segments(root, 1 << 20)
  await segments.open()
  let isFirst = true
  const gate = Promise.withResolvers<void>()
  const stop = intercept('stat', async (path, call) => {
    if (!isFirst || !SEGMENT.test(path)) return call()
    isFirst = false
    const size = await call()
    await gate.promise
    return size
  })
  const asked = segments.sizeOf(1)
  await segments.append(two.multihash, two.bytes, nothing)
  stop()
  gate.resolve()
  t.is(await asked, (await stat(join(root, '00000001.blocks'))).size)
  await segments.append(three.multihash, three.bytes, nothing)
  const found = await all(segments.records(1))
  t.deepEqual(
    found.map(({ multihash }) => multihash),
    [one, two, three].map(({ multihash }) => multihash)
  )
  await segments.close()
})

test.serial('a size that comes late does not bring back a segment that was removed', async t => {
  const { root, segments: first } = await openSegments(t, 1)
  await first.append(one.multihash, one.bytes, nothing)
  await first.append(two.multihash, two.bytes, nothing)
  await first.close()
  const segments = new Segments(root, 1)
  await segments.open()
  const held = holdUp('stat', SEGMENT)
  const asked = segments.sizeOf(1)
  await held.entered
  await segments.remove(1)
  held.release()
  t.is(await asked, 0)
  segments.beginAnew()
  t.deepEqual(segments.sealed(), [2])
  await segments.close()
})

test.serial('a segment that could not be opened once is opened when it is asked for again', async t => {
  const { root, segments: first } = await openSegments(t)
  const places: Place[] = []
  await first.append(one.multihash, one.bytes, async at => void places.push(at))
  const place = places[0]!
  await first.close()
  const segments = new Segments(root, 1 << 20)
  await segments.open()
  const stop = intercept('open', (path, call) =>
    SEGMENT.test(path) ? Promise.reject(Object.assign(new Error('EMFILE: too many open files'), { code: 'EMFILE' })) : call()
  )
  const tries = await Promise.allSettled([segments.read(place), segments.read(place)])
  stop()
  for (const each of tries) t.is(each.status, 'rejected')
  t.deepEqual(await segments.read(place), one.bytes)
  await segments.close()
})

test.serial('a block that is put into a closed store is refused and leaves nothing in the way of the next store', async t => {
  const repo = await temporaryFolder(t)
  const { storage, blocks } = await openRocks(repo)
  await blocks.putBytes(one.multihash, one.bytes)
  await storage.close()
  const again = await openRocks(repo)
  await t.throwsAsync(blocks.putBytes(two.multihash, two.bytes), { code: 'E_STORAGE_NOT_OPEN' })
  await t.throwsAsync(storage.segments.append(two.multihash, two.bytes, nothing), { code: 'E_STORAGE_NOT_OPEN' })
  t.deepEqual(await segmentsOf(repo), ['00000001.blocks'])
  await again.blocks.putBytes(three.multihash, three.bytes)
  t.deepEqual(await again.blocks.getBytes(three.multihash), three.bytes)
  await again.storage.close()
})

test.serial('what is being appended when the store closes is appended to its end, and no file stays open', async t => {
  const { root, segments } = await openSegments(t)
  const held = holdUp('open', SEGMENT)
  const append = segments.append(one.multihash, one.bytes, nothing)
  await held.entered
  let isClosed = false
  const closed = segments.close().then(() => {
    isClosed = true
  })
  await turns()
  t.false(isClosed)
  held.release()
  await Promise.all([append, closed])
  const again = new Segments(root, 1 << 20)
  await again.open()
  t.is((await all(again.records(1))).length, 1)
  await again.close()
})

test.serial('a segment that somebody else made is left alone, and the next number is taken', async t => {
  const { root, segments } = await openSegments(t)
  const other = new Segments(root, 1 << 20)
  await other.open()
  await other.append(one.multihash, one.bytes, nothing)
  await segments.append(two.multihash, two.bytes, async ({ segment }) => void t.is(segment, 2))
  await Promise.all([segments.close(), other.close()])
  t.is((await stat(join(root, '00000001.blocks'))).size, (await stat(join(root, '00000002.blocks'))).size)
})

test.serial('a folder of very many segments is opened, and the next one has the next number', async t => {
  const { root, segments } = await openSegments(t)
  const { readdir } = fs.promises
  const names = Array.from({ length: 200_000 }, (_, i) => `${String(i + 1).padStart(8, '0')}.blocks`)
  Object.assign(fs.promises, { readdir: async (path: string) => (path === root ? names : readdir(path)) })
  syncBuiltinESMExports()
  try {
    await segments.open()
  } finally {
    Object.assign(fs.promises, { readdir })
    syncBuiltinESMExports()
  }
  segments.beginAnew()
  await segments.append(one.multihash, one.bytes, async ({ segment }) => void t.is(segment, 200_001))
  t.is(segments.sealed().length, 200_000)
  await segments.close()
})

test.serial('a file that was only read may fail to close', async t => {
  const folder = await temporaryFolder(t)
  const pathOf = (number: number) => join(folder, `${number}.blocks`)
  for (const number of [1, 2]) await fs.promises.writeFile(pathOf(number), 'x')
  const opened = new OpenFiles(pathOf, 1)
  opened.open()
  const failed = Promise.withResolvers<void>()
  const stop = intercept('close', async (path, call) => {
    await call()
    if (path !== pathOf(1)) return
    failed.resolve()
    throw new Error('EIO: i/o error, close')
  })
  t.is(await opened.use(1, async () => 'one'), 'one')
  t.is(await opened.use(2, async () => 'two'), 'two', 'takes the place of the first, which is closed')
  await failed.promise
  await turns()
  stop()
  await opened.close()
})

test.serial('a store that is opened again checks what a power loss may have torn although nobody asks for it', async t => {
  const repo = await temporaryFolder(t)
  const { storage, blocks } = await openRocks(repo)
  await storage.close()
  await storage.open()
  await blocks.putBytes(one.multihash, one.bytes)
  const { sync } = storage
  storage.sync = nothing
  await storage.database.write([{ family: 'state', key: new TextEncoder().encode('boot'), value: new Uint8Array([1]) }])
  await storage.close()
  storage.sync = sync
  const place = join(repo, 'segments', (await segmentsOf(repo))[0]!)
  await fs.promises.truncate(place, 100)
  const held = holdUp('open', SEGMENT)
  await storage.open()
  let isChecked = false
  void held.entered.then(() => {
    isChecked = true
  })
  await until('the check of the torn segment', () => isChecked)
  held.release()
  t.true(isChecked)
  await storage.close()
})
