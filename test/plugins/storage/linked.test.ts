import { chmod, readFile, stat, unlink, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import test, { type ExecutionContext } from 'ava'
import { temporaryFolder } from '../../helpers/folder.ts'
import { openRocks } from './backends.ts'
import { sample } from './samples.ts'

async function withFile(t: ExecutionContext, seed: number, size: number) {
  const folder = await temporaryFolder(t)
  const block = sample(seed, size)
  const file = join(folder, 'block')
  await writeFile(file, block.bytes)
  return { folder, repo: join(folder, 'repo'), block, file }
}

test('a file gets a second name, and is a block from then on', async t => {
  const { repo, block, file } = await withFile(t, 1, 9000)
  const first = await openRocks(repo)
  t.true(await first.blocks.linkFile!(block.multihash, file, 9000))
  t.is((await stat(file)).nlink, 2)
  t.deepEqual(await first.blocks.totals(), { blocks: 1, bytes: 9000 })
  await first.blocks.sync()
  await first.storage.close()
  await unlink(file)
  const second = await openRocks(repo)
  t.deepEqual(await second.blocks.getBytes(block.multihash), block.bytes)
  await second.storage.close()
})

test('a block that is there already gets no second name, nor does one that the database holds', async t => {
  const { repo, block, file } = await withFile(t, 2, 9000)
  const { storage, blocks } = await openRocks(repo)
  await blocks.putBytes(block.multihash, block.bytes)
  t.true(await blocks.linkFile!(block.multihash, file, 9000))
  t.is((await stat(file)).nlink, 1)
  const small = sample(3, 100)
  await writeFile(file, small.bytes)
  t.false(await blocks.linkFile!(small.multihash, file, 100))
  t.false(await blocks.hasMultihash(small.multihash))
  await storage.close()
})

test('a linked block that is removed stays under its first name, and so does one that a collection tidies after', async t => {
  const { repo, block, file } = await withFile(t, 4, 9000)
  const { storage, blocks } = await openRocks(repo)
  await blocks.linkFile!(block.multihash, file, 9000)
  t.true(await blocks.deleteMultihash(block.multihash))
  await blocks.tidy()
  t.is((await stat(file)).nlink, 1)
  t.deepEqual(new Uint8Array(await readFile(file)), block.bytes)
  await storage.close()
})

test('a file that is not there is an error, and one that cannot be synced is to be copied', async t => {
  const { repo, block, file, folder } = await withFile(t, 5, 9000)
  const { storage, blocks } = await openRocks(repo)
  await t.throwsAsync(blocks.linkFile!(block.multihash, join(folder, 'none'), 9000), { code: 'E_STORAGE_BLOCK' })
  t.false(await blocks.hasMultihash(block.multihash))
  await chmod(file, 0o400)
  // root may write to any file
  t.is(await blocks.linkFile!(block.multihash, file, 9000), process.getuid?.() === 0)
  await storage.close()
})
