/** A RocksDB that cannot merge its tables, as on a full disk: what waits for that waits for ever, and so would a stop. */
import { join } from 'node:path'
import test, { type ExecutionContext } from 'ava'
import { Key } from 'interface-datastore'
import RocksDB from 'rocksdb'
import { temporaryFolder } from '../../../helpers/folder.ts'
import { Database, openRocks } from '../disk.ts'
import { sample } from '../samples.ts'

const [key, value] = [1, 2].map(byte => new Uint8Array(40).fill(byte)) as [Uint8Array, Uint8Array]

/** What is asked of a RocksDB that says this of itself, instead of being done; the properties and calls are its own again when the test ends. */
function calls(t: ExecutionContext, properties: Record<string, string>): string[] {
  const asked: string[] = []
  const { prototype } = RocksDB
  const { flush, compact, getProperty } = prototype
  t.teardown(() => Object.assign(prototype, { flush, compact, getProperty }))
  const noted = (name: string) => () => {
    asked.push(name)
    return Promise.resolve()
  }
  // its errors RocksDB counts with the family that it makes by itself
  const ask = async function (this: RocksDB, name: string) {
    return name === 'rocksdb.background-errors' && this._columnFamily.name !== 'default' ? '0' : properties[name]
  }
  Object.assign(prototype, { flush: noted('flush'), compact: noted('compact'), getProperty: ask })
  return asked
}

for (const [title, errors, tables, expected] of [
  ['is neither flushed nor asked to merge', '3', '20', []],
  ['that has few tables is', '3', '2', ['compact', 'flush']],
  ['that is only busy is', '0', '20', ['compact', 'flush']]
] as const) {
  test.serial(`a database that failed to merge its tables ${title}, and what was written is there at the next start`, async t => {
    const path = join(await temporaryFolder(t), 'db')
    const database = new Database(path, { writeBuffer: 1 << 20 })
    await database.open()
    await database.write([{ family: 'blocks', key, value }])
    const asked = calls(t, { 'rocksdb.background-errors': errors, 'rocksdb.num-files-at-level0': tables })
    await database.mergeTables('blocks')
    await database.close()
    t.deepEqual([...new Set(asked)], expected)
    const next = new Database(path, { writeBuffer: 1 << 20 })
    await next.open()
    t.deepEqual(await next.getAll('blocks', [key]), [value])
    await next.close()
  })
}

test.serial('a sync that needs tables is refused by a database that failed to merge those it has, and done once it has few', async t => {
  const database = new Database(join(await temporaryFolder(t), 'db'), { writeBuffer: 1 << 20 })
  await database.open()
  await database.write([{ family: 'blocks', key, value }])
  const properties: Record<string, string> = { 'rocksdb.background-errors': '3', 'rocksdb.num-files-at-level0': '20' }
  const asked = calls(t, properties)
  await t.throwsAsync(database.sync(), { message: /what its log may have lost is in memory alone until its tables are merged/ })
  t.deepEqual(asked, [])
  properties['rocksdb.num-files-at-level0'] = '2'
  await database.sync()
  t.true(asked.includes('flush'))
  await database.close()
})

test.serial(
  'writes that RocksDB would let wait for ever are refused, are in no later state, and are taken once it writes out its memory again',
  async t => {
    const told: Array<string | undefined> = []
    const path = join(await temporaryFolder(t), 'db')
    const database = new Database(path, { writeBuffer: 65_536, onRefusing: reason => told.push(reason) })
    await database.open()
    const large = { family: 'blocks', key, value: new Uint8Array(30_000) } as const
    await database.write([large])
    const properties: Record<string, string> = {}
    const asked = ['is-write-stopped', 'num-immutable-mem-table', 'num-running-flushes', 'num-running-compactions', 'num-files-at-level0']
    for (const name of [...asked, 'background-errors']) properties[`rocksdb.${name}`] = '0'
    calls(t, properties)
    Object.assign(properties, { 'rocksdb.is-write-stopped': '1', 'rocksdb.num-immutable-mem-table': '2', 'rocksdb.background-errors': '7' })
    const message = /refused a write: its memory or its tables are full, and cannot be written out or merged \(7 errors so far\)/
    for (const value of [key, key]) await t.throwsAsync(database.write([{ family: 'blocks', key: value, value }]), { message })
    t.regex(String(told), /its memory or its tables are full/)
    t.deepEqual(await database.get('blocks', key), large.value)
    properties['rocksdb.is-write-stopped'] = properties['rocksdb.num-immutable-mem-table'] = '0'
    await database.write([{ family: 'blocks', key, value }])
    t.is(told.at(-1), undefined)
    t.deepEqual(await database.get('blocks', key), value)
    await database.close()
  }
)

test.serial('a stop tells of each table that it has written out: one on a slow disk goes on', async t => {
  const { storage, blocks, data } = await openRocks(await temporaryFolder(t), { journal: 0 })
  const { multihash, bytes } = sample(1, 100)
  await blocks.putBytes(multihash, bytes)
  for (const name of ['/pins/one', '/names/one', '/one']) await data.put(new Key(name), value)
  const { prototype } = RocksDB
  const { flush } = prototype
  t.teardown(() => Object.assign(prototype, { flush }))
  const gates: Array<() => void> = []
  const all = Promise.withResolvers<void>()
  Object.assign(prototype, {
    async flush(this: RocksDB) {
      const gate = Promise.withResolvers<void>()
      // the families that were written, and that of the store's own
      if (gates.push(gate.resolve) === 5) all.resolve()
      await gate.promise
      await flush.call(this)
    }
  })
  let told = 0
  let next = Promise.withResolvers<void>()
  const closed = storage.close(() => {
    told++
    next.resolve()
  })
  await all.promise
  for (const open of gates) {
    const before = told
    next = Promise.withResolvers<void>()
    open()
    await next.promise
    t.is(told, before + 1)
  }
  await closed
})
