import { all } from '../../helpers/streams.ts'
import 'reflect-metadata'
import test from 'ava'
import type { Key } from 'interface-datastore'
import { ProgressNotes } from '../../../plugins/pins/walk/progress.ts'
import { MemoryDatastore } from '../../../plugins/storage-memory/datastore.ts'
import { world } from './world.ts'

test('no note is written any more once all are forgotten, not even one that was on its way', async t => {
  const w = world()
  const root = w.leaf('root')
  const [reached, goOn] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()]
  class Slow extends MemoryDatastore {
    override async put(key: Key, value: Uint8Array): Promise<Key> {
      reached.resolve()
      await goOn.promise
      return super.put(key, value)
    }
  }
  const datastore = new Slow()
  const notes = new ProgressNotes(datastore)
  const saving = notes.save(root, { frames: [{ cid: root, links: [], next: 0 }], visited: 100 }, notes.era, async () => {})
  await reached.promise
  let isForgotten = false
  const forgetting = notes.forgetAll().finally(() => {
    isForgotten = true
  })
  for (let i = 0; i < 20; i++) await new Promise(resolve => setImmediate(resolve))
  const toldEarly = isForgotten
  goOn.resolve()
  await forgetting
  t.false(toldEarly, 'what is removed now the note would still count as there')
  t.deepEqual(await all(datastore.queryKeys({ prefix: '/pins/' })), [])
  await saving
  t.deepEqual(await all(datastore.queryKeys({ prefix: '/pins/' })), [])
})

test('a note that could not be written does not keep others from being forgotten', async t => {
  const w = world()
  const root = w.leaf('root')
  const datastore = new MemoryDatastore()
  const { put } = datastore
  const notes = new ProgressNotes(datastore)
  const progress = { frames: [{ cid: root, links: [], next: 0 }], visited: 100 }
  await notes.save(root, progress, notes.era, async () => {})
  datastore.put = () => Promise.reject(new Error('no room'))
  await t.throwsAsync(
    notes.save(root, progress, notes.era, async () => {}),
    { message: 'no room' }
  )
  datastore.put = put
  await notes.forgetAll()
  t.deepEqual(await all(datastore.queryKeys({ prefix: '/pins/' })), [])
})
