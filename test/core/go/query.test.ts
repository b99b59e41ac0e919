import test from 'ava'
import fc from 'fast-check'
import { parseQuery, percentDecoded, queryUnescape, searchParams } from '../../../core/go/query.ts'

test('pairs keep their order and repeat', t => {
  t.deepEqual(parseQuery('arg=b&arg=a&x&y=&=z'), [
    ['arg', 'b'],
    ['arg', 'a'],
    ['x', ''],
    ['y', ''],
    ['', 'z']
  ])
  t.deepEqual(parseQuery(''), [])
  t.deepEqual(parseQuery('&&a=1=2&'), [['a', '1=2']])
})

test('plus is a space and escapes are resolved, in keys too', t => {
  t.deepEqual(parseQuery('a+b=c%20d%2Be&%C3%A9=%f0%9f%9a%80'), [
    ['a b', 'c d+e'],
    ['é', '🚀']
  ])
})

test('pairs with a broken escape or a semicolon are dropped, the others stay', t => {
  t.deepEqual(parseQuery('a=%zz&b=1;c=2&%=3&d=%4&e=5'), [['e', '5']])
})

test('bytes that are no UTF-8 are kept apart', t => {
  t.deepEqual(parseQuery('a=%ff%41'), [['a', '\udcffA']])
})

test('raw bytes, as the HTTP parser hands them on, are UTF-8', t => {
  t.deepEqual(parseQuery(Buffer.from('a=é世').toString('latin1')), [['a', 'é世']])
})

test('a single text complains about a broken escape', t => {
  t.is(queryUnescape('a+b%2fc'), 'a b/c')
  t.is(queryUnescape('é%C3%A9'), 'éé')
  t.is(t.throws(() => queryUnescape('a%zzb')).message, 'invalid URL escape "%zz"')
  t.is(t.throws(() => queryUnescape('a%4')).message, 'invalid URL escape "%4"')
})

test('whatever is escaped comes back', t => {
  const pair = fc.tuple(fc.string({ unit: 'grapheme' }), fc.string({ unit: 'grapheme' }))
  fc.assert(
    fc.property(fc.array(pair, { minLength: 1, maxLength: 5 }), pairs => {
      const query = new URLSearchParams(pairs).toString()
      t.deepEqual(
        parseQuery(query),
        pairs.map(([key, value]) => [key, value])
      )
    }),
    { numRuns: 200 }
  )
})

test('escapes are undone once, broken ones stay', t => {
  const texts: ReadonlyArray<readonly [text: string, decoded: string]> = [
    ['%41%2f%2F', 'A//'],
    ['%2541%', '%41%'],
    ['%4', '%4'],
    ['%%41%4g%g4%', '%A%4g%g4%'],
    ['%e9\xe9%FF', '\xe9\xe9\xff'],
    ['%@1%`1%/1%:1', '%@1%`1%/1%:1'],
    ['', '']
  ]
  for (const [text, decoded] of texts) t.is(percentDecoded(text), decoded)
})

// Node reads what is not ASCII otherwise where an escape beside it is broken.
const ESCAPED = ['a', '&', '=', '%41', '%C3%A9', '%EF%BB%BF', '+', '?', '%3D', '%26', '\n']
for (const parts of [
  [...ESCAPED, '\xe9', '\ud800'],
  [...ESCAPED, '%e9', '%zz', '%4', '%']
]) {
  test(`pairs of ${JSON.stringify(parts.slice(ESCAPED.length))}, as browsers read them are those of URLSearchParams, in a long query too`, t => {
    const text = fc.array(fc.constantFrom(...parts)).map(all => all.join(''))
    for (const long of ['', `&long=${'x'.repeat(5000)}`])
      fc.assert(fc.property(text, query => t.deepEqual([...searchParams(query + long)], [...new URLSearchParams(query + long)])))
  })
}
