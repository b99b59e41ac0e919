import { appendFile, readdir, readFile, rename, stat, truncate, unlink, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { setImmediate } from 'node:timers/promises'
import test from 'ava'
import { Key } from 'interface-datastore'
import { temporaryFolder } from '../../../helpers/folder.ts'
import { all } from '../../../helpers/streams.ts'
import { openRocks, segmentsOf } from '../backends.ts'
import { sample, samples } from '../samples.ts'
import { KIB, large, losePower, placeOf, settings } from './segments.ts'

test('many blocks share a file, and the next begins when it is large enough', async t => {
  const repo = await temporaryFolder(t)
  const { storage, blocks } = await openRocks(repo, settings)
  await blocks.putAll(samples(10, 30_000))
  for (const { multihash, bytes } of samples(10, 30_000)) await blocks.putBytes(multihash, bytes)
  t.true((await segmentsOf(repo)).length < 10)
  for (let i = 10; i < 20; i++) await blocks.putBytes(sample(i, 30_000).multihash, sample(i, 30_000).bytes)
  const names = await segmentsOf(repo)
  t.true(names.length >= 4)
  for (const name of names) t.true((await stat(join(repo, 'segments', name))).size < 64 * KIB + 10 * 31_000, name)
  t.deepEqual((await readdir(join(repo, 'blocks'))).sort(), ['.database', 'SHARDING'])
  for (const { multihash, bytes } of samples(20, 30_000)) t.deepEqual(await blocks.getBytes(multihash), bytes)
  await storage.close()
})

test('the next run goes on with the last segment, and reads all of them', async t => {
  const repo = await temporaryFolder(t)
  for (let run = 0; run < 3; run++) {
    const { storage, blocks } = await openRocks(repo)
    for (const { multihash, bytes } of samples(run, 9000)) t.deepEqual(await blocks.getBytes(multihash), bytes)
    await blocks.putBytes(sample(run, 9000).multihash, sample(run, 9000).bytes)
    await storage.close()
  }
  t.deepEqual(await segmentsOf(repo), ['00000001.blocks'])
})

test('what a killed process left half-written is not appended to', async t => {
  const repo = await temporaryFolder(t)
  const first = await openRocks(repo)
  await first.blocks.putBytes(large.multihash, large.bytes)
  await first.storage.close()
  for (const [i, left] of ['HFB1', 'HFB1\0\0\0\x22\0\x01\0\0 and less than that', 'x'].entries()) {
    await appendFile(join(repo, 'segments', (await segmentsOf(repo)).at(-1)!), left)
    const { storage, blocks } = await openRocks(repo)
    const next = sample(10 + i, 9000)
    await blocks.putBytes(next.multihash, next.bytes)
    t.deepEqual(await blocks.getBytes(next.multihash), next.bytes)
    t.deepEqual(await blocks.getBytes(large.multihash), large.bytes)
    await storage.close()
  }
  t.is((await segmentsOf(repo)).length, 4)
})

test('a block is in one place however often it is put, and elsewhere when it was lost', async t => {
  const repo = await temporaryFolder(t)
  const opened = await openRocks(repo)
  const { storage, blocks } = opened
  await Promise.all(Array.from({ length: 5 }, () => blocks.putBytes(large.multihash, large.bytes)))
  const place = await placeOf(opened, large.multihash)
  const file = join(repo, 'segments', '00000001.blocks')
  t.true((await stat(file)).size < 9100)
  await storage.close()
  await truncate(file, place.offset + 100)
  const again = await openRocks(repo)
  t.is((await again.blocks.getBytes(large.multihash))?.byteLength, 100, 'as much as is there')
  await again.blocks.putBytes(large.multihash, large.bytes)
  t.deepEqual(await again.blocks.getBytes(large.multihash), large.bytes)
  await again.storage.close()
  for (const name of await segmentsOf(repo)) await unlink(join(repo, 'segments', name))
  const third = await openRocks(repo)
  t.is(await third.blocks.getBytes(large.multihash), undefined)
  await third.blocks.putBytes(large.multihash, large.bytes)
  t.deepEqual(await third.blocks.getBytes(large.multihash), large.bytes)
  await third.storage.close()
})

test('a power loss takes only what was not synced and did not reach the disk', async t => {
  const repo = await temporaryFolder(t)
  const first = await openRocks(repo, settings)
  const synced = sample(1, 30_000)
  await first.blocks.putBytes(synced.multihash, synced.bytes)
  await first.blocks.sync()
  t.is(first.storage.unsynced.size, 0)
  const [whole, zeroed, cutOff] = [sample(2, 9000), sample(3, 9000), sample(4, 9000)]
  for (const { multihash, bytes } of [whole, zeroed, cutOff]) await first.blocks.putBytes(multihash, bytes)
  const [middle, last] = [await placeOf(first, zeroed.multihash), await placeOf(first, cutOff.multihash)]
  await losePower(first)
  const file = join(repo, 'segments', '00000001.blocks')
  const bytes = await readFile(file)
  bytes.fill(0, middle.offset - 46, middle.offset + 8000)
  await writeFile(file, bytes.subarray(0, last.offset + 10))

  const second = await openRocks(repo, settings)
  const later = sample(5, 9000)
  await second.blocks.putBytes(later.multihash, later.bytes)
  t.deepEqual(await second.blocks.getBytes(synced.multihash), synced.bytes)
  t.deepEqual(await second.blocks.getBytes(whole.multihash), whole.bytes)
  t.is(await second.blocks.getBytes(zeroed.multihash), undefined)
  t.false(await second.blocks.hasMultihash(cutOff.multihash))
  t.deepEqual(await second.blocks.getBytes(later.multihash), later.bytes)
  t.is((await segmentsOf(repo)).length, 2, 'a segment that may have lost something is not appended to')
  await second.storage.close()
})

test('after the death of the process alone, what waits for the disk is synced with the next durability point', async t => {
  const repo = await temporaryFolder(t)
  const first = await openRocks(repo)
  await first.blocks.putBytes(large.multihash, large.bytes)
  await first.storage.database.close()
  const second = await openRocks(repo)
  t.is(second.storage.unsynced.size, 1)
  t.is(second.storage.suspects.size, 0)
  await second.blocks.sync()
  t.is(second.storage.unsynced.size, 0)
  await second.storage.close()
})

for (const folder of ['segments', 'db'])
  test(`nothing is called durable once ${folder} was moved away`, async t => {
    const repo = await temporaryFolder(t)
    const { storage, blocks, data } = await openRocks(repo, settings)
    await blocks.sync()
    await blocks.putBytes(large.multihash, large.bytes)
    await data.put(new Key('/pins/a'), large.multihash)
    await rename(join(repo, folder), join(repo, 'elsewhere'))
    await t.throwsAsync(storage.sync(), { code: 'E_STORAGE_SYNC' })
    await rename(join(repo, 'elsewhere'), join(repo, folder))
    await storage.close().catch(() => {})
    const again = await openRocks(repo, settings)
    t.deepEqual(await again.blocks.getBytes(large.multihash), large.bytes)
    t.true(await again.data.has(new Key('/pins/a')))
    await again.blocks.sync()
    await again.storage.close()
  })

test('a failed write fails for its block alone, and leaves no hole', async t => {
  const repo = await temporaryFolder(t)
  const { storage, blocks } = await openRocks(repo)
  await blocks.putBytes(large.multihash, large.bytes)
  const broken = sample(2, 9000)
  // No memory, so that the call that would write it is refused.
  const failing = blocks.putBytes(broken.multihash, { byteLength: 9000 } as Uint8Array)
  await t.throwsAsync(failing, { code: 'E_STORAGE_BLOCK' })
  t.false(await blocks.hasMultihash(broken.multihash))
  const next = sample(3, 9000)
  await blocks.putBytes(next.multihash, next.bytes)
  await storage.close()
  const again = await openRocks(repo)
  const found = await all(again.storage.segments.records(1))
  t.deepEqual(
    found.map(({ multihash }) => multihash),
    [large.multihash, next.multihash]
  )
  await again.storage.close()
})

test('blocks stay readable when the setting that says where large ones lie changes', async t => {
  const repo = await temporaryFolder(t)
  for (const largeBlocks of ['files', 'segments', 'files'] as const) {
    const { storage, blocks } = await openRocks(repo, { largeBlocks })
    const earlier = samples(3, 9000)
    await blocks.putAll(earlier)
    await blocks.tidy()
    for (const { multihash, bytes } of earlier) t.deepEqual(await blocks.getBytes(multihash), bytes)
    await blocks.deleteMultihash(sample(1, 9000).multihash)
    t.is(await blocks.getBytes(sample(1, 9000).multihash), undefined)
    await storage.close()
  }
})

test('a database of the format before segments is taken as it is', async t => {
  const repo = await temporaryFolder(t)
  const first = await openRocks(repo, { largeBlocks: 'files' })
  await first.blocks.putBytes(large.multihash, large.bytes)
  const format = { family: 'state', key: new TextEncoder().encode('format') } as const
  await first.storage.database.write([{ ...format, value: new Uint8Array([1]) }])
  await first.storage.close()
  const second = await openRocks(repo)
  t.deepEqual(await second.blocks.getBytes(large.multihash), large.bytes)
  t.deepEqual(new Uint8Array((await second.storage.database.get('state', format.key))!), new Uint8Array([3]))
  await second.storage.close()
})

test('more segments than are kept open can be read at once', async t => {
  const repo = await temporaryFolder(t)
  const { storage, blocks } = await openRocks(repo, settings)
  const all = samples(100, 70_000)
  for (const { multihash, bytes } of all) await blocks.putBytes(multihash, bytes)
  t.is((await segmentsOf(repo)).length, 100)
  const found = await Promise.all(all.map(({ multihash }) => blocks.getBytes(multihash)))
  t.deepEqual(
    found,
    all.map(({ bytes }) => bytes)
  )
  await storage.close()
})

test('a block of the size of an inner node is read from the disk once, but for whoever looks at all blocks', async t => {
  const repo = await temporaryFolder(t)
  const { storage, blocks } = await openRocks(repo)
  const [node, leaf, other] = [sample(1, 9000), sample(2, 30_000), sample(3, 30_000)]
  await blocks.putAll([node, leaf, other])
  let reads = 0
  const { read } = storage.segments
  storage.segments.read = place => {
    reads++
    return read.call(storage.segments, place)
  }
  for (let i = 0; i < 3; i++) t.deepEqual(await blocks.getBytes(node.multihash), node.bytes)
  t.is(reads, 1)
  for (const { multihash, bytes } of [leaf, leaf, other, other, leaf]) t.deepEqual(await blocks.getBytes(multihash), bytes)
  t.is(reads, 4, 'of larger ones only the last is at hand')
  for (const { bytes } of await all(blocks.listBlocks())) if (typeof bytes === 'function') await bytes()
  t.is(reads, 7)
  await blocks.deleteMultihash(node.multihash)
  t.is(await blocks.getBytes(node.multihash), undefined)
  await blocks.putBytes(node.multihash, node.bytes)
  t.deepEqual(await blocks.getBytes(node.multihash), node.bytes)
  t.is(reads, 8)
  await storage.close()
})

for (const size of [9000, 30_000]) {
  test(`what was read of a block before it was written anew is not kept (${size} bytes)`, async t => {
    const repo = await temporaryFolder(t)
    const { storage, blocks } = await openRocks(repo)
    const { multihash, bytes } = sample(1, size)
    await blocks.putBytes(multihash, bytes)
    const { read } = storage.segments
    const damaged = new Uint8Array(size)
    let goOn = () => {}
    const gate = new Promise<void>(resolve => {
      goOn = resolve
    })
    storage.segments.read = async () => {
      await gate
      return damaged
    }
    const reading = blocks.getBytes(multihash)
    await setImmediate()
    storage.segments.read = read
    await blocks.deleteMultihash(multihash)
    await blocks.putBytes(multihash, bytes)
    goOn()
    t.deepEqual(await reading, damaged)
    t.deepEqual(await blocks.getBytes(multihash), bytes)
    await storage.close()
  })
}
