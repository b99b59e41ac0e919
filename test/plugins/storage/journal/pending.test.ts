import test from 'ava'
import fc from 'fast-check'
import type { Family, Write } from '../../../../plugins/storage-rocksdb/database/writes.ts'
import { Pending } from '../../../../plugins/storage-rocksdb/journal/pending.ts'
import { sizeOf } from '../../../../plugins/storage-rocksdb/journal/record.ts'
import { slotOf } from '../../../../plugins/storage-rocksdb/journal/slab.ts'
import { bytesOf, put, remove, textOf } from './entries.ts'

/** As the database does it, with memory for a few batches at a time. */
function open() {
  const pending = new Pending(2048, 4096)
  let last = 0
  const encode = (writes: readonly Write[]) => {
    const record = { number: last + 1, before: last, writes }
    pending.encode(record, sizeOf(writes))
    return record
  }
  return {
    pending,
    encode,
    write(...writes: Write[]) {
      pending.keep(encode(writes))
      last++
    },
    /** The value of a key as a text; null where it was removed, undefined where nobody wrote it. */
    value(key: string, family: Family = 'data') {
      const found = pending.get(family, bytesOf(key))
      return found && (textOf(found.value) ?? null)
    }
  }
}

const textsOf = (writes: Iterable<Write>) => Array.from(writes, ({ key, value }) => [textOf(key), textOf(value)])

test('the last write of a key counts, whichever piece of memory it lies in, and each family has keys of its own', t => {
  const { pending, write, value } = open()
  for (let i = 0; i < 20; i++) write(put('a', `${i}`), put(`b${i}`, 'x'.repeat(200)), put('a', `s${i}`, 'state'))
  t.is(value('a'), '19')
  t.is(value('a', 'state'), 's19')
  t.is(value('a', 'pins'), undefined)
  t.is(value('b'), undefined)
  write(remove('a'))
  t.is(value('a'), null)
  t.is(value('a', 'state'), 's19')
  t.is(value('b7'), 'x'.repeat(200))
  let slabs = 0
  for (; !pending.isEmpty; slabs++) pending.done(pending.first())
  t.true(slabs > 5, `${slabs}`)
  t.is(pending.bytes, 0)
  t.is(value('a'), undefined)
})

test('what was encoded and not kept is nowhere', t => {
  const { pending, write, encode, value } = open()
  write(put('a', '1'))
  encode([put('a', '2'), put('b', '2')])
  t.is(value('a'), '1')
  t.is(value('b'), undefined)
  write(put('c', '3'))
  t.is(value('a'), '1')
  t.deepEqual(textsOf(pending.first().writes()), [
    ['a', '1'],
    ['c', '3']
  ])
})

test('what RocksDB was given does not change, and what is read is nobody else’s', t => {
  const { pending, write, value } = open()
  write(put('a', 'first'))
  const given = pending.first()
  const writes = [...given.writes()]
  const read = pending.get('data', bytesOf('a'))
  const [listed] = pending.within('data', {})
  write(put('a', 'later'))
  t.deepEqual(textsOf(given.writes()), [['a', 'first']])
  t.is(value('a'), 'later')
  pending.done(given)
  // the memory is used again
  for (let i = 0; i < 30; i++) write(put(`x${i}`, 'y'.repeat(100)))
  t.is(textOf(read!.value), 'first')
  t.is(textOf(listed!.value), 'first')
  t.not(textOf(writes[0]!.value), 'first', 'which is what this test is about')
})

test('memory that RocksDB may still look at is not used again, though all was forgotten', t => {
  const { pending, write } = open()
  write(put('a', 'given'))
  const given = pending.first()
  const writes = [...given.writes()]
  pending.clear()
  pending.done(given)
  for (let i = 0; i < 50; i++) write(put('b', 'y'.repeat(100)))
  t.deepEqual(textsOf(writes), [['a', 'given']])
  t.is(pending.get('data', bytesOf('a')), undefined)
})

test('a list has the last write of each key of its range, in the order of the keys', t => {
  const { pending, write } = open()
  for (let i = 0; i < 12; i++) write(put(`k${i % 4}`, `${i}`.padEnd(300)), put(`l${i}`, 'no', 'state'))
  write(remove('k1'))
  const listed = pending.within('data', { gte: bytesOf('k1'), lt: bytesOf('k3') })
  t.deepEqual(
    listed.map(({ key, value }) => [textOf(key), textOf(value)?.trim()]),
    [
      ['k1', undefined],
      ['k2', '10']
    ]
  )
})

test('keys that are looked for in one place are told apart', t => {
  const { pending, write, value } = open()
  const keys = Array.from({ length: 1500 }, (_, i) => `${i}/the same end`)
  write(...keys.slice(0, 80).map(key => put(key, key)))
  for (const key of keys.slice(80)) write(put(key, key))
  for (const key of keys) t.is(value(key), key)
  pending.releaseMemory()
  for (const key of keys) t.is(value(key), key)
})

test('keys that begin and end alike are looked for in different places', t => {
  const keys = Array.from({ length: 1500 }, (_, i) => bytesOf(`/dht/provider/${i}/the identity of the one provider of all of them`))
  const slots = new Set(keys.map(key => slotOf(key, 0, key.byteLength, 8191)))
  // 1,371 of 8,192 by chance
  t.true(slots.size > 1200, `${slots.size}`)
  const [key] = keys
  t.is(
    slotOf(Buffer.concat([bytesOf('before'), key!, bytesOf('behind')]), 6, 6 + key!.byteLength, 8191),
    slotOf(key!, 0, key!.byteLength, 8191)
  )
})

test('however small its writes are, there is room for all that a slab takes', t => {
  const { pending, write } = open()
  const empty = Array.from({ length: 440 }, (): Write => ({ family: 'data', key: new Uint8Array(0), value: undefined }))
  const short = Array.from({ length: 340 }, (_, i) => remove(i.toString(36).padStart(2)))
  for (let i = 0; i < 20; i++) write(...(i % 2 ? empty : short))
  t.is(pending.get('data', bytesOf('nobody')), undefined)
  t.true(pending.get('data', bytesOf(' a')) !== undefined)
})

test('as a map that forgets the oldest', t => {
  const key = fc.constantFrom('a', 'b', 'c', 'dd', 'ddd')
  const step = fc.oneof(
    fc.array(fc.record({ key, value: fc.option(fc.string({ maxLength: 80 }), { nil: undefined }) }), { minLength: 1, maxLength: 4 }),
    fc.constant('apply' as const)
  )
  fc.assert(
    fc.property(fc.array(step, { maxLength: 80 }), steps => {
      const { pending, write, value } = open()
      const database = new Map<string, string | null>()
      const all = new Map<string, string | null>()
      for (const step of steps) {
        if (step === 'apply') {
          if (pending.isEmpty) continue
          const slab = pending.first()
          for (const { key, value } of slab.writes()) database.set(textOf(key)!, textOf(value) ?? null)
          pending.done(slab)
        } else {
          write(...step.map(({ key, value }) => (value === undefined ? remove(key) : put(key, value))))
          for (const { key, value } of step) all.set(key, value ?? null)
        }
        for (const [key, last] of all) t.is(value(key) ?? (value(key) === null ? null : database.get(key)), last)
      }
    })
  )
})
