/** What the database promises where its log cannot be made durable: its tables say the same. */
import { cp, readdir, rm } from 'node:fs/promises'
import { join } from 'node:path'
import test, { type ExecutionContext } from 'ava'
import RocksDB from 'rocksdb'
import { temporaryFolder } from '../../../helpers/folder.ts'
import { Database, intercept } from '../disk.ts'

const LOG = /\.log$/
const settings = { writeBuffer: 1 << 20 }
const [key, other, value] = [1, 2, 3].map(byte => new Uint8Array(40).fill(byte)) as [Uint8Array, Uint8Array, Uint8Array]
type Flushing = { flush(): Promise<void> }

async function openDatabase(t: ExecutionContext) {
  const path = join(await temporaryFolder(t), 'db')
  const database = new Database(path, settings)
  await database.open()
  // The database's own calls to RocksDB end before it is closed.
  t.teardown(() => database.close())
  return { path, database }
}

/** What the keys of a family say when nothing of the log has reached the disk. */
async function withoutLog(t: ExecutionContext, path: string, keys: readonly Uint8Array[], family: 'pins' | 'blocks' = 'pins') {
  const copy = join(await temporaryFolder(t), 'db')
  await cp(path, copy, { recursive: true })
  for (const name of await readdir(copy)) if (LOG.test(name)) await rm(join(copy, name))
  const database = new Database(copy, settings)
  await database.open()
  try {
    return await database.getAll(family, keys)
  } finally {
    await database.close()
  }
}

/** Has `around` stand for one call of RocksDB's until the function that this returns is called. */
function replace<T extends object, K extends keyof T>(of: T, name: K, around: (call: T[K]) => T[K]): () => void {
  const real = of[name]
  of[name] = around(real)
  return () => {
    of[name] = real
  }
}

const failing = () => intercept('fdatasync', (path, call) => (LOG.test(path) ? Promise.reject(new Error('the disk lost it')) : call()))

test.serial('a log whose sync failed once is not believed when the next one succeeds', async t => {
  const { path, database } = await openDatabase(t)
  await database.sync()
  await database.write([{ family: 'pins', key, value }])
  const restore = failing()
  const restoreFlush = replace(RocksDB.prototype as Flushing, 'flush', () => () => Promise.reject(new Error('no table either')))
  await t.throwsAsync(database.sync(), { message: /no table either/ })
  restore()
  restoreFlush()
  await database.sync()
  t.deepEqual(await withoutLog(t, path, [key]), [value])
})

test.serial('a batch that is on its way while tables are written is part of the next ones', async t => {
  const { path, database } = await openDatabase(t)
  await database.write([{ family: 'pins', key: other, value }])
  const restore = failing()
  const gate = Promise.withResolvers<void>()
  const entered = Promise.withResolvers<void>()
  const restoreWrite = replace(RocksDB.prototype as { write(...how: unknown[]): Flushing }, 'write', real => {
    return function (this: RocksDB, ...how) {
      const batch = real.apply(this as never, how)
      const flush = batch.flush.bind(batch)
      batch.flush = async () => {
        entered.resolve()
        await gate.promise
        await flush()
      }
      return batch
    }
  })
  const writing = database.write([{ family: 'pins', key, value }])
  await entered.promise
  restoreWrite()
  await database.sync()
  gate.resolve()
  await writing
  await database.sync()
  restore()
  t.deepEqual(await withoutLog(t, path, [key, other]), [value, value])
})

test.serial('what comes into a broken log as its tables begin to be written becomes a table as well', async t => {
  const { path, database } = await openDatabase(t)
  await database.sync()
  await database.write([{ family: 'pins', key, value }])
  const restore = failing()
  let late: Promise<void> | undefined
  const restoreFlush = replace(RocksDB.prototype as Flushing, 'flush', real => {
    return async function (this: Flushing) {
      late ??= database.write([{ family: 'blocks', key: other, value }])
      await late
      await real.call(this)
    }
  })
  await database.sync()
  restore()
  restoreFlush()
  await late
  await database.sync()
  t.deepEqual(await withoutLog(t, path, [other], 'blocks'), [value])
})
