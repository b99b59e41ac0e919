/** Blocks that are appended to a segment from the event loop itself. */
import { readFile, stat } from 'node:fs/promises'
import { join } from 'node:path'
import test, { type ExecutionContext } from 'ava'
import { MOST_IN_LOOP, Segments } from '../../../../plugins/storage-rocksdb/blocks/segments.ts'
import type { Place } from '../../../../plugins/storage-rocksdb/blocks/values.ts'
import { Pace } from '../../../../plugins/storage-rocksdb/pace.ts'
import { temporaryFolder } from '../../../helpers/folder.ts'
import { all } from '../../../helpers/streams.ts'
import { openRocks } from '../backends.ts'
import { inLoop, slowWrites } from '../journal/interception.ts'
import { sample } from '../samples.ts'

const SIZE = 30_000

/** @param pace - a machine that is busy with something else does not change what is tested, unless this says when a write is slow */
async function open(t: ExecutionContext, pace = new Pace(60_000)) {
  const root = join(await temporaryFolder(t), 'segments')
  const segments = new Segments(root, 32 << 20, pace)
  await segments.open()
  const places = new Map<number, Place>()
  const append = (n: number, size = SIZE) => {
    const { multihash, bytes } = sample(n, size)
    return segments.append(multihash, bytes, async place => void places.set(n, place))
  }
  /** Whether what is in the file is what was appended, in its order and nothing else. */
  const isWhole = async () => {
    const records = await all(segments.records(1))
    t.is(records.length, places.size)
    const file = await readFile(join(root, '00000001.blocks'))
    for (const [n, { offset, size }] of places)
      t.deepEqual(file.subarray(offset, offset + size), Buffer.from(sample(n, size).bytes), `${n}`)
    const last = [...places.values()].at(-1)!
    t.is((await stat(join(root, '00000001.blocks'))).size, last.offset + last.size)
  }
  return { segments, append, isWhole, places }
}

test.serial('what is small enough is written by the loop, the rest by another thread', async t => {
  const { segments, append, isWhole } = await open(t)
  const written: number[] = []
  const restore = inLoop('writevSync', (call, ...args) => {
    const bytes = call(...args)
    written.push(bytes as number)
    return bytes
  })
  await append(1)
  await append(2, 256 * 1024)
  t.is(written.length, 2)
  await append(3, MOST_IN_LOOP)
  t.is(written.length, 2, 'with its head it is too much')
  await Promise.all([4, 5, 6].map(n => append(n, 256 * 1024)))
  t.is(written.length, 2, 'three at a time are')
  await Promise.all([7, 8, 9].map(n => append(n)))
  t.is(written.length, 3, 'three small ones are one write')
  restore()
  await isWhole()
  await segments.close()
})

test.serial('a write that the system takes in parts is gone on with', async t => {
  const { segments, append, isWhole } = await open(t)
  const restore = inLoop('writevSync', (call, fd, pieces, position) => {
    const [first] = pieces as Uint8Array[]
    return call(fd, [first!.subarray(0, 7_001)], position)
  })
  for (let n = 0; n < 3; n++) await append(n)
  restore()
  await isWhole()
  await segments.close()
})

for (const what of ['fails', 'is done in part and fails', 'takes nothing'] as const) {
  test.serial(`a write that ${what} leaves nothing, and the next one takes its place`, async t => {
    const { segments, append, isWhole, places } = await open(t)
    await append(1)
    const restore = inLoop('writevSync', (call, fd, pieces, position) => {
      if (what === 'takes nothing') return 0
      if (what !== 'fails')
        call(
          fd,
          (pieces as Uint8Array[]).map(piece => piece.subarray(0, 100)),
          position
        )
      throw new Error('ENOSPC: no space left on device, write')
    })
    await t.throwsAsync(append(2), { code: 'E_STORAGE_BLOCK', message: what === 'takes nothing' ? /took nothing/ : /ENOSPC/ })
    restore()
    t.false(places.has(2))
    await isWhole()
    await append(3)
    await isWhole()
    await segments.close()
  })
}

test.serial('what a failed write left that cannot be cut off is written over', async t => {
  const { segments, append, places } = await open(t)
  await append(1)
  const uncut = inLoop('ftruncateSync', () => {
    throw new Error('EIO')
  })
  const restore = inLoop('writevSync', (call, fd, pieces, position) => {
    call(fd, pieces, position)
    throw new Error('EIO')
  })
  await t.throwsAsync(append(2), { code: 'E_STORAGE_BLOCK' })
  restore()
  uncut()
  await append(3, 100)
  t.deepEqual(await segments.read(places.get(3)!), sample(3, 100).bytes)
  t.deepEqual(await segments.read(places.get(1)!), sample(1, SIZE).bytes)
  await segments.close()
})

test.serial('a disk that holds up the loop is written to by another thread for a while, failed writes counted', async t => {
  for (const fails of [false, true]) {
    const { segments, append, places } = await open(t, new Pace(10))
    await append(0)
    const slow = slowWrites(20, 'writevSync')
    const restore = inLoop('writevSync', (call, ...args) => {
      const bytes = call(...args)
      if (fails) throw new Error('EIO')
      return bytes
    })
    for (let n = 1; n <= 50; n++) await append(n).catch(() => {})
    restore()
    slow.restore()
    t.true(slow.count() >= 2 && slow.count() < 10, `${slow.count()}`)
    for (const [n, place] of places) t.deepEqual(await segments.read(place), sample(n, SIZE).bytes)
    t.true(places.size > 40)
    await segments.close()
  }
})

test.serial('after a slow write of a block those of the journal go by another thread as well, as the disk is the same', async t => {
  const { storage, blocks } = await openRocks(await temporaryFolder(t))
  const [small, large, other] = [sample(1, 100), sample(2, SIZE), sample(3, 100)]
  const journal = slowWrites(0)
  await blocks.putBytes(small.multihash, small.bytes)
  t.is(journal.count(), 1)
  const stall = slowWrites(200, 'writevSync')
  await blocks.putBytes(large.multihash, large.bytes)
  stall.restore()
  t.is(stall.count(), 1)
  const before = journal.count()
  await blocks.putBytes(other.multihash, other.bytes)
  t.is(journal.count(), before)
  journal.restore()
  for (const { multihash, bytes } of [small, large, other]) t.deepEqual(await blocks.getBytes(multihash), bytes)
  await storage.close()
})
