/** What a start takes over from a journal that is cut off, damaged, or was being removed, and writes of it that fail. */
import fs from 'node:fs'
import { appendFile, cp, mkdir, readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { setTimeout } from 'node:timers/promises'
import test, { type ExecutionContext } from 'ava'
import type { Write } from '../../../../plugins/storage-rocksdb/database/writes.ts'
import { temporaryFolder } from '../../../helpers/folder.ts'
import { holdUp, mendRecords, openRocks, recordsOf } from '../disk.ts'
import { sample } from '../samples.ts'
import { encoded, large, put, remove, textsIn } from './entries.ts'
import { batches, holdBatches, inLoop } from './interception.ts'
import { endOf, journalOf, killed, LOG, left, openDatabase } from './repo.ts'

const record = (number: number, before: number, ...writes: Write[]) => encoded({ number, before, writes })

test.serial('a file whose number no marker can hold is none of the journal', async t => {
  const { repo, database } = await openDatabase(t)
  await database.write([put('a', 'one')])
  await database.close()
  await writeFile(join(repo, 'journal', '999999999999999.journal'), '')
  t.deepEqual(await left(t, repo), { a: 'one' })
})

test('a file that was cut off, or of which any byte is another, is believed up to there', async t => {
  const folder = await temporaryFolder(t)
  const records = [1, 2, 3].map(i => record(i, i - 1, put(`k${i}`, 'v'.repeat(i)), remove('gone')))
  const whole = Buffer.concat(records)
  const ends = records.map((_, i) => records.slice(0, i + 1).reduce((sum, { byteLength }) => sum + byteLength, 0))
  const read = async (bytes: Uint8Array) => {
    await writeFile(join(folder, '00000001.journal'), bytes)
    const numbers: number[] = []
    const source = recordsOf(folder, 1, { last: 0 })
    for (;;) {
      const { done, value } = await source.next()
      if (done === true) return { numbers, broken: value }
      numbers.push(value.number)
    }
  }
  for (let length = 0; length <= whole.length; length++) {
    const expected = [1, 2, 3].filter(i => ends[i - 1]! <= length)
    const at = ends.filter(end => end <= length).at(-1) ?? 0
    const broken = at === length ? undefined : { at, behind: 0 }
    t.deepEqual(await read(whole.subarray(0, length)), { numbers: expected, broken }, `${length}`)
    if (length === whole.length) continue
    const damaged = Buffer.from(whole)
    damaged[length]! ^= 0x20
    t.deepEqual(await read(damaged), { numbers: expected, broken: { at, behind: 2 - expected.length } }, `byte ${length}`)
  }
})

/** A repo with one batch, four records that would follow it, the number of the file that they would stand in, and the path of such a file. */
async function withRecords(t: ExecutionContext) {
  const { repo, database } = await openDatabase(t)
  await database.write([put('base', '1')])
  await database.close()
  const { number, first } = await endOf(t, repo)
  const path = (file: number) => join(repo, 'journal', `${String(file).padStart(8, '0')}.journal`)
  const next = (i: number) => record(number + i, number + i - 1, put(`k${i}`, 'v'))
  return { repo, first, path, records: [next(1), next(2), next(3), next(4)] as const }
}

test('a single wrong bit of the journal is turned back, wherever it is', async t => {
  const { repo, first, path, records } = await withRecords(t)
  const whole = Buffer.concat(records)
  for (let byte = 0; byte < whole.byteLength; byte += 7) {
    const damaged = Buffer.from(whole)
    damaged[byte]! ^= 1 << (byte % 8)
    await writeFile(path(first), damaged)
    t.deepEqual(await mendRecords(join(repo, 'journal'), first), [byte])
    t.deepEqual(await readFile(path(first)), whole)
  }
  const damaged = Buffer.from(whole)
  damaged[30]! ^= 4
  await writeFile(path(first), damaged)
  const again = await openDatabase(t, repo)
  t.deepEqual(await textsIn(again.database), { base: '1', k1: 'v', k2: 'v', k3: 'v', k4: 'v' })
  await again.database.close()
})

test('a journal that is broken before whole batches is kept, and said to be', async t => {
  const { repo, first, path, records } = await withRecords(t)
  const [one, two, three, four] = records
  two[two.byteLength - 1]! ^= 3
  const broken = Buffer.concat([one, two, three])
  await writeFile(path(first), broken)
  await writeFile(path(first + 1), four)
  const again = await openDatabase(t, repo)
  t.deepEqual(await textsIn(again.database), { base: '1', k1: 'v' })
  t.deepEqual(again.database.damage, { path: `${path(first)}.damaged`, at: one.byteLength, behind: 2 })
  await again.database.close()
  t.deepEqual(
    await journalOf(repo),
    [first, first + 1].map(file => `${String(file).padStart(8, '0')}.journal.damaged`)
  )
  t.deepEqual(await readFile(`${path(first)}.damaged`), broken)
  t.deepEqual(await readFile(`${path(first + 1)}.damaged`), four)
  const after = await openDatabase(t, repo)
  t.is(after.database.damage, undefined)
})

test('so is one before which batches are missing, and what looks like records is counted in little time', async t => {
  const { repo, first, path, records } = await withRecords(t)
  const [one, two, three, four] = records
  await writeFile(path(first), one)
  await writeFile(path(first + 1), Buffer.concat([three, four]))
  const again = await openDatabase(t, repo)
  t.deepEqual(await textsIn(again.database), { base: '1', k1: 'v' }, 'the end of the first file was cut off')
  t.deepEqual(again.database.damage, { path: `${path(first + 1)}.damaged`, at: 0, behind: 2 })
  await again.database.close()
  // headers of long records without end, whose sums would all be made
  const header = Buffer.from(two.subarray(0, 24))
  header.writeUInt32BE(128 * 1024, 8)
  const copy = join(repo, 'journal', '00000001.journal')
  await writeFile(copy, Buffer.concat([Buffer.from('broken, and long enough'), Buffer.alloc(4 << 20, header)]))
  const began = process.cpuUsage()
  const read = await recordsOf(join(repo, 'journal'), 1, { last: 0 }).next()
  t.deepEqual(read, { done: true, value: { at: 0, behind: 0 } })
  const { user } = process.cpuUsage(began)
  t.true(user < 2_000_000, `${user} µs`)
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
  const buffersBefore = process.memoryUsage().arrayBuffers
  const { database } = await openDatabase(t, repo)
  sizes()
  t.true(largest - buffersBefore < 48 << 20, `${largest - buffersBefore} bytes of ${fs.existsSync(path)}`)
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
