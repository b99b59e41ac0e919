import test from 'ava'
import { trimRight } from '../../../core/go/trim.ts'

test('what stands at the end is cut, as far as it is in the set', t => {
  t.is(trimRight('/a//', '/'), '/a')
  t.is(trimRight('a. . b. .', '. '), 'a. . b')
  t.is(trimRight('///', '/'), '')
  t.is(trimRight('', '/'), '')
  t.is(trimRight('a', ''), 'a')
})
