import test from 'ava'
import { circles, middleTooLong, tooLong, tooWide, unknownCircles } from './shape.ts'

const imports = (...pairs: [from: string, to: string][]) => pairs.map(([from, to]) => ({ from, to, typeOnly: true }))

test('a file over 300 lines is refused, and a known one that grows', t => {
  const problems = (lines: number, known = {}) => tooLong(new Map([['core/a.ts', lines]]), known).length
  t.is(problems(300), 0)
  t.is(problems(301), 1)
  t.is(problems(310, { 'core/a.ts': 310 }), 0)
  t.is(problems(311, { 'core/a.ts': 310 }), 1)
})

test('a known file that is short now, or gone, has to leave the list', t => {
  t.regex(tooLong(new Map([['core/a.ts', 300]]), { 'core/a.ts': 310 })[0]!, /take it off the list/)
  t.regex(tooLong(new Map(), { 'core/a.ts': 310 })[0]!, /take it off the list/)
})

test('a median of 60 lines is refused', t => {
  t.deepEqual(middleTooLong([1, 59, 300]), [])
  t.is(middleTooLong([1, 60, 300]).length, 1)
})

test('a folder with 16 files in a row is refused, and those of its folders do not count', t => {
  const files = (count: number) => Array.from({ length: count }, (_, index) => `core/a/${index}.ts`)
  t.deepEqual(tooWide([...files(15), 'core/a/b/c.ts'], {}), [])
  t.is(tooWide(files(16), {}).length, 1)
  t.deepEqual(tooWide(files(16), { 'core/a': 16 }), [])
})

test('circles are found by their members, those of types too', t => {
  const round = imports(
    ['a.ts', 'b.ts'],
    ['b.ts', 'c.ts'],
    ['c.ts', 'a.ts'],
    ['c.ts', 'd.ts'],
    ['d.ts', 'e.ts'],
    ['x.ts', 'y.ts'],
    ['y.ts', 'x.ts']
  )
  t.deepEqual(circles(round), [
    ['a.ts', 'b.ts', 'c.ts'],
    ['x.ts', 'y.ts']
  ])
  t.deepEqual(circles(imports(['a.ts', 'b.ts'], ['a.ts', 'c.ts'], ['b.ts', 'c.ts'])), [])
})

test('a circle that is not known is refused, and a known one that is gone or smaller', t => {
  const round = imports(['a.ts', 'b.ts'], ['b.ts', 'a.ts'])
  t.deepEqual(unknownCircles(round, [['a.ts', 'b.ts']]), [])
  t.is(unknownCircles(round, []).length, 1)
  t.is(unknownCircles([], [['a.ts', 'b.ts']]).length, 1)
  t.is(unknownCircles(round, [['a.ts', 'b.ts', 'c.ts']]).length, 2)
})
