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
