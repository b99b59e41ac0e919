/** The journal where the system does what it rarely does: removals that fail, writes of nothing, stalls, files without end. */
import fs from 'node:fs'
import { mkdir, rename, truncate, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { setTimeout } from 'node:timers/promises'
import test, { type ExecutionContext } from 'ava'
import RocksDB, { type Iterator } from 'rocksdb'
import type { Write } from '../../../../plugins/storage-rocksdb/database/writes.ts'
import { Pace } from '../../../../plugins/storage-rocksdb/pace.ts'
import { temporaryFolder } from '../../../helpers/folder.ts'
import { bytesOf, encoded, put, remove, textOf, textsIn } from './entries.ts'
import { batches, holdBatches, inLoop, slowWrites } from './interception.ts'
import { endOf, journalOf, killed, left, openDatabase } from './repo.ts'

const record = (number: number, before: number, ...writes: Write[]) => encoded({ number, before, writes })
const fileOf = (repo: string, file: number) => join(repo, 'journal', `${String(file).padStart(8, '0')}.journal`)

test.serial('a file of the journal that cannot be removed is closed once, and no other file in its place', async t => {
  const { repo, database } = await openDatabase(t, undefined, { journal: 64 << 10 })
  const fill = async () => {
    for (let i = 0; i < 70; i++) await database.write([put(`k${i % 10}`, 'x'.repeat(1000))])
  }
  await database.write([put('a', '1')])
  const [name] = await journalOf(repo)
  await rename(join(repo, 'journal', name!), join(repo, 'aside'))
  await mkdir(join(repo, 'journal', name!))
  await fill()
  await setTimeout(50)
  // Take the numbers that are free, that of the file among them.
  const others = Array.from({ length: 8 }, () => fs.openSync('/dev/null', 'r'))
  await fill()
  await setTimeout(50)
  for (const fd of others) {
    t.notThrows(() => fs.fstatSync(fd))
    fs.closeSync(fd)
  }
  await database.sync()
  t.is(Object.keys(await textsIn(database)).length, 11)
  await database.close()
  t.is(Object.keys(await left(t, repo)).length, 11, 'nor does what is left of it matter to a start')
})

test('a damaged file without end keeps no node from starting', async t => {
  const { repo, database } = await openDatabase(t)
  await database.write([put('base', '1')])
  await database.close()
  const { number, first } = await endOf(t, repo)
  const [one, two] = [1, 2].map(i => record(number + i, number + i - 1, put(`k${i}`, 'v'))) as [Buffer, Buffer]
  const path = fileOf(repo, first)
  await writeFile(path, Buffer.concat([one, Buffer.alloc(10), two]))
  await truncate(path, 6 * 2 ** 30)
  await writeFile(fileOf(repo, first + 1), two)
  await truncate(fileOf(repo, first + 1), 6 * 2 ** 30)
  const began = process.memoryUsage().rss
  const again = await openDatabase(t, repo)
  t.deepEqual(await textsIn(again.database), { base: '1', k1: 'v' })
  t.is(again.database.damage?.at, one.byteLength)
  t.is(again.database.damage?.behind, 2)
  t.true(process.memoryUsage().rss - began < 256 << 20)
})

test.serial('a journal of removals alone is replayed in pieces, too', async t => {
  const repo = await temporaryFolder(t)
  await (await openDatabase(t, repo)).database.close()
  const { number, first } = await endOf(t, repo)
  const records = Array.from({ length: 400 }, (_, i) =>
    record(number + i + 1, number + i, ...Array.from({ length: 100 }, (_, j) => remove(`${'k'.repeat(100)}${i}/${j}`)))
  )
  await writeFile(fileOf(repo, first), Buffer.concat(records))
  let count = 0
  const restore = batches(async write => {
    count++
    await write()
  })
  await openDatabase(t, repo)
  restore()
  t.true(count >= 8, `${count} batches for 4 MiB`)
})

test.serial('a database that is opened again after a close that failed has what the journal had, and what comes then', async t => {
  const { database } = await openDatabase(t)
  await database.write([put('a', '0')])
  await database.sync()
  const restore = batches(() => Promise.reject(new Error('no space')))
  await database.write([put('a', '1'), put('b', '1')])
  await t.throwsAsync(database.close(), { code: 'E_STORAGE_WRITE' })
  restore()
  await database.open()
  await database.recover()
  t.deepEqual(await textsIn(database), { a: '1', b: '1' })
  await database.write([{ ...put('a', '2') }, put('filler', Buffer.alloc(80_000), 'state')])
  t.is(textOf(await database.get('data', bytesOf('a'))), '2')
  await database.write([put('c', '3')])
  t.deepEqual(await textsIn(database), { a: '2', b: '1', c: '3' })
})

test.serial('a start that is killed after it found damage leaves the next one to find it, or the file', async t => {
  const { repo, database } = await openDatabase(t)
  await database.write([put('base', '1')])
  await database.close()
  const { number, first } = await endOf(t, repo)
  const [one, two, three] = [1, 2, 3].map(i => record(number + i, number + i - 1, put(`k${i}`, 'v'))) as [Buffer, Buffer, Buffer]
  two[two.byteLength - 1]! ^= 3
  await writeFile(fileOf(repo, first), Buffer.concat([one, two, three]))
  const copies: string[] = []
  const restore = batches(async write => {
    copies.push(await killed(t, repo))
    await write()
    copies.push(await killed(t, repo))
  })
  await openDatabase(t, repo).finally(restore)
  t.true(copies.length >= 4)
  for (const [i, copy] of copies.entries()) {
    const again = await openDatabase(t, copy)
    t.deepEqual(await textsIn(again.database), { base: '1', k1: 'v' }, `${i}`)
    await again.database.close()
    t.true((await journalOf(copy)).includes(`${String(first).padStart(8, '0')}.journal.damaged`), `copy ${i}`)
  }
})

/** A database with three entries in its RocksDB, and writes that it holds back. */
async function pending(t: ExecutionContext, writes: Write[]) {
  const { database } = await openDatabase(t)
  await database.write(['a', 'c', 'e'].map(key => put(key, 'old')))
  await textsIn(database)
  const held = holdBatches()
  await database.write(writes)
  return { database, held }
}

test.serial('a RocksDB whose disk stalls keeps nobody from listing', async t => {
  const { database, held } = await pending(t, [put('b', 'new'), remove('c'), put('e', 'new')])
  await setTimeout(50)
  const listed = textsIn(database)
  const first = await Promise.race([listed, setTimeout(5000, 'waits')])
  held.release()
  t.deepEqual(first, { a: 'old', b: 'new', e: 'new' })
})

test.serial('a list that is made of both ends where its caller leaves', async t => {
  const { database, held } = await pending(t, [put('b', 'new')])
  const leaves = new AbortController()
  const seen: string[] = []
  const listing = async () => {
    for await (const { key } of database.entries('data', {}, { signal: leaves.signal })) {
      if (seen.push(Buffer.from(key).toString()) === 2) leaves.abort(new Error('left'))
    }
  }
  const error = await t.throwsAsync(listing)
  held.release()
  t.is(error.message, 'left')
  t.is(seen.length, 2)
})

test.serial('a list that is made of both RocksDB and what is pending is of one moment, also when RocksDB goes on amid it', async t => {
  const { database, held } = await pending(t, [put('b', 'new')])
  const prototype = RocksDB.prototype as { iterator: (...how: unknown[]) => Iterator }
  const real = prototype.iterator
  let opened = 0
  prototype.iterator = function (...how) {
    const iterator = Reflect.apply(real, this, how)
    const entries = iterator[Symbol.asyncIterator].bind(iterator)
    if (opened++ > 0) return iterator
    return Object.assign(iterator, {
      async *[Symbol.asyncIterator]() {
        held.release()
        await database.write([remove('b'), put('d', 'newer'), put('filler', Buffer.alloc(80_000), 'state')])
        yield* { [Symbol.asyncIterator]: entries }
      }
    })
  }
  try {
    t.deepEqual(await textsIn(database), { a: 'old', c: 'old', d: 'newer', e: 'old' })
  } finally {
    prototype.iterator = real
  }
  t.is(opened, 2)
})

test.serial('a stall of the disk holds up the loop once', async t => {
  const { database } = await openDatabase(t, undefined, { pace: new Pace(4) })
  await database.write([put('a', '0')])
  const slow = slowWrites(400)
  const end = performance.now() + 3000
  for (let i = 1; performance.now() < end; i++) {
    await database.write([put('a', `${i}`)])
    await setTimeout(1)
  }
  slow.restore()
  t.is(slow.count(), 1)
})

test.serial('a system that takes nothing of a write is no reason to ask it forever', async t => {
  const { repo, database } = await openDatabase(t)
  let calls = 0
  const restore = inLoop('writeSync', () => {
    if (++calls > 1000) throw new Error('asked forever')
    return 0
  })
  await database.write([put('a', '1')])
  restore()
  t.true(calls < 10, `${calls}`)
  t.deepEqual(await left(t, repo), { a: '1' })
})

test.serial('a RocksDB that is slow bounds what is held in memory of small removals, too', async t => {
  const { database } = await openDatabase(t, undefined, { journal: 64 << 20 })
  await database.write([put('a', '0')])
  const held = holdBatches()
  let answered = 0
  const writing = Array.from({ length: 500 }, (_, i) =>
    database.write(Array.from({ length: 100 }, (_, j) => remove(`${i}/${j}`))).then(() => {
      answered++
    })
  )
  await setTimeout(50)
  t.true(answered > 10 && answered < 100, `${answered} hundreds, of some 500 bytes of memory each`)
  held.release()
  await Promise.all(writing)
})
