import { readdir, stat, truncate, unlink, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { setImmediate } from 'node:timers/promises'
import test from 'ava'
import { Key } from 'interface-datastore'
import { loadBinding } from '../../../plugins/storage-rocksdb/database/binding.ts'
import { all } from '../../helpers/streams.ts'
import { filesOf, large, openRocks, small, withRepo } from './rocksdb.ts'
import { sample, samples } from './samples.ts'

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

withRepo('gives a block that lies in memory at once, and none that was deleted or whose memory was given back', async (t, repo) => {
  const first = await openRocks(repo, { inlineUpTo: 4096 })
  await first.blocks.putAll([large, small])
  t.deepEqual(first.blocks.atHand(small.multihash), small.bytes)
  t.is(first.blocks.atHand(large.multihash), undefined, 'a file has to be read')
  await first.storage.close()
  const second = await openRocks(repo, { inlineUpTo: 4096 })
  t.is(second.blocks.atHand(small.multihash), undefined)
  await second.blocks.getBytes(small.multihash)
  t.deepEqual(second.blocks.atHand(small.multihash), small.bytes)
  second.blocks.releaseMemory()
  t.is(second.blocks.atHand(small.multihash), undefined)
  await second.blocks.getBytes(small.multihash)
  await second.blocks.deleteMultihash(small.multihash)
  t.is(second.blocks.atHand(small.multihash), undefined)
  await second.storage.close()
})

withRepo('asks of a block that lies in memory once whether it is whole, until other memory takes its place', async (t, repo) => {
  const { storage, blocks } = await openRocks(repo, { inlineUpTo: 4096, largeBlocks: 'segments' })
  const node = sample(4, 8192)
  await blocks.putAll([small, node])
  for (const { multihash, bytes } of [small, node]) {
    const asked: boolean[] = []
    const ask = (answer: boolean) =>
      blocks.atHand(multihash, read => {
        t.deepEqual(read, bytes)
        asked.push(answer)
        return answer
      })
    t.is(await blocks.getBytes(multihash).then(read => Buffer.compare(read!, bytes)), 0)
    t.is(ask(false), undefined)
    t.deepEqual(ask(true), bytes, 'what was not whole is asked again')
    t.deepEqual(ask(false), bytes, 'what was is not')
    t.deepEqual(asked, [false, true])
    blocks.releaseMemory()
    t.is(await blocks.getBytes(multihash).then(read => Buffer.compare(read!, bytes)), 0)
    t.is(ask(false), undefined, 'what was read again is asked again')
    t.is(asked.length, 3)
  }
  await storage.close()
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
  await t.throwsAsync(all(data.query({})), { code: 'E_STORAGE_NOT_OPEN' })
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
  t.is((await all(storage.database.entries('state', { gte: Buffer.from('u'), lt: Buffer.from('v') }))).length, 0)
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
  t.is((await all(data.queryKeys({ prefix: '/k/' }))).length, 40)
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
