/** What the store does about blocks that a failed sync may have lost: the system takes them for written, and the next sync succeeds. */
import { stat, truncate, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { setImmediate } from 'node:timers/promises'
import test, { type ExecutionContext } from 'ava'
import { decodeValue } from '../../../../plugins/storage-rocksdb/blocks/values.ts'
import { temporaryFolder } from '../../../helpers/folder.ts'
import { all } from '../../../helpers/streams.ts'
import { holdUp, intercept, openRocks } from '../disk.ts'
import { sample } from '../samples.ts'

const SEGMENT = /segments\/\d+\.blocks$/
const BLOCK_FILE = /blocks\/..\/\w+\.data$/
const [one, two] = [sample(1, 9000), sample(2, 9000)]
const files = { largeBlocks: 'files', inlineUpTo: 0 } as const

type Opened = Awaited<ReturnType<typeof openRocks>>

/** Has one sync fail, which the disk reports once. */
async function failSync(t: ExecutionContext, { blocks }: Opened, pattern = SEGMENT): Promise<void> {
  const stop = intercept('fdatasync', (path, call) => (pattern.test(path) ? Promise.reject(new Error('the disk lost it')) : call()))
  await t.throwsAsync(blocks.sync(), { code: 'E_STORAGE_SYNC', message: /the disk lost it/ })
  stop()
}

/** A store with one block, which the system may have lost. */
async function afterFailedSync(t: ExecutionContext) {
  const repo = await temporaryFolder(t)
  const opened = await openRocks(repo)
  await opened.blocks.putBytes(one.multihash, one.bytes)
  await failSync(t, opened)
  return { repo, opened, ...opened, segment: join(repo, 'segments/00000001.blocks') }
}

/** What the system had of the file is gone: zeros came back from the disk. */
async function lose(path: string): Promise<void> {
  const { size } = await stat(path)
  await truncate(path, 0)
  await writeFile(path, new Uint8Array(size))
}

async function placeOf({ storage }: Opened, multihash: Uint8Array) {
  const found = decodeValue((await storage.database.get('blocks', multihash))!)
  if (found.kind !== 'segment') throw new Error(`it is ${found.kind}`)
  return found
}

test.serial('a sync that succeeds after one that failed has written the blocks once more, elsewhere', async t => {
  const { repo, opened, storage, blocks, segment } = await afterFailedSync(t)
  const synced: string[] = []
  const stop = intercept('fdatasync', (path, call) => {
    synced.push(path)
    return call()
  })
  await blocks.sync()
  stop()
  t.is((await placeOf(opened, one.multihash)).segment, 2)
  t.true(synced.some(path => path.endsWith('segments/00000002.blocks')))
  await blocks.putBytes(two.multihash, two.bytes)
  t.is((await placeOf(opened, two.multihash)).segment, 2, 'nothing is appended where a sync failed')
  await blocks.sync()
  t.deepEqual(await all(storage.unsynced.marked()), [])
  await storage.close()
  await lose(segment)
  const again = await openRocks(repo)
  for (const { multihash, bytes } of [one, two]) t.deepEqual(await again.blocks.getBytes(multihash), bytes)
  await again.storage.close()
})

test.serial('no sync succeeds while the bytes of a block are lost; the next start drops it', async t => {
  const { repo, storage, blocks, segment } = await afterFailedSync(t)
  await lose(segment)
  await blocks.putBytes(two.multihash, two.bytes)
  for (let i = 0; i < 2; i++) await t.throwsAsync(blocks.sync(), { code: 'E_STORAGE_SYNC', message: /lost 1 of the blocks/ })
  await t.throwsAsync(storage.close(), { code: 'E_STORAGE_SYNC' })
  const again = await openRocks(repo)
  t.false(await again.blocks.hasMultihash(one.multihash))
  t.deepEqual(await again.blocks.getBytes(two.multihash), two.bytes)
  await again.blocks.sync()
  await again.storage.close()
})

test.serial('a lost block that is removed is in nobody’s way', async t => {
  const { storage, blocks, segment } = await afterFailedSync(t)
  await lose(segment)
  await blocks.deleteMultihash(one.multihash)
  await blocks.sync()
  await storage.close()
})

test.serial('a start after a sync failed checks what that may have lost, without a power loss', async t => {
  const { repo, storage, segment } = await afterFailedSync(t)
  // The process dies.
  await storage.segments.close()
  await storage.database.close()
  await lose(segment)
  const again = await openRocks(repo)
  t.false(await again.blocks.hasMultihash(one.multihash))
  await again.storage.close()
})

for (const settings of [{}, files])
  test.serial(
    `what only the system's memory holds after a sync failed is written once more by the next run (${Object.keys(settings)})`,
    async t => {
      const repo = await temporaryFolder(t)
      const opened = await openRocks(repo, settings)
      const { storage, blocks } = opened
      await blocks.putBytes(one.multihash, one.bytes)
      const path = settings === files ? storage.files.pathOf(one.multihash) : join(repo, 'segments/00000001.blocks')
      const { ino } = await stat(path)
      await failSync(t, opened, settings === files ? BLOCK_FILE : SEGMENT)
      // The process dies.
      await storage.segments.close()
      await storage.database.close()
      const second = await openRocks(repo, settings)
      t.true(await second.blocks.hasMultihash(one.multihash))
      await second.blocks.sync()
      if (settings === files) t.not((await stat(path)).ino, ino)
      else t.not((await placeOf(second, one.multihash)).segment, 1)
      await second.storage.close()
      const third = await openRocks(repo, settings)
      t.true((await third.storage.database.get('state', new TextEncoder().encode('boot')))!.byteLength > 0, 'it is over')
      t.deepEqual(await third.blocks.getBytes(one.multihash), one.bytes)
      await third.storage.close()
    }
  )

test.serial('a block in a file of its own whose sync failed is written once more', async t => {
  const repo = await temporaryFolder(t)
  const opened = await openRocks(repo, files)
  const { storage, blocks } = opened
  await blocks.putBytes(one.multihash, one.bytes)
  await blocks.putBytes(two.multihash, two.bytes)
  const path = storage.files.pathOf(one.multihash)
  const { ino } = await stat(path)
  await failSync(t, opened, BLOCK_FILE)
  await blocks.sync()
  t.not((await stat(path)).ino, ino)
  t.deepEqual(await all(storage.unsynced.marked()), [])
  for (const { multihash, bytes } of [one, two]) t.deepEqual(await blocks.getBytes(multihash), bytes)
  await storage.close()
})

test.serial('whoever puts a block waits for a sync after he has given its lock back', async t => {
  const { storage, blocks } = await openRocks(await temporaryFolder(t))
  const { promise, resolve } = Promise.withResolvers<void>()
  storage.syncIfMany = async () => {
    await storage.locks.run(Buffer.from(one.multihash).toString('latin1'), async () => resolve())
  }
  await blocks.putBytes(one.multihash, one.bytes)
  await promise
  t.pass()
  await storage.close()
})

test.serial('a file goes only when the removal of its key is on the disk, also one that a removal left behind', async t => {
  const { storage, blocks } = await openRocks(await temporaryFolder(t), files)
  await blocks.putBytes(one.multihash, one.bytes)
  await blocks.sync()
  const path = storage.files.pathOf(one.multihash)
  const { sync } = storage.database
  storage.database.sync = () => Promise.reject(new Error('the log is not on the disk'))
  await t.throwsAsync(blocks.deleteMultihash(one.multihash), { message: /not on the disk/ })
  await t.throwsAsync(blocks.tidy(), { message: /not on the disk/ })
  t.is((await stat(path)).size, one.bytes.byteLength)
  storage.database.sync = sync
  await blocks.tidy()
  await t.throwsAsync(stat(path), { code: 'ENOENT' })
  await storage.close()
})

for (const put of ['putBytes', 'putAll'] as const)
  test.serial(`a small block that is written while its lost bytes are being checked stays (${put})`, async t => {
    const repo = await temporaryFolder(t)
    const small = sample(3, 100)
    const first = await openRocks(repo, { inlineUpTo: 0 })
    await first.blocks.putBytes(small.multihash, small.bytes)
    await first.storage.database.write([{ family: 'state', key: new TextEncoder().encode('boot'), value: new Uint8Array([1]) }])
    await first.storage.segments.close()
    await first.storage.database.close()
    await lose(join(repo, 'segments/00000001.blocks'))
    const held = holdUp('open', SEGMENT)
    const { storage, blocks } = await openRocks(repo)
    await held.entered
    const writing = put === 'putAll' ? blocks.putAll([small]) : blocks.putBytes(small.multihash, small.bytes)
    const isWritten = writing.then(() => true)
    const turns = async () => {
      for (let i = 0; i < 200; i++) await setImmediate()
      return false
    }
    await Promise.race([isWritten, turns()])
    held.release()
    await writing
    await storage.suspects.check(small.multihash)
    t.deepEqual(await blocks.getBytes(small.multihash), small.bytes)
    await storage.close()
  })
