import { createHash } from 'node:crypto'
import { setImmediate } from 'node:timers/promises'
import test, { type ExecutionContext } from 'ava'
import { Census } from '../../../../plugins/storage-rocksdb/blocks/census.ts'
import { SizeTable } from '../../../../plugins/storage-rocksdb/blocks/size-table.ts'
import { inlineValue } from '../../../../plugins/storage-rocksdb/blocks/values.ts'
import type { Database, KeyValue, Write } from '../../../../plugins/storage-rocksdb/database/database.ts'
import { temporaryFolder } from '../../../helpers/folder.ts'
import { collectGarbage } from '../../../helpers/memory.ts'
import { openRocks } from '../backends.ts'
import { sample, samples } from '../samples.ts'

const key = (i: number) => new Uint8Array(createHash('sha256').update(String(i)).digest())

test('a table of sizes knows what a map knows, through growth, changes and removals', t => {
  const table = new SizeTable()
  const map = new Map<number, number>()
  const isApart = (size: number) => size % 4 === 1
  const sum = (sizes: number[]) => sizes.reduce((all, size) => all + size, 0)
  const check = () => {
    t.is(table.count, map.size)
    t.is(table.total, sum([...map.values()]))
    t.is(table.apart, sum([...map.values()].filter(isApart)))
  }
  for (let i = 0; i < 5000; i++) {
    const [set, gone] = [(i * 7919) % 3000, (i * 104_729) % 3000]
    table.set(key(set), i, isApart(i))
    map.set(set, i)
    if (i % 3 === 0) {
      table.delete(key(gone))
      map.delete(gone)
    }
    if (i % 500 === 0) check()
  }
  check()
  for (let i = 0; i < 3000; i++) t.is(table.has(key(i)), map.has(i))
  for (const i of map.keys()) table.delete(key(i))
  map.clear()
  check()
})

test('a table of sizes takes keys of any length and content', t => {
  const table = new SizeTable()
  const keys = [new Uint8Array(0), new Uint8Array(1), new Uint8Array([1]), new Uint8Array([2]), new Uint8Array(40).fill(255)]
  for (const one of keys) table.set(one, 1, true)
  t.true(table.count >= 3)
  for (const one of keys) table.delete(one)
  t.is(table.count, 0)
  t.is(table.total, 0)
  t.is(table.apart, 0)
})

test('a table of sizes keeps apart what is too large for it', t => {
  const table = new SizeTable()
  table.set(key(1), 2 ** 40, true)
  t.is(table.total, 2 ** 31 - 1)
  t.is(table.apart, 2 ** 31 - 1)
  table.set(key(1), 2 ** 40, false)
  t.is(table.total, 2 ** 31 - 1)
  t.is(table.apart, 0)
})

test('the totals follow what is put and removed, from the first block on and after a restart', async t => {
  const repo = await temporaryFolder(t)
  const first = await openRocks(repo, { largeBlocks: 'files' })
  t.deepEqual(await first.blocks.totals(), { blocks: 0, bytes: 0 })
  const stored = [...samples(100), ...samples(10, 9000)]
  await first.blocks.putAll(stored)
  await first.blocks.putAll(stored)
  t.deepEqual(await first.blocks.totals(), { blocks: 110, bytes: 100_000 })
  await first.blocks.deleteAll(samples(50).map(({ multihash }) => multihash))
  t.deepEqual(await first.blocks.totals(), { blocks: 60, bytes: 95_000 })
  t.deepEqual(await first.blocks.filesInRepo(), { folder: 'blocks', bytes: 90_000 })
  await first.storage.close()

  const second = await openRocks(repo, { largeBlocks: 'files' })
  await second.blocks.putBytes(sample(1).multihash, sample(1).bytes)
  t.deepEqual(await second.blocks.totals(), { blocks: 61, bytes: 95_100 })
  await second.blocks.putBytes(sample(1).multihash, sample(1).bytes)
  await second.blocks.deleteMultihash(sample(60, 100).multihash)
  t.deepEqual(await second.blocks.totals(), { blocks: 60, bytes: 95_000 })
  t.deepEqual(await second.blocks.filesInRepo(), { folder: 'blocks', bytes: 90_000 })
  await second.blocks.deleteMultihash(sample(0, 9000).multihash)
  t.deepEqual(await second.blocks.filesInRepo(), { folder: 'blocks', bytes: 81_000 })
  await second.storage.close()
})

