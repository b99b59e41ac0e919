import test from 'ava'
import { circles, inCircles, middleTooLong, tooLong, tooWide } from './shape.ts'

const imports = (...pairs: [from: string, to: string][]) => pairs.map(([from, to]) => ({ from, to, typeOnly: true }))

test('a file over 300 lines is refused', t => {
  const problems = (lines: number) => tooLong(new Map([['core/a.ts', lines]]))
  t.deepEqual(problems(300), [])
  t.deepEqual(problems(301), ['core/a.ts has 301 lines, and may have 300'])
})

test('a median of 60 lines is refused', t => {
  t.deepEqual(middleTooLong([1, 59, 300]), [])
  t.is(middleTooLong([1, 60, 300]).length, 1)
})

test('a folder with 16 files in a row is refused, and those of its folders do not count', t => {
  const files = (count: number) => Array.from({ length: count }, (_, index) => `core/a/${index}.ts`)
  t.deepEqual(tooWide([...files(15), 'core/a/b/c.ts']), [])
  t.is(tooWide(files(16)).length, 1)
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

test('a circle is refused', t => {
  t.deepEqual(inCircles(imports(['a.ts', 'b.ts'], ['b.ts', 'a.ts'])), ['a circle of imports: a.ts, b.ts'])
  t.deepEqual(inCircles(imports(['a.ts', 'b.ts'])), [])
})
