/** The journal, which has small writes before RocksDB does. */
import fs from 'node:fs'
import { appendFile, cp, mkdir, readdir, readFile, rename, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { setTimeout } from 'node:timers/promises'
import test from 'ava'
import { encode, sizeOf } from '../../../plugins/storage-rocksdb/journal/record.ts'
import type { Write } from '../../../plugins/storage-rocksdb/writes.ts'
import { temporaryFolder } from '../../helpers/folder.ts'
import { seeded } from '../../helpers/random.ts'
import { holdUp, intercept, openRocks, recordsOf } from './disk.ts'
import {
  batches,
  bytesOf,
  endOf,
  holdBatches,
  inLoop,
  JOURNAL,
  killed,
  LOG,
  large,
  left,
  openDatabase,
  put,
  remove,
  textOf,
  textsIn
} from './journal-support.ts'
import { sample } from './samples.ts'

const record = (number: number, before: number, ...writes: Write[]) => encode(number, before, writes, sizeOf(writes)).bytes
const journalOf = async (repo: string) => (await readdir(join(repo, 'journal'))).sort()

test.serial('a small write is answered, seen and kept before RocksDB has it', async t => {
  const { database } = await openDatabase(t)
  await database.write([put('a', 'old'), put('b', 'old')])
  await database.sync()
  const held = holdBatches()
  await database.write([put('a', 'new'), remove('b'), put('c', 'new', 'pins')])
  t.is(textOf(await database.get('data', bytesOf('a'))), 'new')
  t.is(await database.get('data', bytesOf('b')), undefined)
  const all = await database.getAll('data', ['b', 'a', 'x'].map(bytesOf))
  t.deepEqual(all.map(textOf), [undefined, 'new', undefined])
  t.is(textOf(await database.get('pins', bytesOf('c'))), 'new')
  held.release()
  t.deepEqual(await textsIn(database), { a: 'new' })
})

test.serial('the death of the process before RocksDB has them takes no small write', async t => {
  const { repo, database } = await openDatabase(t)
  await database.write([put('a', 'old'), put('b', 'old')])
  await database.sync()
  const held = holdBatches()
  await database.write([put('a', 'new'), remove('b')])
  await database.write([put('a', 'newest')])
  const copy = await killed(t, repo)
  held.release()
  const again = await openDatabase(t, copy)
  t.deepEqual(await textsIn(again.database), { a: 'newest' })
  await again.database.close()
  t.deepEqual(await journalOf(copy), [], 'nothing is left to replay')
  t.deepEqual(await left(t, copy), { a: 'newest' })
})

test.serial('the arrays of a write may change once it is answered', async t => {
  const { database } = await openDatabase(t)
  const held = holdBatches()
  const write = put('key', 'value')
  await database.write([write])
  write.key.fill(0)
  write.value!.fill(0)
  t.is(textOf(await database.get('data', bytesOf('key'))), 'value')
  held.release()
  t.deepEqual(await textsIn(database), { key: 'value' })
})

test.serial('what a reader does to what it got is no change of the store', async t => {
  const { repo, database } = await openDatabase(t)
  const held = holdBatches()
  await database.write([put('a', 'one'), put('b', 'two')])
  const first = (await database.get('data', bytesOf('a')))!
  const [second] = await database.getAll('data', [bytesOf('b')])
  for (const bytes of [first, second!]) bytes.fill(0)
  t.is(textOf(await database.get('data', bytesOf('a'))), 'one')
  held.release()
  t.deepEqual(await textsIn(database), { a: 'one', b: 'two' })
  await database.close()
  t.deepEqual(await left(t, repo), { a: 'one', b: 'two' })
})

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

test.serial('a file whose number no marker can hold is none of the journal', async t => {
  const { repo, database } = await openDatabase(t)
  await database.write([put('a', 'one')])
  await database.close()
  await writeFile(join(repo, 'journal', '999999999999999.journal'), '')
  t.deepEqual(await left(t, repo), { a: 'one' })
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
  const { repo, database } = await openDatabase(t, undefined, { slow: 10 })
  await database.write([put('a', '0')])
  let writes = 0
  const restore = inLoop('writeSync', (call, ...args) => {
    writes++
    const until = performance.now() + 20
    while (performance.now() < until);
    return call(...args)
  })
  for (let i = 1; i <= 50; i++) await database.write([put('a', `${i}`)])
  restore()
  t.true(writes >= 2 && writes < 10, `${writes}`)
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

test('a file that was cut off, or of which any byte is another, is believed up to there', async t => {
  const folder = await temporaryFolder(t)
  const records = [1, 2, 3].map(i => record(i, i - 1, put(`k${i}`, 'v'.repeat(i)), remove('gone')))
  const whole = Buffer.concat(records)
  const ends = records.map((_, i) => records.slice(0, i + 1).reduce((sum, { byteLength }) => sum + byteLength, 0))
  const read = async (bytes: Uint8Array) => {
    await writeFile(join(folder, '00000001.journal'), bytes)
    const numbers: number[] = []
    const source = recordsOf(folder, 1)
    for (;;) {
      const { done, value } = await source.next()
      if (done === true) return { numbers, isWhole: value }
      numbers.push(value.number)
    }
  }
  for (let length = 0; length <= whole.length; length++) {
    const expected = [1, 2, 3].filter(i => ends[i - 1]! <= length)
    const isWhole = length === 0 || ends.includes(length)
    t.deepEqual(await read(whole.subarray(0, length)), { numbers: expected, isWhole }, `${length}`)
    if (length === whole.length) continue
    const damaged = Buffer.from(whole)
    damaged[length]! ^= 0x20
    t.deepEqual(await read(damaged), { numbers: [1, 2, 3].filter(i => ends[i - 1]! <= length), isWhole: false }, `byte ${length}`)
  }
})

test('nothing is believed behind what is lost: in a file, in the one before, or in the log of RocksDB', async t => {
  const { repo, database } = await openDatabase(t)
  await database.write([put('base', '1')])
  await database.close()
  const { number, first } = await endOf(t, repo)
  const journal = join(repo, 'journal')
  const file = (n: number) => join(journal, `${String(n).padStart(8, '0')}.journal`)
  const restored = async (files: Uint8Array[][]) => {
    const copy = await killed(t, repo)
    for (const [i, records] of files.entries()) await writeFile(file(first + i).replace(repo, copy), Buffer.concat(records))
    return left(t, copy)
  }
  const [one, two, three] = [1, 2, 3].map(i => record(number + i, number + i - 1, put(`k${i}`, 'v'))) as [Buffer, Buffer, Buffer]
  t.deepEqual(await restored([[one, two, three]]), { base: '1', k1: 'v', k2: 'v', k3: 'v' })
  t.deepEqual(await restored([[one], [two, three]]), { base: '1', k1: 'v', k2: 'v', k3: 'v' })
  t.deepEqual(await restored([[one, Buffer.alloc(two.byteLength), three]]), { base: '1', k1: 'v' }, 'a page was lost')
  t.deepEqual(await restored([[one, two.subarray(0, 10)], [three]]), { base: '1', k1: 'v' }, 'the end of the file before')
  t.deepEqual(await restored([[], [two, three]]), { base: '1' }, 'all of the file before')
  t.deepEqual(await restored([[record(number + 2, number + 1, put('k', 'v'))]]), { base: '1' }, 'a batch that only RocksDB had')
  t.deepEqual(await restored([[record(number, number - 1, put('base', '0')), one]]), { base: '1', k1: 'v' }, 'RocksDB had the first one')
})

test.serial('each write of the journal may fail, in each way: what was answered is kept', async t => {
  const ways = {
    'not at all': (_call: unknown) => {
      throw new Error('the disk is full')
    },
    'in part': (call: (...args: unknown[]) => unknown, fd: unknown, bytes: unknown, done: unknown, size: unknown, at: unknown) => {
      call(fd, bytes, done, Math.ceil((size as number) / 2), at)
      throw new Error('the disk is full')
    },
    'done and reported as failed': (call: (...args: unknown[]) => unknown, ...args: unknown[]) => {
      call(...args)
      throw new Error('the disk is full')
    }
  }
  for (const [how, fails] of Object.entries(ways))
    for (const canCut of [true, false])
      for (let failing = 1; failing <= 3; failing++) {
        const where = `write ${failing} ${how}, ${canCut ? '' : 'not '}cut off`
        const { repo, database } = await openDatabase(t)
        let count = 0
        const restores = [
          inLoop('writeSync', (call, ...args) =>
            ++count === failing ? (fails as (...all: unknown[]) => unknown)(call, ...args) : call(...args)
          ),
          inLoop('ftruncateSync', (call, ...args) => {
            if (!canCut) throw new Error('nor be cut')
            return call(...args)
          })
        ]
        for (let i = 1; i <= 6; i++) {
          await database.write([put('a', `${i}`), put(`k${i}`, 'v')])
          if (i === failing) t.is((await left(t, repo))['a'], `${i}`, where)
          // What it waits for after a failure.
          if (i === failing) await setTimeout(120)
        }
        for (const restore of restores) restore()
        const expected = { a: '6', k1: 'v', k2: 'v', k3: 'v', k4: 'v', k5: 'v', k6: 'v' }
        t.deepEqual(await left(t, repo), expected, where)
        await database.sync()
        t.deepEqual(await textsIn(database), expected, where)
        await database.close()
      }
})

test.serial('a write that is done in pieces is whole', async t => {
  const { repo, database } = await openDatabase(t)
  const held = holdBatches()
  const restore = inLoop('writeSync', (call, fd, bytes, done, size, at) => call(fd, bytes, done, Math.min(7, size as number), at))
  await database.write([put('a', 'x'.repeat(200))])
  await database.write([put('b', 'y')])
  restore()
  const copy = await killed(t, repo)
  held.release()
  t.deepEqual(await left(t, copy), { a: 'x'.repeat(200), b: 'y' })
})

test.serial('a kill at any step of the removal of a full file loses nothing, and an old file that comes back says nothing', async t => {
  const { repo, database } = await openDatabase(t, undefined, { journal: 64 << 10 })
  await database.write([large('first', 'x')])
  await database.sync()
  const fill = async (value: string, count = 70) => {
    for (let i = 0; i < count; i++) await database.write([put(`k${i % 10}`, value.repeat(1000))])
  }
  const expected = (value: string, copy: Record<string, string>) => {
    for (let i = 0; i < 10; i++) t.is(copy[`k${i}`], value.repeat(1000))
  }
  await fill('1', 50)
  expected('1', await left(t, repo))
  const [oldest] = await journalOf(repo)
  const kept = await readFile(join(repo, 'journal', oldest!))
  // The full file's content is in RocksDB's log, which is not on the disk.
  const log = holdUp('fdatasync', LOG)
  await fill('2', 20)
  await log.entered
  t.true((await journalOf(repo)).includes(oldest!))
  const amid = await killed(t, repo)
  log.release()
  expected('2', await left(t, amid))
  while ((await journalOf(repo)).includes(oldest!)) await setTimeout(5)
  expected('2', await left(t, repo))
  await fill('3', 20)
  const copy = await killed(t, repo)
  await writeFile(join(copy, 'journal', oldest!), kept)
  expected('3', await left(t, copy))
  const [next] = (await journalOf(copy)).slice(1)
  await cp(join(copy, 'journal', oldest!), join(copy, 'journal', 'x'))
  await appendFile(join(copy, 'journal', oldest!), 'torn')
  t.truthy(next)
  expected('3', await left(t, copy))
})

test.serial('a journal that is many times as large as what is held in memory is replayed', async t => {
  const repo = await temporaryFolder(t)
  await (await openDatabase(t, repo)).database.close()
  const { number, first } = await endOf(t, repo)
  await mkdir(join(repo, 'journal'), { recursive: true })
  const path = join(repo, 'journal', `${String(first).padStart(8, '0')}.journal`)
  const count = 4000
  for (let at = 0; at < count; at += 100) {
    const some = Array.from({ length: 100 }, (_, i) => record(number + at + i + 1, number + at + i, put(`k${at + i}`, 'v'.repeat(30_000))))
    await appendFile(path, Buffer.concat(some))
  }
  let largest = 0
  const sizes = batches(async write => {
    largest = Math.max(largest, process.memoryUsage().arrayBuffers)
    await write()
  })
  const rest = process.memoryUsage().arrayBuffers
  const { database } = await openDatabase(t, repo)
  sizes()
  t.true(largest - rest < 48 << 20, `${largest - rest} bytes of ${fs.existsSync(path)}`)
  t.is(Object.keys(await textsIn(database)).length, count)
})

test('with the setting journal 0 every write waits for RocksDB, and what a journal holds is taken over', async t => {
  const repo = await temporaryFolder(t)
  const first = await openRocks(repo)
  await first.blocks.putBytes(sample(1).multihash, sample(1).bytes)
  const copy = await killed(t, repo)
  t.is((await journalOf(copy)).length, 1)
  await first.storage.close()
  const second = await openRocks(copy, { journal: 0 })
  t.deepEqual(await second.blocks.getBytes(sample(1).multihash), sample(1).bytes)
  await second.blocks.putBytes(sample(2).multihash, sample(2).bytes)
  t.deepEqual(await journalOf(copy), [])
  await second.storage.close()
})

test('the folder of the journal is nobody else’s to read', async t => {
  const { repo, database } = await openDatabase(t)
  await database.write([put('a', '1')])
  const [name] = await journalOf(repo)
  if (process.platform === 'win32') return t.pass()
  t.is(fs.statSync(join(repo, 'journal')).mode & 0o777, 0o700)
  t.is(fs.statSync(join(repo, 'journal', name!)).mode & 0o777, 0o600)
})
