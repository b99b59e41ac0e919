import test from 'ava'
import { patternsIn, slowness } from './patterns.ts'

test('regular expressions are found wherever they stand in a file, and told from divisions', async t => {
  const text = `@injectable() class A<T> { #at = /a+/g; of(n: number): number { return n / 2 / (n as number) } }
    const made = [new RegExp('b'), RegExp('c'), \`\${/d/.source}\`, '/e/'] // /f/`
  const { patterns, made } = await patternsIn('a.ts', text)
  t.deepEqual(
    patterns.map(({ source, flags }) => `/${source}/${flags}`),
    ['/a+/g', '/d/']
  )
  t.is(made, 2)
})

const slow: ReadonlyArray<readonly [what: string, pattern: RegExp]> = [
  ['digits that two parts of it take', /^(?:\d[\d_]*\.?[\d_]*|\.\d[\d_]*)(?:e[-+]?\d[\d_]*)?$/],
  ['an end that is looked for from every place', /\/+$/],
  ['a name that ends anew at each mark', /^\S+ (?:(.*?) )?<(.*?)>(?: (\S*))?(?: (\S*))?/],
  ['a repetition in a repetition', /^(?:a+)+$/]
]

for (const [what, { source, flags }] of slow) {
  test(`a slow pattern is noticed: ${what}`, t => {
    t.regex(slowness({ file: 'a.ts', source, flags }) ?? 'not noticed', /^(?:2nd degree polynomial|exponential), as with /)
  })
}

test('a pattern that takes each character once is not slow', t => {
  t.is(slowness({ file: 'a.ts', source: '^\\d[\\d_]*(?:\\.[\\d_]*)?$', flags: '' }), undefined)
})
