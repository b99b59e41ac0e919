import test from 'ava'
import type { Lease, Removal } from '../../../core/index.ts'
import { Barrier } from '../../../plugins/blocks/barrier.ts'
import { cidOf, hashOf, held, isSettled } from './settled.ts'

/** The roots that a removal is given to look at. */
async function lookedAt(removal: Removal): Promise<string[]> {
  const roots: string[] = []
  await removal.run(
    async ({ cid }) => void roots.push(cid.toString()),
    async () => {}
  )
  return roots
}

test('what is being read a collection looks at, until it was read, and nobody else who removes', async t => {
  const barrier = new Barrier()
  const [early, late] = [cidOf('early'), cidOf('late')]
  const first = barrier.reading(early)
  t.false(first instanceof Promise, 'nothing to wait for')
  const [collection, removal] = [barrier.removal({ sparesReads: true }), barrier.removal()]
  const second = barrier.reading(late) as Lease
  t.deepEqual(await lookedAt(removal), [])
  t.deepEqual(await lookedAt(collection), [early.toString(), late.toString()])
  t.deepEqual(await lookedAt(collection), [], 'once')
  const other = barrier.reading(late) as Lease
  other.release()
  t.deepEqual(await lookedAt(collection), [], 'it was read before anybody looked')
  barrier.storing(hashOf('fetched'))
  collection.release()
  removal.release()
  const next = barrier.removal({ sparesReads: true })
  t.true(next.keeps(hashOf('fetched')), 'what came since')
  t.is(next.inUse(hashOf('fetched')), undefined, 'it is nobody')
  second.release()
  ;(first as Lease).release()
  t.false(next.keeps(hashOf('fetched')))
})

test('who begins to read while blocks are being removed waits for that', async t => {
  const barrier = new Barrier()
  const { until, go } = held()
  const removing = barrier.removal({ sparesReads: true }).run(
    async () => {},
    () => until
  )
  const reading = barrier.reading(cidOf('a'))
  t.true(reading instanceof Promise)
  t.false(await isSettled(reading as Promise<Lease>))
  go()
  await removing
  ;(await reading).release()
})

test('readers who come and go beside a collection that nobody goes on with leave nothing behind', async t => {
  const barrier = new Barrier()
  const collection = barrier.removal({ sparesReads: true })
  for (let i = 0; i < 10_000; i++) (barrier.reading(cidOf('a')) as Lease).release()
  t.deepEqual(await lookedAt(collection), [])
})
