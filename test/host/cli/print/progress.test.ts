import test from 'ava'
import { barText, ProgressSum } from '../../../../host/cli/print/progress.ts'

test('what is said of one thing after the other adds up', t => {
  const sum = new ProgressSum()
  const all = [
    { done: 5, of: 'a' },
    { done: 10, of: 'a' },
    { done: 3, of: 'b' },
    { done: 4, of: 'b' },
    { done: 1, of: 'b' }
  ].map(said => sum.add(said))
  t.deepEqual(all, [5, 10, 13, 14, 15])
})

test('single things that each count one add up too', t => {
  const sum = new ProgressSum()
  t.deepEqual(
    ['x', 'y', 'z'].map(of => sum.add({ done: 1, of })),
    [1, 2, 3]
  )
})

const MiB = 1 << 20

test('a bar shows bytes, part, rate and time left, in the width there is', t => {
  t.is(
    barText({ done: 25 * MiB, total: 100 * MiB, unit: 'bytes', elapsed: 5000 }, 79),
    '25.00 MiB / 100.00 MiB [======>                      ]  25% 5.00 MiB/s 15s left'
  )
  t.is(barText({ done: 25 * MiB, total: 100 * MiB, unit: 'bytes', elapsed: 5000 }, 20), '25.00 MiB / 100.00 M')
  t.is(barText({ done: 100, total: 100, unit: 'bytes', elapsed: 1000 }, 40), '100 B / 100 B [===========] 100% 100 B/s')
  for (const width of [10, 30, 50, 79, 200]) {
    t.true(barText({ done: 3, total: 9 * MiB, unit: 'bytes', elapsed: 9 }, width).length <= width)
  }
})

test('without a total it shows what is done', t => {
  t.is(barText({ done: 1234, total: undefined, unit: 'nodes', elapsed: 2000 }, 79), '1234 nodes 617 nodes/s')
  t.is(barText({ done: 0, total: undefined, unit: 'bytes', elapsed: 0 }, 79), '0 B')
  t.is(barText({ done: 5000, total: 0, unit: 'bytes', elapsed: 0 }, 79), '4.88 KiB')
})
