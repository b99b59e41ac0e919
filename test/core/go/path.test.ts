import test from 'ava'
import fc from 'fast-check'
import { cleanPath } from '../../../core/go/path.ts'

for (const [path, clean] of [
  ['', '.'],
  ['.', '.'],
  ['/', '/'],
  ['//', '/'],
  ['/a//b/./c/', '/a/b/c'],
  ['/a/../..', '/'],
  ['/../a', '/a'],
  ['a/..', '.'],
  ['../a/../..', '../..'],
  ['a/../../b', '../b'],
  ['/a/b/../c', '/a/c']
] as const) {
  test(`the path ${JSON.stringify(path)} is cleaned to ${clean}`, t => t.is(cleanPath(path), clean))
}

test('a clean rooted path has no way out and stays as it is', t => {
  const name = fc.constantFrom('a', 'b', '..', '.', '')
  fc.assert(
    fc.property(fc.array(name, { maxLength: 12 }), names => {
      const clean = cleanPath(`/${names.join('/')}`)
      t.true(clean.startsWith('/') && !clean.split('/').includes('..'))
      t.is(cleanPath(clean), clean)
    }),
    { numRuns: 200 }
  )
})
