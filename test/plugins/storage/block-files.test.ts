import { mkdir, readFile, rename, stat, truncate, unlink, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { filesOf, large, openRocks, small, withRepo } from './rocksdb.ts'
import { sample, samples } from './samples.ts'

/** A block of a repo that Kubo 0.28 made: its sha2-256 multihash, and where it lay. */
const ofKubo = {
  multihash: Buffer.from('122081549590044d2f7b62378afe7234c54599e8cb643c760be28492c36d1aa5d90f', 'hex'),
  folder: 'SD',
  name: 'CIQICVEVSACE2L33MI3YV7TSGTCULGPIZNSDY5QL4KCJFQ3NDKS5SDY.data'
}

withRepo('lays the files of blocks out as the reference does', async (t, repo) => {
  const { storage, blocks } = await openRocks(repo)
  await blocks.putBytes(ofKubo.multihash, large.bytes)
  t.deepEqual(await filesOf(repo), [ofKubo.name])
  t.deepEqual(await readFile(join(repo, 'blocks', ofKubo.folder, ofKubo.name)), Buffer.from(large.bytes))
  t.is(await readFile(join(repo, 'blocks', 'SHARDING'), 'utf8'), '/repo/flatfs/shard/v1/next-to-last/2\n')
  await storage.close()
})

withRepo('takes over the blocks of a repo that the reference made', async (t, repo) => {
  await mkdir(join(repo, 'blocks', ofKubo.folder), { recursive: true })
  await mkdir(join(repo, 'blocks', '.temp'))
  await writeFile(join(repo, 'blocks', 'SHARDING'), '/repo/flatfs/shard/v1/next-to-last/2\n')
  await writeFile(join(repo, 'blocks', ofKubo.folder, ofKubo.name), small.bytes)
  const { storage, blocks } = await openRocks(repo)
  t.deepEqual(await blocks.getBytes(ofKubo.multihash), small.bytes)
  t.deepEqual(await blocks.totals(), { blocks: 1, bytes: 100 })
  await blocks.tidy()
  t.deepEqual(await filesOf(repo), [ofKubo.name])
  await storage.close()
})

withRepo('does not take files for blocks once the database is there', async (t, repo) => {
  await openRocks(repo).then(({ storage }) => storage.close())
  await mkdir(join(repo, 'blocks', ofKubo.folder), { recursive: true })
  await writeFile(join(repo, 'blocks', ofKubo.folder, ofKubo.name), small.bytes)
  const { storage, blocks } = await openRocks(repo)
  t.false(await blocks.hasMultihash(ofKubo.multihash))
  await storage.close()
})

withRepo('leaves no file of a block that is removed', async (t, repo) => {
  const { storage, blocks } = await openRocks(repo)
  await blocks.putBytes(large.multihash, large.bytes)
  await blocks.deleteMultihash(large.multihash)
  t.deepEqual(await filesOf(repo), [])
  await storage.close()
})

withRepo('gives what the file of a block holds, and has no block whose file is lost', async (t, repo) => {
  const { storage, blocks } = await openRocks(repo)
  await blocks.putBytes(large.multihash, large.bytes)
  const path = storage.files.pathOf(large.multihash)
  for (const size of [0, 1, 8999, 9001, 9002, 50_000]) {
    const other = sample(7, size).bytes
    await writeFile(path, other)
    t.deepEqual(await blocks.getBytes(large.multihash), other)
  }
  await unlink(path)
  t.is(await blocks.getBytes(large.multihash), undefined)
  await storage.close()
})

withRepo('mends a block whose file is lost or cut off when it is put again', async (t, repo) => {
  const { storage, blocks } = await openRocks(repo)
  await blocks.putBytes(large.multihash, large.bytes)
  const path = storage.files.pathOf(large.multihash)
  for (const damage of [() => unlink(path), () => truncate(path, 5000), () => writeFile(path, new Uint8Array(20_000))]) {
    await damage()
    await blocks.putBytes(large.multihash, large.bytes)
    t.deepEqual(await blocks.getBytes(large.multihash), large.bytes)
  }
  t.is((await filesOf(repo)).length, 1)
  await storage.close()
})

withRepo('tidies up files that no block owns, and no others', async (t, repo) => {
  const { storage, blocks } = await openRocks(repo)
  const orphan = sample(3, 9000)
  await blocks.putAll([large, orphan])
  const path = storage.files.pathOf(orphan.multihash)
  await blocks.deleteMultihash(orphan.multihash)
  await writeFile(path, orphan.bytes)
  await writeFile(join(path, '..', 'put-17'), 'half')
  await writeFile(join(path, '..', 'notes.txt'), 'mine')
  await mkdir(join(repo, 'blocks', 'other'))
  await writeFile(join(repo, 'blocks', 'other', 'x.data'), 'mine')
  await blocks.tidy()
  t.deepEqual((await filesOf(repo)).sort(), [storage.files.pathOf(large.multihash).split('/').at(-1), 'notes.txt', 'x.data'].sort())
  t.deepEqual(await blocks.getBytes(large.multihash), large.bytes)
  await storage.close()
})

withRepo('tidies up while blocks are being put without taking any of them', async (t, repo) => {
  const { storage, blocks } = await openRocks(repo)
  const puts = samples(60, 5000).map(({ multihash, bytes }) => blocks.putBytes(multihash, bytes))
  await Promise.all([...puts, blocks.tidy(), blocks.tidy()])
  for (const { multihash, bytes } of samples(60, 5000)) t.deepEqual(await blocks.getBytes(multihash), bytes)
  await storage.close()
})

withRepo('refuses a multihash that no file name could hold', async (t, repo) => {
  const { storage, blocks } = await openRocks(repo)
  const long = new Uint8Array(157).fill(1)
  await t.throwsAsync(blocks.putBytes(long, large.bytes), { code: 'E_STORAGE_KEY_TOO_LONG' })
  t.false(await blocks.hasMultihash(long))
  await blocks.putBytes(long.subarray(0, 156), large.bytes)
  t.deepEqual(await blocks.getBytes(long.subarray(0, 156)), large.bytes)
  await storage.close()
})

withRepo('stores no block at the old place of a folder that was moved away', async (t, repo) => {
  const { storage, blocks } = await openRocks(repo)
  await rename(join(repo, 'blocks'), join(repo, 'moved'))
  await t.throwsAsync(blocks.putBytes(large.multihash, large.bytes), { code: 'E_STORAGE_BLOCK' })
  await t.throwsAsync(stat(join(repo, 'blocks')), { code: 'ENOENT' })
  await rename(join(repo, 'moved'), join(repo, 'blocks'))
  await blocks.putBytes(large.multihash, large.bytes)
  await storage.close()
})
