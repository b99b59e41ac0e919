import test from 'ava'
import { endOfJson, JsonTextError, placeOfKey, placeText } from '../../../core/go/json-text.ts'

const options = { maxDepth: 256 }

for (const [text, place] of [
  ['x', 'line 1 column 1'],
  ['{\n"a": {\n  "b": [1, {"c": tru}]}}', 'line 3 column 21, in a.b[1].c'],
  ['{"a": {"b": 1}, "c" 1}', 'line 1 column 21, in c'],
  ['{"a": 1,}', 'line 1 column 9'],
  ['{"a": {"b": 1,}}', 'line 1 column 15, in a'],
  ['[[], [1\n\n2]]', 'line 3 column 1, in [1][0]'],
  ['{"a\\nb\\u001b": ?}', 'line 1 column 16, in a\\nb\\x1b'],
  [`{"${'k'.repeat(1000)}": ?}`, `line 1 column 1006, in ${'k'.repeat(100)}…`]
] as const) {
  test(`what is wrong with ${text.slice(0, 40)} stands at ${place.slice(0, 40)}`, t => {
    const error = t.throws(() => endOfJson(text, options), { instanceOf: JsonTextError })
    t.is(placeText(error!.place), place)
  })
}

test('the value of a member is found by its name in any case, the last of several', t => {
  const text = '{\n"a": {"B": 1, "list": [1,\n {"x": 2}]},\n"A": {"b":\n 3}}'
  t.deepEqual(placeOfKey(text, 'a.b', options), { line: 5, column: 2, key: 'A.b' })
  t.deepEqual(placeOfKey(text, 'a.list[1].x', options), { line: 3, column: 8, key: 'a.list[1].x' })
  t.is(placeOfKey(text, 'a.c', options), undefined)
})
