import { stat } from 'node:fs/promises'
import { join } from 'node:path'
import { setImmediate } from 'node:timers/promises'
import test, { type ExecutionContext } from 'ava'
import { checkBlocks } from '../../../../plugins/repo/check.ts'
import { decodeValue } from '../../../../plugins/storage-rocksdb/blocks/values.ts'
import { temporaryFolder } from '../../../helpers/folder.ts'
import { openRocks, segmentsOf } from '../backends.ts'
import { flip } from '../damage/repo.ts'
import { samples } from '../samples.ts'
import { placeOf } from './segments.ts'

/** Some segments of which two blocks in three were removed, all of it on the disk. */
async function mostlyRemoved(t: ExecutionContext) {
  const repo = await temporaryFolder(t)
  const opened = await openRocks(repo, { segmentSize: 64 * 1024 })
  const all = samples(9, 30_000)
  for (const { multihash, bytes } of all) await opened.blocks.putBytes(multihash, bytes)
  await opened.blocks.sync()
  await opened.blocks.deleteAll(all.filter((_, i) => i % 3 !== 0).map(({ multihash }) => multihash))
  return { repo, ...opened, left: all.filter((_, i) => i % 3 === 0) }
}

test('no segment goes before what was moved out of it is on the disk, even by a collection that was broken off', async t => {
  const { storage, blocks, left } = await mostlyRemoved(t)
  // Broken off when a first segment has been moved out, and nothing of it synced.
  const leave = new AbortController()
  const { sync, moveToSegment } = storage
  storage.moveToSegment = async (multihash, bytes) => {
    await moveToSegment.call(storage, multihash, bytes)
    storage.sync = async () => leave.signal.throwIfAborted()
    leave.abort(new Error('left'))
  }
  await t.throwsAsync(blocks.tidy({ signal: leave.signal }), { message: 'left' })
  t.true(storage.unsynced.size > 0)
  Object.assign(storage, { sync, moveToSegment })

  const removed: number[] = []
  const { remove } = storage.segments
  storage.segments.remove = async number => {
    removed.push(number)
    t.is(storage.unsynced.size, 0, 'all that lies elsewhere is on the disk')
    await remove.call(storage.segments, number)
  }
  await blocks.tidy()
  t.true(removed.length > 0)
  for (const { multihash, bytes } of left) t.deepEqual(await blocks.getBytes(multihash), bytes)
  await storage.close()
})

test('the key of a block that moves changes only when its bytes are on the disk at the new place', async t => {
  const { repo, storage, blocks } = await mostlyRemoved(t)

  const onDisk = new Map<number, number>()
  const { sync } = storage.segments
  storage.segments.sync = async () => {
    const before = await Promise.all(
      (await segmentsOf(repo)).map(async name => [Number.parseInt(name, 10), (await stat(join(repo, 'segments', name))).size] as const)
    )
    await sync.call(storage.segments)
    for (const [segment, size] of before) onDisk.set(segment, size)
  }
  let moved = 0
  const { write } = storage.database
  storage.database.write = async writes => {
    for (const { family, value } of writes) {
      const place = family === 'blocks' && value !== undefined ? decodeValue(value) : undefined
      if (place?.kind !== 'segment') continue
      moved++
      t.true((onDisk.get(place.segment) ?? 0) >= place.offset + place.size, `${place.segment} at ${place.offset}`)
    }
    await write.call(storage.database, writes)
  }
  await blocks.tidy()
  t.true(moved > 0)
  await storage.close()
})

test.serial('a block that cannot be moved fails the collection, and nothing else', async t => {
  const { storage, blocks, left } = await mostlyRemoved(t)
  const uncaught: unknown[] = []
  const catches = (reason: unknown) => void uncaught.push(reason)
  process.on('unhandledRejection', catches)
  t.teardown(() => process.off('unhandledRejection', catches))
  const refused = Promise.withResolvers<void>()
  storage.moveToSegment = async () => {
    refused.resolve()
    throw new Error('ENOSPC')
  }
  const { records } = storage.segments
  storage.segments.records = async function* (segment) {
    for await (const record of records.call(storage.segments, segment)) {
      yield record
      await refused.promise
      // What was rejected, and nobody waits for by then, is a defect to the process.
      await setImmediate()
    }
  }
  await t.throwsAsync(blocks.tidy(), { message: 'ENOSPC' })
  t.deepEqual(uncaught, [])
  for (const { multihash, bytes } of left) t.deepEqual(await blocks.getBytes(multihash), bytes)
  await storage.close()
})

/** Where the parts of a record's head lie, before the first byte of a block with a multihash of 34 bytes. */
const HEAD = { magic: 46, 'length of the multihash': 39, 'size of the block': 35, multihash: 3 }

for (const [part, before] of Object.entries(HEAD)) {
  test(`a block whose record has a damaged head is named by a verify and moved whole: ${part}`, async t => {
    const opened = await mostlyRemoved(t)
    const { repo, storage, blocks, left } = opened
    const { segment, offset } = await placeOf(opened, left[0]!.multihash)
    await flip(join(repo, 'segments', `${String(segment).padStart(8, '0')}.blocks`), offset - before)
    const found = []
    for await (const fault of checkBlocks(blocks, new AbortController().signal)) if (fault !== undefined) found.push(fault)
    t.deepEqual(
      found.map(({ multihash }) => Buffer.from(multihash)),
      [Buffer.from(left[0]!.multihash)]
    )
    t.regex(found[0]!.says, /is whole, but .*segments\/\d+\.blocks before byte \d+/)
    await blocks.tidy()
    t.false((await segmentsOf(repo)).includes(`${String(segment).padStart(8, '0')}.blocks`))
    for (const { multihash, bytes } of left) t.deepEqual(await blocks.getBytes(multihash), bytes)
    for await (const fault of checkBlocks(blocks, new AbortController().signal)) t.is(fault, undefined)
    await storage.close()
  })
}

test('a read that returns another bit during a collection alone costs nothing', async t => {
  for (const times of [1, Number.POSITIVE_INFINITY]) {
    const { storage, blocks, left } = await mostlyRemoved(t)
    let damaged = 0
    const { read } = storage.segments
    storage.segments.read = async (place, transient) => {
      const bytes = await read.call(storage.segments, place, transient)
      if (damaged++ < times) bytes![100]! ^= 1
      return bytes
    }
    await blocks.tidy()
    t.true(damaged > 0)
    storage.segments.read = read
    for (const { multihash, bytes } of left) t.deepEqual(await blocks.getBytes(multihash), bytes)
    await storage.close()
  }
})

test('a segment stays as long as a block in it is damaged, and goes once that was added again', async t => {
  const opened = await mostlyRemoved(t)
  const { repo, storage, blocks, left } = opened
  const { segment, offset } = await placeOf(opened, left[0]!.multihash)
  const name = `${String(segment).padStart(8, '0')}.blocks`
  await flip(join(repo, 'segments', name), offset + 5)
  await blocks.tidy()
  t.true((await segmentsOf(repo)).includes(name))
  for (const { multihash, bytes } of left.slice(1)) t.deepEqual(await blocks.getBytes(multihash), bytes)
  await blocks.putBytes(left[0]!.multihash, left[0]!.bytes)
  await blocks.tidy()
  t.false((await segmentsOf(repo)).includes(name))
  for (const { multihash, bytes } of left) t.deepEqual(await blocks.getBytes(multihash), bytes)
  await storage.close()
})