test('a store that had few blocks when it was started counts what comes as it comes', async t => {
  const repo = await temporaryFolder(t)
  const first = await openRocks(repo)
  await first.blocks.putAll(samples(3))
  await first.storage.close()
  const { storage, blocks } = await openRocks(repo)
  await blocks.putAll(samples(2000))
  await blocks.deleteMultihash(sample(1).multihash)
  Object.assign(storage.database, { entries: () => t.fail('blocks are counted') })
  t.deepEqual(await blocks.totals(), { blocks: 1999, bytes: 199_900 })
  Reflect.deleteProperty(storage.database, 'entries')
  await storage.close()
})

/** A store with so many blocks that were stored by a process before, so that they are still to be counted. */
async function reopened(t: ExecutionContext, many: number) {
  const repo = await temporaryFolder(t)
  const first = await openRocks(repo)
  await first.blocks.putAll(samples(many))
  await first.storage.close()
  const opened = await openRocks(repo)
  opened.storage.census.forget()
  return opened
}

test('the totals are right although blocks come and go while they are counted', async t => {
  const { storage, blocks } = await reopened(t, 3000)
  const counting = [blocks.totals(), blocks.totals()]
  for (let i = 0; i < 300; i++) {
    await blocks.deleteMultihash(sample(i * 7).multihash)
    await blocks.putBytes(sample(5000 + i).multihash, sample(5000 + i).bytes)
    if (i % 2 === 0) await blocks.putBytes(sample(i * 7).multihash, sample(i * 7).bytes)
  }
  await Promise.all(counting)
  t.deepEqual(await blocks.totals(), { blocks: 3150, bytes: 315_000 })
  await storage.close()
})

test('a counting is given up when all who asked have left, and begins again for who comes next', async t => {
  const { storage, blocks } = await reopened(t, 2000)
  const [one, two] = [new AbortController(), new AbortController()]
  const left = [blocks.totals({ signal: one.signal }), blocks.totals({ signal: two.signal })]
  one.abort(new Error('one left'))
  two.abort(new Error('two left'))
  const outcomes = Promise.allSettled(left)
  t.deepEqual(await blocks.totals(), { blocks: 2000, bytes: 200_000 })
  for (const outcome of await outcomes) t.is(outcome.status, 'rejected')
  await storage.close()
})

test('a counting goes on for those who stay', async t => {
  const { storage, blocks } = await reopened(t, 2000)
  const stays = new AbortController()
  const both = [blocks.totals({ signal: stays.signal }), blocks.totals()]
  stays.abort(new Error('left'))
  await t.throwsAsync(both[0] as Promise<unknown>, { message: 'left' })
  t.deepEqual(await both[1], { blocks: 2000, bytes: 200_000 })
  await storage.close()
})

test('a counting holds none of the values that are written meanwhile, and counts them all', async t => {
  const listeners: Array<(writes: readonly Write[]) => void> = []
  const goOn = Promise.withResolvers<void>()
  async function* entries(): AsyncGenerator<KeyValue> {
    yield { key: key(0), value: inlineValue(new Uint8Array(10)) }
    await goOn.promise
    // A range of before the writes.
    for (const i of [1, 2]) yield { key: key(i), value: inlineValue(new Uint8Array(10)) }
  }
  const database: Pick<Database, 'onWritten' | 'entries'> = { onWritten: listener => void listeners.push(listener), entries }
  const census = new Census(database as Database)
  const counting = census.totals()

  const written: Array<WeakRef<Uint8Array>> = []
  const write = (i: number, value: Uint8Array | undefined) => {
    if (value !== undefined) written.push(new WeakRef(value))
    for (const listener of listeners) listener([{ family: 'blocks', key: key(i), value }])
  }
  write(2, undefined)
  for (let i = 3; i < 100; i++) write(i, inlineValue(new Uint8Array(4096)))
  write(0, inlineValue(new Uint8Array(20)))
  write(3, undefined)
  await setImmediate()
  collectGarbage()
  t.is(written.filter(ref => ref.deref() !== undefined).length, 0)

  goOn.resolve()
  t.deepEqual(await counting, { blocks: 98, bytes: 20 + 10 + 96 * 4096, apart: 0 })
  t.deepEqual(await census.totals(), { blocks: 98, bytes: 20 + 10 + 96 * 4096, apart: 0 })
})
