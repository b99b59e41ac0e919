/** The journal, which has small writes before RocksDB does. */
import fs from 'node:fs'
import { join } from 'node:path'
import test from 'ava'
import { bytesOf, put, remove, textOf, textsIn } from './entries.ts'
import { holdBatches } from './interception.ts'
import { journalOf, killed, left, openDatabase } from './repo.ts'

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

test('the folder of the journal is nobody else’s to read', async t => {
  const { repo, database } = await openDatabase(t)
  await database.write([put('a', '1')])
  const [name] = await journalOf(repo)
  if (process.platform === 'win32') return t.pass()
  t.is(fs.statSync(join(repo, 'journal')).mode & 0o777, 0o700)
  t.is(fs.statSync(join(repo, 'journal', name!)).mode & 0o777, 0o600)
})
