import test, { type ExecutionContext } from 'ava'
import { IdleCollection } from '../../../../host/cli/memory/idle-collection.ts'

/** Looks once for each of these shares of a second that the event loop was busy. */
function collectionsOf(t: ExecutionContext, busy: readonly number[], heapUsed = 0): number {
  let collections = 0
  let told = 0
  let before = 0
  const left = busy.values()
  const collection = new IdleCollection({
    utilization: () => {
      const utilization = left.next().value ?? 0
      return { active: utilization * 1000, idle: (1 - utilization) * 1000, utilization }
    },
    beforeCollected: () => t.is(before++, collections),
    collect: () => collections++,
    onCollected: () => told++,
    heapUsed: () => heapUsed
  })
  for (const _ of busy) collection.look()
  collection.stop()
  t.is(told, collections)
  t.true(before >= collections)
  return collections
}

test('memory is given back once after work, when the event loop has been quiet for four looks', t => {
  t.is(collectionsOf(t, [0.9, 0.9]), 0)
  t.is(collectionsOf(t, [0.9, 0, 0, 0]), 0)
  t.is(collectionsOf(t, [0.9, 0, 0, 0, 0]), 1)
  t.is(collectionsOf(t, [0.9, 0, 0, 0, 0, 0, 0, 0, 0, 0]), 1)
  t.is(collectionsOf(t, [0.9, 0, 0, 0, 0.5, 0, 0, 0]), 0)
  t.is(collectionsOf(t, [0.9, 0, 0, 0, 0.5, 0, 0, 0, 0]), 1)
  t.is(collectionsOf(t, [0.9, 0, 0, 0, 0, 0.9, 0, 0, 0, 0, 0]), 2)
})

test('a little work is not worth it until there was enough of it', t => {
  t.is(collectionsOf(t, [0.1, 0, 0, 0, 0, 0, 0]), 0)
  t.is(collectionsOf(t, [0.1, 0, 0, 0, 0, 0.1, 0, 0, 0, 0]), 1)
})

test('a large heap is left alone', t => {
  t.is(collectionsOf(t, [0.9, 0, 0, 0, 0], 2 ** 28 + 1), 0)
})

test('the collection of a process really gives memory back', t => {
  const looks = [{ active: 1000, idle: 0, utilization: 1 }, ...Array.from({ length: 4 }, () => ({ active: 0, idle: 1000, utilization: 0 }))]
  const collection = new IdleCollection({ utilization: () => looks.shift()! })
  let garbage: unknown[] | undefined = Array.from({ length: 500_000 }, (_, i) => ({ i }))
  const full = process.memoryUsage().heapTotal
  t.is(garbage.length, 500_000)
  garbage = undefined
  for (let i = 0; i < 5; i++) collection.look()
  collection.stop()
  t.true(process.memoryUsage().heapTotal < full - (10 << 20))
})
