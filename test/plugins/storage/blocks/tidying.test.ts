import { readFile, stat, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { setImmediate } from 'node:timers/promises'
import test from 'ava'
import { Segments } from '../../../../plugins/storage-rocksdb/blocks/segments.ts'
import { temporaryFolder } from '../../../helpers/folder.ts'
import { openRocks, segmentsOf } from '../backends.ts'
import { samples } from '../samples.ts'
import { large, placeOf, settings } from './segments.ts'

test('tidying up gives back the room of removed blocks and keeps all others', async t => {
  const repo = await temporaryFolder(t)
  const opened = await openRocks(repo, settings)
  const { storage, blocks } = opened
  const all = samples(30, 30_000)
  for (const { multihash, bytes } of all) await blocks.putBytes(multihash, bytes)
  const before = await segmentsOf(repo)
  await blocks.tidy()
  t.deepEqual(await segmentsOf(repo), before, 'nothing was removed')
  const [gone, kept] = [all.filter((_, i) => i % 3 !== 0), all.filter((_, i) => i % 3 === 0)]
  t.is((await blocks.deleteAll(gone.map(({ multihash }) => multihash))).filter(size => size !== undefined).length, gone.length)
  await blocks.tidy()
  const names = await segmentsOf(repo)
  const sizes = await Promise.all(names.map(async name => (await stat(join(repo, 'segments', name))).size))
  const left = sizes.reduce((sum, size) => sum + size, 0)
  t.true(left < 30_000 * kept.length + 3 * 31_000, `${left} bytes for ${kept.length} blocks`)
  for (const { multihash, bytes } of kept) t.deepEqual(await blocks.getBytes(multihash), bytes)
  for (const { multihash } of gone) t.false(await blocks.hasMultihash(multihash))
  await storage.close()
  const again = await openRocks(repo, settings)
  for (const { multihash, bytes } of kept) t.deepEqual(await again.blocks.getBytes(multihash), bytes)
  await again.storage.close()
})

test('blocks behind a torn one are kept when room is given back', async t => {
  const repo = await temporaryFolder(t)
  const opened = await openRocks(repo, settings)
  const { storage, blocks } = opened
  const all = samples(6, 9000)
  for (const { multihash, bytes } of [...all, ...samples(9, 30_000).slice(6)]) await blocks.putBytes(multihash, bytes)
  const [torn, last] = [all[1]!, all[5]!]
  const place = await placeOf(opened, torn.multihash)
  t.is((await placeOf(opened, last.multihash)).segment, place.segment)
  const file = join(repo, 'segments', '00000001.blocks')
  const bytes = await readFile(file)
  await writeFile(file, bytes.fill(0, place.offset - 46, place.offset + 8000))
  await blocks.deleteAll(all.slice(0, 5).map(({ multihash }) => multihash))
  await blocks.tidy()
  t.false((await segmentsOf(repo)).includes('00000001.blocks'))
  t.deepEqual(await blocks.getBytes(last.multihash), last.bytes)
  await storage.close()
})

test('a sync leaves the mark of a block that was written elsewhere meanwhile', async t => {
  const repo = await temporaryFolder(t)
  const { storage, blocks } = await openRocks(repo, settings)
  const { unsynced } = storage
  await blocks.putBytes(large.multihash, large.bytes)
  const synced = await unsynced.sync()
  t.is(synced.length, 1)
  await storage.writeToSegment(large.multihash, large.bytes)
  t.deepEqual(unsynced.unmarksOf(synced), [])
  t.is(unsynced.unmarksOf(await unsynced.sync()).length, 1)
  await storage.close()
})

test('at no moment does the segment that the next run goes on with look like one that may be taken away', async t => {
  const root = join(await temporaryFolder(t), 'segments')
  const first = new Segments(root, 1 << 20)
  await first.open()
  for (const { multihash, bytes } of samples(50, 1000)) await first.append(multihash, bytes, async () => {})
  await first.close()
  const second = new Segments(root, 1 << 20)
  await second.open()
  let isDone = false
  const append = second
    .append(large.multihash, large.bytes, async place => void t.is(place.segment, 1))
    .finally(() => {
      isDone = true
    })
  for (; !isDone; await setImmediate()) t.deepEqual(second.sealed(), [])
  await append
  t.deepEqual(second.sealed(), [])
  await second.close()
})

test('blocks can be put, read and removed while room is given back', async t => {
  const repo = await temporaryFolder(t)
  const { storage, blocks } = await openRocks(repo, settings)
  const all = samples(60, 20_000)
  await blocks.putAll(all)
  for (let round = 0; round < 4; round++) {
    const [removed, stays] = [all.filter((_, i) => i % 4 !== round), all.filter((_, i) => i % 4 === round)]
    await blocks.deleteAll(removed.map(({ multihash }) => multihash))
    let isOver = false
    const reading = (async () => {
      while (!isOver) for (const { multihash, bytes } of stays) t.deepEqual(await blocks.getBytes(multihash), bytes)
    })()
    const putting = blocks.putAll(removed)
    await Promise.all([blocks.tidy(), blocks.tidy(), putting])
    isOver = true
    await reading
    t.deepEqual(
      await Promise.all(await blocks.readAll(all.map(({ multihash }) => multihash))),
      all.map(({ bytes }) => bytes)
    )
  }
  t.deepEqual(await blocks.totals(), { blocks: 60, bytes: 1_200_000 })
  await storage.close()
})
