import test from 'ava'
import fc from 'fast-check'
import { RowTable } from '../../../core/blocks/row-table.ts'

type Width = 1 | 2 | 3 | 4

test('a table holds what a map does, whatever is put there, set and taken out', t => {
  const word = fc.oneof(fc.integer({ min: 0, max: 12 }), fc.integer({ min: -(2 ** 31), max: 2 ** 32 - 1 }))
  const step = fc.record({ words: fc.tuple(word, word, word, word), value: fc.nat(), remove: fc.boolean() })
  fc.assert(
    fc.property(fc.constantFrom<Width>(1, 2, 3, 4), fc.array(step, { maxLength: 300 }), (width, steps) => {
      const table = new RowTable({ key: width, hasValue: true, rows: 4 })
      const model = new Map<string, number>()
      const keys = new Map<string, readonly number[]>()
      for (const { words, value, remove } of steps) {
        const key = words.slice(0, width)
        key[width - 1] = key[width - 1]! === 0 ? 1 : key[width - 1]!
        const name = key.map(given => given >>> 0).join()
        keys.set(name, key)
        const [a, b, c, d] = key
        if (!remove) {
          table.setValue(table.add(a!, b, c, d), value)
          model.set(name, value)
        } else if (model.delete(name)) table.delete(table.find(a!, b, c, d))
        t.is(table.count, model.size)
      }
      for (const [name, [a, b, c, d]] of keys) {
        const place = table.find(a!, b, c, d)
        t.is(place < 0 ? undefined : table.value(place), model.get(name))
      }
      const firsts = [...model.keys()].map(name => Number(name.split(',')[0]))
      t.deepEqual([...table.firstWords()].toSorted(), firsts.toSorted())
    })
  )
})

test('a table grows by doubling, and leaves a quarter of its rows free', t => {
  const table = new RowTable({ key: 1, rows: 16 })
  for (let i = 1; i <= 100_000; i++) table.add(i)
  t.is(table.count, 100_000)
  t.is(table.rows, 2 ** 18)
  t.is(table.memory, 4 * 2 ** 18)
  t.false(table.isFull)
})
