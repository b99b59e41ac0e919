import { createHash } from 'node:crypto'
import test from 'ava'
import { Marks } from '../../../../plugins/pins/collection/marks.ts'

const hashOf = (i: number) => Buffer.concat([Buffer.of(0x12, 32), createHash('sha256').update(String(i)).digest()])

test('marks know what was added to them, under each codec, and nothing else', t => {
  const marks = new Marks()
  for (let i = 0; i < 20_000; i++) t.true(marks.add(hashOf(i), 0x55))
  t.is(marks.size, 20_000)
  t.false(marks.add(hashOf(7), 0x55))
  t.true(marks.add(hashOf(7), 0x70))
  t.true(marks.add(hashOf(-1), 0x71))
  t.is(marks.size, 20_002)
  t.true(marks.has(hashOf(-1)))
  for (let i = 0; i < 20_000; i++) if (!marks.has(hashOf(i))) t.fail(`${i} is missing`)
  for (let i = 20_000; i < 40_000; i++) if (marks.has(hashOf(i))) t.fail(`${i} was never added`)
})

test('a mark takes some 20 bytes', t => {
  const marks = new Marks()
  for (let i = 0; i < 100_000; i++) marks.add(hashOf(i), 0x55)
  t.true(marks.memory / marks.size < 30, String(marks.memory / marks.size))
})

test('multihashes of any length are told apart', t => {
  const marks = new Marks()
  const all = [0, 1, 2, 3, 4, 5, 64, 130, 200].map(length => new Uint8Array(length))
  for (const multihash of all) t.true(marks.add(multihash, 0x55))
  for (const multihash of all) t.true(marks.has(multihash))
  const last = new Uint8Array(200)
  last[199] = 1
  t.false(marks.has(last))
})

test('nobody can make two identity CIDs that look the same', t => {
  for (let secret = 0; secret < 50; secret++) {
    const marks = new Marks()
    const one = new Uint8Array(132).fill(7)
    marks.add(one, 0)
    for (let bit = 0; bit < one.length * 8; bit++) {
      const other = one.slice()
      other[bit >> 3]! ^= 1 << (bit & 7)
      if (!marks.add(other, 0)) t.fail(`bit ${bit}`)
      // Two bits of the same place in two words.
      if (bit < 32) continue
      other[(bit >> 3) - 4]! ^= 1 << (bit & 7)
      if (!marks.add(other, 0)) t.fail(`bits ${bit} and ${bit - 32}`)
    }
  }
  t.pass()
})

test('marks that share their factors become one, whichever has more, and others are not touched', t => {
  for (const [few, many] of [
    [10, 3000],
    [3000, 10]
  ] as const) {
    const first = new Marks()
    const second = new Marks(first)
    for (let i = 0; i < few; i++) first.add(hashOf(i), 0x55)
    for (let i = 5; i < many; i++) second.add(hashOf(i), 0x70)
    second.add(hashOf(1), 0x55)
    t.false(second.hasUnder(hashOf(0), 0x55))
    t.false(first.hasUnder(hashOf(6), 0x70))
    const both = first.with(second)
    t.is(both.size, few + many - 5)
    for (let i = 0; i < 4000; i++) {
      t.is(both.hasUnder(hashOf(i), 0x55), i < few)
      t.is(both.hasUnder(hashOf(i), 0x70), i >= 5 && i < many)
    }
    t.false(both.add(hashOf(few - 1), 0x55))
  }
})
