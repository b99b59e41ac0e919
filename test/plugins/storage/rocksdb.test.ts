import { mkdir, readdir, readFile, rm, stat, truncate, unlink, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { setImmediate } from 'node:timers/promises'
import test from 'ava'
import { Key } from 'interface-datastore'
import { loadBinding } from '../../../plugins/storage-rocksdb/database/binding.ts'
import type { StorageSettings } from '../../../plugins/storage-rocksdb/settings.ts'
import { openRocks as open, temporaryFolder } from './backends.ts'
import { collect, sample, samples } from './samples.ts'

/** With large blocks in files of their own; segments.test.ts has the others. */
const openRocks = (repo: string, changes: Partial<StorageSettings> = {}) => open(repo, { largeBlocks: 'files', ...changes })

const withRepo = (title: string, run: (t: import('ava').ExecutionContext, repo: string) => Promise<void>) =>
  test(title, async t => {
    const repo = await temporaryFolder()
    try {
      await run(t, repo)
    } finally {
      await rm(repo, { recursive: true, force: true })
    }
  })

const large = sample(1, 9000)
const small = sample(2, 100)

async function filesOf(repo: string): Promise<string[]> {
  const entries = await readdir(join(repo, 'blocks'), { recursive: true, withFileTypes: true })
  return entries.filter(entry => entry.isFile() && entry.name !== 'SHARDING').map(entry => entry.name)
}

withRepo('keeps blocks and keys from one start to the next', async (t, repo) => {
  const first = await openRocks(repo)
  await first.blocks.putAll([large, small])
  await first.data.put(new Key('/pins/a'), small.bytes)
  await first.storage.close()
  const second = await openRocks(repo)
  t.deepEqual(await second.blocks.getBytes(large.multihash), large.bytes)
  t.deepEqual(await second.blocks.getBytes(small.multihash), small.bytes)
  t.deepEqual(await second.data.get(new Key('/pins/a')), small.bytes)
  await second.storage.close()
})

withRepo('a look-up of no block at all leaves the next ones alone', async (t, repo) => {
  const { storage, blocks } = await openRocks(repo)
  await blocks.putAll([small])
  t.deepEqual(await blocks.readAll([]), [])
  t.deepEqual(await blocks.readAll([small.multihash]), [small.bytes])
  await storage.close()
})

withRepo('says of several blocks at a time which are there, wherever they lie', async (t, repo) => {
  const first = await openRocks(repo)
  await first.blocks.putAll([large, small])
  const asked = [small.multihash, sample(3, 10).multihash, large.multihash, small.multihash]
  t.deepEqual(await first.blocks.hasAll(asked), [true, false, true, true])
  t.deepEqual(await first.blocks.hasAll([]), [])
  await first.storage.close()
  const second = await openRocks(repo)
  t.deepEqual(await second.blocks.hasAll(asked), [true, false, true, true], 'by the database alone')
  await second.blocks.deleteMultihash(small.multihash)
  t.deepEqual(await second.blocks.hasAll(asked), [false, false, true, false])
  await second.storage.close()
  await t.throwsAsync(second.blocks.hasAll(asked), { code: 'E_STORAGE_NOT_OPEN' })
})

withRepo('reads several blocks at a time, wherever they lie', async (t, repo) => {
  const { storage, blocks } = await openRocks(repo)
  await blocks.putAll([large, small])
  const asked = [small.multihash, sample(3, 10).multihash, large.multihash, small.multihash]
  const found = await blocks.readAll(asked)
  t.true(found[0] instanceof Uint8Array, 'a small one is at hand')
  t.deepEqual(await Promise.all(found), [small.bytes, undefined, large.bytes, small.bytes])
  t.deepEqual(await blocks.readAll([]), [])
  await storage.close()
})

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

withRepo('does not open a database of a newer format', async (t, repo) => {
  const { storage } = await openRocks(repo)
  await storage.database.write([{ family: 'state', key: new TextEncoder().encode('format'), value: new Uint8Array([4]) }])
  await storage.close()
  await t.throwsAsync(openRocks(repo), { code: 'E_STORAGE_FORMAT' })
  await t.throwsAsync(openRocks(repo), { code: 'E_STORAGE_FORMAT' }, 'the failed start let go of the database')
})

withRepo('lets nobody else read what it writes', async (t, repo) => {
  const { storage, blocks } = await openRocks(repo)
  await blocks.putBytes(large.multihash, large.bytes)
  const path = storage.files.pathOf(large.multihash)
  const modes = await Promise.all(
    [join(repo, 'db'), join(repo, 'blocks'), join(path, '..'), path].map(async one => (await stat(one)).mode & 0o777)
  )
  t.deepEqual(modes, process.platform === 'win32' ? modes : [0o700, 0o700, 0o700, 0o600])
  await storage.close()
})

withRepo('keeps a block in the database up to the size that its setting says, and in a file above', async (t, repo) => {
  const { storage, blocks } = await openRocks(repo, { inlineUpTo: 1000 })
  await blocks.putAll([sample(1, 1000), sample(2, 1001)])
  t.is((await filesOf(repo)).length, 1)
  await storage.close()
  const reopened = await openRocks(repo, { inlineUpTo: 0 })
  t.deepEqual(await reopened.blocks.getBytes(sample(1, 1000).multihash), sample(1, 1000).bytes)
  t.deepEqual(await reopened.blocks.getBytes(sample(2, 1001).multihash), sample(2, 1001).bytes)
  await reopened.storage.close()
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

withRepo('does not open a repo that is open already, and says so', async (t, repo) => {
  const { storage, blocks } = await openRocks(repo)
  await t.throwsAsync(openRocks(repo), {
    code: 'E_STORAGE_OPEN',
    message: new RegExp(`the database in ${repo}/db does not open: .*lock`, 'i')
  })
  await blocks.putBytes(small.multihash, small.bytes)
  t.true(await blocks.hasMultihash(small.multihash))
  await storage.close()
})

withRepo('refuses work before it is open and after it is closed', async (t, repo) => {
  const { storage, blocks, data } = await openRocks(repo)
  await storage.close()
  await storage.close()
  await t.throwsAsync(blocks.getBytes(small.multihash), { code: 'E_STORAGE_NOT_OPEN' })
  await t.throwsAsync(blocks.putBytes(small.multihash, small.bytes), { code: 'E_STORAGE_NOT_OPEN' })
  await t.throwsAsync(collect(data.query({})), { code: 'E_STORAGE_NOT_OPEN' })
})

withRepo('finishes what was under way when it is closed', async (t, repo) => {
  const first = await openRocks(repo)
  const puts = [...samples(200), ...samples(20, 5000)].map(({ multihash, bytes }) => first.blocks.putBytes(multihash, bytes))
  const settled = Promise.allSettled(puts)
  await first.storage.close()
  const outcomes = await settled
  const second = await openRocks(repo)
  for (const [i, { multihash, bytes }] of [...samples(200), ...samples(20, 5000)].entries())
    if (outcomes[i]?.status === 'fulfilled') t.deepEqual(await second.blocks.getBytes(multihash), bytes)
  t.true(outcomes.some(({ status }) => status === 'fulfilled'))
  await second.storage.close()
})

withRepo('drops, after a power loss, blocks whose files did not reach the disk', async (t, repo) => {
  const [whole, torn, zeroed, lost, inline] = [sample(1, 9000), sample(2, 9000), sample(3, 9000), sample(4, 9000), sample(5, 10)]
  const first = await openRocks(repo)
  await first.blocks.putAll([whole, torn, zeroed, lost, inline])
  const path = (multihash: Uint8Array) => first.storage.files.pathOf(multihash)
  // Another boot id than the one the marks were made under, and the files as a power loss leaves them. Not closed properly: only the database is.
  await first.storage.database.write([{ family: 'state', key: new TextEncoder().encode('boot'), value: new Uint8Array([1]) }])
  await first.storage.database.close()
  await truncate(path(torn.multihash), 4096)
  await writeFile(path(zeroed.multihash), new Uint8Array(9000))
  await unlink(path(lost.multihash))
  const second = await openRocks(repo)
  t.deepEqual(await second.blocks.getBytes(whole.multihash), whole.bytes)
  t.deepEqual(await second.blocks.getBytes(inline.multihash), inline.bytes)
  t.false(await second.blocks.hasMultihash(torn.multihash))
  t.is(await second.blocks.getBytes(zeroed.multihash), undefined)
  await second.blocks.putBytes(lost.multihash, lost.bytes)
  t.deepEqual(await second.blocks.getBytes(lost.multihash), lost.bytes)
  await second.storage.close()

  const third = await openRocks(repo)
  t.is(third.storage.suspects.size, 0, 'all was settled before')
  t.deepEqual(await third.blocks.getBytes(whole.multihash), whole.bytes)
  for (const { multihash } of [torn, zeroed]) t.false(await third.blocks.hasMultihash(multihash))
  await third.storage.close()
})

withRepo('checks what a power loss may have torn although nobody asks for it', async (t, repo) => {
  const first = await openRocks(repo)
  await first.blocks.putAll(samples(20, 9000))
  await first.storage.database.write([{ family: 'state', key: new TextEncoder().encode('boot'), value: new Uint8Array([1]) }])
  await first.storage.database.close()
  for (const { multihash } of samples(10, 9000)) await truncate(first.storage.files.pathOf(multihash), 1)
  const second = await openRocks(repo)
  while (second.storage.suspects.size > 0) await setImmediate()
  t.deepEqual(await second.blocks.totals(), { blocks: 10, bytes: 90_000 })
  t.is(second.storage.unsynced.size, 10)
  await second.storage.close()
})

withRepo('has nothing left to sync after a durability point', async (t, repo) => {
  const { storage, blocks } = await openRocks(repo)
  await blocks.putAll(samples(10, 9000))
  t.is(storage.unsynced.size, 10)
  await Promise.all([blocks.sync(), blocks.sync(), blocks.sync()])
  t.is(storage.unsynced.size, 0)
  t.is((await collect(storage.database.entries('state', { gte: Buffer.from('u'), lt: Buffer.from('v') }))).length, 0)
  await blocks.deleteAll(samples(10, 9000).map(({ multihash }) => multihash))
  await blocks.putBytes(large.multihash, large.bytes)
  await unlink(storage.files.pathOf(large.multihash))
  await t.notThrowsAsync(blocks.sync(), 'a file that is gone needs no sync')
  await storage.close()
})

withRepo('does not gather the reports of RocksDB from start to start', async (t, repo) => {
  for (let i = 0; i < 5; i++) await openRocks(repo).then(({ storage }) => storage.close())
  const reports = (await readdir(join(repo, 'db'))).filter(name => name.startsWith('LOG'))
  t.is(reports.length, 3)
})

withRepo('syncs across many changes of the log', async (t, repo) => {
  const { storage, data } = await openRocks(repo, { writeBuffer: 65_536 })
  for (let i = 0; i < 40; i++) {
    await data.put(new Key(`/k/${i}`), new Uint8Array(100_000))
    await data.sync?.()
  }
  t.is((await collect(data.queryKeys({ prefix: '/k/' }))).length, 40)
  await storage.close()
})

test('explains why the database cannot be loaded, and how to do without', async t => {
  const failing = (error: unknown) => loadBinding(() => Promise.reject(error))
  const linker = new Error('libatomic.so.1: cannot open shared object file: No such file or directory')
  const addon = Object.assign(new Error("Cannot load addon 'file:///x/rocksdb-native.node'"), { code: 'CANNOT_LOAD', cause: linker })
  await t.throwsAsync(failing(addon), {
    code: 'E_STORAGE_NO_LIBATOMIC',
    message: /Install libatomic1 \(Debian, Ubuntu\).*storage-memory: on/
  })
  const missing = Object.assign(new Error("Cannot find addon '.'"), { code: 'ADDON_NOT_FOUND' })
  await t.throwsAsync(failing(missing), {
    code: 'E_STORAGE_NO_BINARY',
    message: new RegExp(`no binary for ${process.platform}-${process.arch}`)
  })
  const broken = Object.assign(new Error('Cannot load addon'), { code: 'CANNOT_LOAD', cause: new Error('invalid ELF header') })
  await t.throwsAsync(failing(broken), {
    code: 'E_STORAGE_BINARY_BROKEN',
    message: /does not load: invalid ELF header\..*storage-memory: on/
  })
  await t.throwsAsync(failing('odd'), { code: 'E_STORAGE_BINARY_BROKEN', message: /odd/ })
})
