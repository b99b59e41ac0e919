/** The order of writes of all sizes, their way to the disk, and a disk that is slow. */
import fs from 'node:fs'
import { rename, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { setTimeout } from 'node:timers/promises'
import test from 'ava'
import type { Write } from '../../../../plugins/storage-rocksdb/database/writes.ts'
import { Pace } from '../../../../plugins/storage-rocksdb/pace.ts'
import { seeded } from '../../../helpers/random.ts'
import { intercept } from '../disk.ts'
import { bytesOf, large, put, remove, textOf, textsIn } from './entries.ts'
import { batches, holdBatches, slowWrites } from './interception.ts'
import { JOURNAL, journalOf, killed, LOG, left, openDatabase } from './repo.ts'

test.serial('a folder of the journal that is made anew has a name that survives power loss before a sync is answered', async t => {
  const { repo, database } = await openDatabase(t)
  await database.close()
  await rm(join(repo, 'journal'), { recursive: true })
  // a folder is opened for nothing else
  const opened: string[] = []
  const restore = intercept('open', (path, call) => {
    opened.push(path)
    return call()
  })
  try {
    const again = await openDatabase(t, repo)
    await again.database.write([put('a', 'one')])
    await again.database.sync()
  } finally {
    restore()
  }
  t.true(opened.includes(repo), opened.join(' '))
})

test.serial('whatever the size of batches, who reads sees them in the order in which they were written', async t => {
  const random = seeded(5)
  const { repo, database } = await openDatabase(t, undefined, { journal: 256 << 10 })
  const restore = batches(async write => {
    if (random.below(3) === 0) await setTimeout(random.below(10))
    await write()
  })
  const model = new Map<string, string>()
  let told: readonly Write[][] = []
  database.onWritten(writes => {
    told = [...told, [...writes]]
  })
  const compare = async (at: number) => {
    const expected = Object.fromEntries([...model].sort(([a], [b]) => (a < b ? -1 : 1)))
    const found = await textsIn(database)
    t.deepEqual(found, expected, `step ${at}`)
  }
  for (let at = 0; at < 600; at++) {
    const writes = Array.from({ length: 1 + random.below(4) }, () => {
      const key = `k${random.below(12)}`
      const kind = random.below(8)
      return kind === 0 ? large(key, `${at}`) : kind < 3 ? remove(key) : put(key, `${at}`.repeat(1 + random.below(300)))
    })
    const writing = database.write(writes)
    // Some wait for the answer, others do not.
    if (random.below(4) > 0) await writing
    for (const { key, value } of writes) {
      if (value === undefined) model.delete(textOf(key)!)
      else model.set(textOf(key)!, textOf(value)!)
    }
    if (random.below(25) > 0) continue
    await writing
    const key = `k${random.below(12)}`
    t.is(textOf(await database.get('data', bytesOf(key))), model.get(key))
    await compare(at)
    if (random.below(4) === 0) await database.sync()
    if (random.below(8) === 0) t.deepEqual(await left(t, repo), Object.fromEntries(model), `killed at step ${at}`)
  }
  restore()
  await database.write([put('end', 'end')])
  const listened = new Map<string, string>()
  for (const { key, value } of told.flat()) {
    if (value === undefined) listened.delete(textOf(key)!)
    else listened.set(textOf(key)!, textOf(value)!)
  }
  t.deepEqual(await textsIn(database), Object.fromEntries(listened), 'listeners were told in that order, too')
})

test.serial('one sync of the journal is all that small writes take to reach the disk', async t => {
  const { database } = await openDatabase(t)
  await database.write([large('first', 'x')])
  await database.sync()
  // The name of its file reaches the disk with the first one.
  await database.write([put('a', '1')])
  await database.sync()
  const calls: string[] = []
  const restores = (['open', 'fdatasync', 'close'] as const).map(name =>
    intercept(name, (path, call) => {
      calls.push(`${name} ${path.split('.').at(-1)}`)
      return call()
    })
  )
  await database.write([put('a', '2')])
  await database.write([put('b', '2')])
  await database.sync()
  t.is(calls.length, 1)
  calls.length = 0
  await database.sync()
  t.deepEqual(calls, [], 'nothing was written since')
  await database.write([large('c', '3')])
  await database.write([put('d', '3')])
  await database.sync()
  t.true(calls.includes('fdatasync log'), 'what only RocksDB has is in its log')
  for (const restore of restores) restore()
})

test.serial('a journal whose sync fails is not believed: all of it reaches the disk in the log of RocksDB', async t => {
  const { repo, database } = await openDatabase(t)
  await database.write([put('a', '1')])
  await database.sync()
  await database.write([put('a', '2')])
  const logs: string[] = []
  const restore = intercept('fdatasync', (path, call) => {
    if (LOG.test(path)) logs.push(path)
    return JOURNAL.test(path) ? Promise.reject(new Error('the disk lost it')) : call()
  })
  await database.sync()
  restore()
  t.is(logs.length, 1)
  const copy = await killed(t, repo)
  await rm(join(copy, 'journal'), { recursive: true })
  const again = await openDatabase(t, copy)
  t.deepEqual(await textsIn(again.database), { a: '2' })
  await database.write([put('a', '3')])
  await database.write([put('a', '4')])
  t.deepEqual(await left(t, repo), { a: '4' })
})

test.serial('what lies in a journal that was moved away reaches the disk by RocksDB', async t => {
  const { repo, database } = await openDatabase(t)
  await database.write([put('a', '1')])
  await database.sync()
  await database.write([put('a', '2')])
  await database.sync()
  await rename(join(repo, 'journal'), join(repo, 'elsewhere'))
  await database.write([put('a', '3')])
  await database.sync()
  const copy = await killed(t, repo)
  const again = await openDatabase(t, copy)
  t.deepEqual(await textsIn(again.database), { a: '3' })
})

test.serial('a list sees all that was written, also when RocksDB takes nothing any more', async t => {
  const { repo, database } = await openDatabase(t)
  await database.write(['a', 'c', 'e'].map(key => put(key, 'old')))
  await textsIn(database)
  await database.write([put('b', 'new'), remove('c'), put('e', 'new'), put('f', 'new')])
  const restore = batches(() => Promise.reject(new Error('no space')))
  t.teardown(restore)
  t.deepEqual(await textsIn(database), { a: 'old', b: 'new', e: 'new', f: 'new' })
  const keys: Array<[string | undefined, number]> = []
  for await (const { key, value } of database.entries('data', { gte: bytesOf('b'), lt: bytesOf('f') }, { values: false, limit: 2 }))
    keys.push([textOf(key), value.byteLength])
  t.deepEqual(keys, [
    ['b', 0],
    ['e', 0]
  ])
  t.true(database.refuses)
  await t.throwsAsync(database.write([put('g', 'newer')]), { code: 'E_STORAGE_WRITE', message: /no space/ })
  t.is(await database.get('data', bytesOf('g')), undefined)
  await t.throwsAsync(database.close(), { code: 'E_STORAGE_WRITE' })
  restore()
  const again = await openDatabase(t, repo)
  t.deepEqual(await textsIn(again.database), { a: 'old', b: 'new', e: 'new', f: 'new' })
})

test.serial('a disk that holds up the loop is written to by another thread for a while', async t => {
  const { repo, database } = await openDatabase(t, undefined, { pace: new Pace(10) })
  await database.write([put('a', '0')])
  const slow = slowWrites(20)
  for (let i = 1; i <= 50; i++) await database.write([put('a', `${i}`)])
  slow.restore()
  t.true(slow.count() >= 2 && slow.count() < 10, `${slow.count()}`)
  t.deepEqual(await left(t, repo), { a: '50' })
})

test.serial('a RocksDB that is slow bounds what is held in memory and on the disk', async t => {
  const { repo, database } = await openDatabase(t, undefined, { journal: 256 << 10 })
  await database.write([put('a', '0')])
  const held = holdBatches()
  let answered = 0
  const writing = Array.from({ length: 2000 }, (_, i) =>
    database.write([put(`${i}`, 'x'.repeat(1000))]).then(() => {
      answered++
    })
  )
  await setTimeout(50)
  t.true(answered > 100 && answered < 600, `${answered}`)
  const files = await journalOf(repo)
  t.true(files.length <= 2)
  for (const name of files) t.true(fs.statSync(join(repo, 'journal', name)).size <= 256 << 10)
  held.release()
  await Promise.all(writing)
  t.is(Object.keys(await textsIn(database)).length, 2001)
})
