import test from 'ava'
import { goJson, plainNumbers } from '../../../core/go/json.ts'
import { MAX_DEPTH, parseFirstJson, parseJson } from '../../../plugins/configuration/json.ts'

for (const [text, message] of [
  ['', 'unexpected end of JSON input'],
  ['  ', 'unexpected end of JSON input'],
  ['{', 'unexpected end of JSON input'],
  ['"ab', 'unexpected end of JSON input'],
  ['"ab\\', "invalid character ' ' in string escape code"],
  ['"\\u12', "invalid character ' ' in \\u hexadecimal character escape"],
  ['"a\nb"', "invalid character '\\n' in string literal"],
  ['"\\x"', "invalid character 'x' in string escape code"],
  ['nul', "invalid character ' ' in literal null (expecting 'l')"],
  ['trug', "invalid character 'g' in literal true (expecting 'e')"],
  ['-', "invalid character ' ' in numeric literal"],
  ['01', "invalid character '1' after top-level value"],
  ['1.', "invalid character ' ' after decimal point in numeric literal"],
  ['1e+', "invalid character ' ' in exponent of numeric literal"],
  ['[1,]', "invalid character ']' looking for beginning of value"],
  ['[1 2]', "invalid character '2' after array element"],
  ["{'a':1}", "invalid character '\\'' looking for beginning of object key string"],
  ['{"a" 1}', "invalid character '1' after object key"],
  ['{"a":1"b"}', "invalid character '\"' after object key:value pair"],
  ['{"a":1,}', "invalid character '}' looking for beginning of object key string"],
  ['{"a":1} trailing', "invalid character 't' after top-level value"],
  ['é', "invalid character 'Ã' looking for beginning of value"],
  ['1e999', 'json: cannot unmarshal number 1e999 into Go value of type float64'],
  ['['.repeat(200_000), 'exceeded max depth']
] as const) {
  test(`'${text.slice(0, 20)}' is no JSON: ${message}`, t => void t.throws(() => parseJson(text), { message, code: 'E_JSON' }))
}

test('all kinds of JSON are read', t => {
  const text = ' {"a":[],"b":{},"c":[1,-2.5,0,1e2,1E-3,true,false,null,"\\u00e9\\n\\"/"],"__proto__":{"x":[[]]}} '
  t.deepEqual(plainNumbers(parseJson(text)), JSON.parse(text))
  t.is(goJson(parseJson('[1e2, 1E-3, 1.0, -0, 12345678901234567890123]')), '[1e2,1E-3,1.0,-0,12345678901234567890123]')
  t.is(({} as Record<string, unknown>)['x'], undefined)
  t.notThrows(() => parseJson('['.repeat(MAX_DEPTH) + ']'.repeat(MAX_DEPTH)))
  t.throws(() => parseJson('['.repeat(MAX_DEPTH + 1) + ']'.repeat(MAX_DEPTH + 1)), { code: 'E_JSON' })
})

test('of several values the first is read', t => {
  t.deepEqual(parseFirstJson('{"a":1} trailing'), { a: 1 })
  t.deepEqual(parseFirstJson('[1]{'), [1])
  t.is(parseFirstJson('null,'), null)
})
