import test from 'ava'
import { circles, inCircles, tooLong } from './shape.ts'

const imports = (...pairs: [from: string, to: string][]) => pairs.map(([from, to]) => ({ from, to, typeOnly: true }))

test('a file over 700 lines is refused', t => {
  const problems = (lines: number) => tooLong(new Map([['core/a.ts', lines]]))
  t.deepEqual(problems(700), [])
  t.deepEqual(problems(701), ['core/a.ts has 701 lines, and may have 700'])
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
