import test from 'ava'
import { Fingerprints } from '../../../plugins/blocks/fingerprints.ts'

/** Processor time of a set of so many fingerprints, in microseconds. */
function cost(count: number, print: (i: number) => number): number {
  const set = new Fingerprints()
  const before = process.cpuUsage()
  for (let i = 1; i <= count; i++) set.add(print(i) >>> 0 || 1)
  const { user, system } = process.cpuUsage(before)
  return user + system
}

test('fingerprints that were made to share bits take no more than others, by far', t => {
  const count = 60_000
  const scattered = cost(count, i => Math.imul(i, 0x85ebca6b))
  for (const [bits, print] of [
    ['low', (i: number) => i << 16],
    ['high', (i: number) => i]
  ] as const) {
    // a set whose slots depended on those bits alone took a thousand times as long
    t.true(cost(count, print) < 30 * scattered + 100_000, `the same ${bits} bits`)
  }
})

test('what was added is there, also in what it was added to as a whole', t => {
  const [one, other] = [new Fingerprints(), new Fingerprints()]
  for (let i = 1; i <= 5000; i++) (i % 2 === 0 ? one : other).add(i)
  one.addAll(other)
  t.is(one.size, 5000)
  for (let i = 1; i <= 5000; i++) t.true(one.has(i))
  t.false(one.has(5001))
})

test('sets of none, of one and of few say the same as larger ones, alone and added to others', t => {
  const of = (...prints: number[]) => {
    const set = new Fingerprints()
    for (const print of prints) set.add(print)
    return set
  }
  const sets: ReadonlyArray<readonly number[]> = [[], [7], [7, 7], [7, 8], [7, 8, 7], Array.from({ length: 40 }, (_, i) => i + 1)]
  for (const one of sets) {
    t.is(of(...one).size, new Set(one).size)
    for (const print of [1, 7, 8, 40, 41]) t.is(of(...one).has(print), one.includes(print))
    for (const other of sets) {
      const both = of(...one)
      both.addAll(of(...other))
      t.is(both.size, new Set([...one, ...other]).size)
      for (const print of [1, 7, 8, 40, 41]) t.is(both.has(print), one.includes(print) || other.includes(print))
    }
  }
})
