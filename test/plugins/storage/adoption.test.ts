import { mkdir, writeFile } from 'node:fs/promises'
import { dirname } from 'node:path'
import test, { type ExecutionContext } from 'ava'
import { BlockFiles } from '../../../plugins/storage-rocksdb/blocks/block-files.ts'
import { RocksBlockstore } from '../../../plugins/storage-rocksdb/blocks/blockstore.ts'
import { storageSettings } from '../../../plugins/storage-rocksdb/settings.ts'
import { Storage } from '../../../plugins/storage-rocksdb/storage.ts'
import { temporaryFolder } from '../../helpers/folder.ts'
import { openRocks } from './backends.ts'
import { samples } from './samples.ts'

const COUNT = 600

/** A repo with the block files of another program, and no database. */
async function withFiles(t: ExecutionContext) {
  const repo = await temporaryFolder(t)
  const files = new BlockFiles(`${repo}/blocks`, 1)
  const blocks = samples(COUNT)
  for (const { multihash, bytes } of blocks) {
    const path = files.pathOf(multihash)
    await mkdir(dirname(path), { recursive: true })
    await writeFile(path, bytes)
  }
  return { repo, blocks }
}

/** Stores that are not open yet, and how many files they have looked at. */
function closedStores(repo: string) {
  const storage = new Storage(repo, storageSettings.parse({}))
  const { size } = storage.files
  const looks = { count: 0 }
  storage.files.size = multihash => {
    looks.count++
    return size.call(storage.files, multihash)
  }
  return { storage, store: new RocksBlockstore(storage), looks }
}

test('taking files over tells of its progress, and goes on where it was broken off', async t => {
  const { repo, blocks } = await withFiles(t)
  const leave = new AbortController()
  const first = closedStores(repo)
  const left = first.store.start(leave.signal, () => leave.abort(new Error('left')))
  await t.throwsAsync(left, { message: 'left' })
  await first.store.stop()
  t.is(first.looks.count, 256)

  let told = 0
  const second = closedStores(repo)
  await second.store.start(undefined, () => void told++)
  t.is(second.looks.count, COUNT - 256, 'only at those that have no key yet')
  t.is(told, 3)
  t.deepEqual(await second.store.totals(), { blocks: COUNT, bytes: COUNT * 100 })
  for (const { multihash, bytes } of blocks) t.deepEqual(await second.store.getBytes(multihash), bytes)
  await second.store.stop()
})

test('stores that are closed while they take files over can be opened again', async t => {
  const { repo } = await withFiles(t)
  const { storage, store } = closedStores(repo)
  const closed = Promise.withResolvers<void>()
  const opening = store.start(undefined, () => closed.resolve(storage.close()))
  await t.throwsAsync(opening, { code: 'E_STORAGE_CLOSED' })
  await closed.promise
  t.false(storage.database.isOpen)
  const again = await openRocks(repo)
  t.deepEqual(await again.blocks.totals(), { blocks: COUNT, bytes: COUNT * 100 })
  await again.storage.close()
})

test('the last sync tells of each file that has reached the disk', async t => {
  const repo = await temporaryFolder(t)
  const { storage, blocks } = await openRocks(repo, { largeBlocks: 'files', inlineUpTo: 0 })
  await blocks.putAll(samples(20))
  let told = 0
  await storage.close(() => void told++)
  t.true(told >= 20, `${told}`)
})
