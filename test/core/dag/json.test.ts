import test from 'ava'
import fc from 'fast-check'
import { dagCbor } from '../../../core/dag/codecs/cbor/cbor.ts'
import { dagJsonCodec, jsonCodec } from '../../../core/dag/codecs/json/json.ts'
import { NodeError } from '../../../core/errors.ts'
import { dagJson, json } from './codecs.ts'
import { JSON_PIECES } from './json-pieces.ts'
import { refusals } from './refusals.ts'
import { EMPTY_DIR, failure, hex, nodes, text, toHex, utf8 } from './samples.ts'

const again = (input: string | Uint8Array) => text(dagJson.encode!(dagJson.decode(typeof input === 'string' ? utf8(input) : input)))

for (const [input, output] of [
  ['-0', '0'],
  ['01', '0'],
  ['1x', '1'],
  ['1.0', '1.0'],
  ['-0.0', '-0.0'],
  ['0e5', '0.0'],
  ['18446744073709551615', '18446744073709551615'],
  ['0.10000000000000001', '0.1'],
  ['0.1000000000000000055511151231257827021181583404541015625', '0.1'],
  ['5e-324', '5e-324'],
  ['5.', '5.0'],
  ['1e21', '1e+21'],
  ['1e-7', '1e-7'],
  ['-1.5e10', '-15000000000.0'],
  ['9007199254740993', '9007199254740993'],
  ['nope', 'null'],
  ['"\\u0041\\n\\t\\"\\\\\\/"', '"A\\n\\t\\"\\\\/"'],
  ['"\\ud83d\\ude00"', '"😀"'],
  ['"<>&\\u2028\\u007f\\u0001"', '"<>&\\u2028\u007f\\u0001"'],
  ['[1,]', '[1]'],
  ['{"b":1,"a":2,"aa":3}', '{"a":2,"aa":3,"b":1}'],
  ['{"a":1,"b":2,}', '{"a":1,"b":2}'],
  ['{"/":1}', '{"/":1}'],
  ['{"/":{"bytes":"AQI="}}', '{"/":{"bytes":"AQI"}}'],
  ['{"/":{"bytes":"AQI",},}', '{"/":{"bytes":"AQI"}}'],
  ['{"\\/":{"bytes":"AQI"}}', '{"/":{"bytes":"AQI"}}'],
  ['{"/":{"bytes":"AQ","x":1}}', '{"/":{"bytes":"AQ","x":1}}'],
  [`{"/":"${EMPTY_DIR}"}`, `{"/":"${EMPTY_DIR}"}`],
  [`{"x":1,"/":"${EMPTY_DIR}"}`, `{"/":"${EMPTY_DIR}","x":1}`],
  ['{"":""}', '{"":""}'],
  ['{}\n', '{}']
] as const) {
  test(`dag-json reads ${JSON.stringify(input)} as ${JSON.stringify(output)}`, t => {
    t.is(again(input), output)
  })
}

refusals(
  'dag-json',
  [input => dagJson.decode(utf8(input))],
  [
    ['', 'unexpected EOF'],
    [' ', 'unexpected EOF'],
    ['"unterminated', 'unexpected EOF'],
    // in the words of Kubo 0.42
    ['[1 2]', 'expected comma or array close after array value; got 0x32'],
    ['["a""b"]', 'expected comma or array close after array value; got quote'],
    ['[{} {}]', 'expected comma or array close after array value; got map open'],
    ['[[][]]', 'expected comma or array close after array value; got array open'],
    ['{"a":1 "b":2}', 'expected comma or map close after map value; got quote'],
    ['{"a":{"b":1 "c":[1]}}', 'expected comma or map close after map value; got quote'],
    ['{"/":"x" "a":1}', 'expected comma or map close after map value; got quote'],
    ['[1', 'EOF'],
    ['{"b":', 'EOF'],
    ['["x', 'EOF'],
    ['{} {}', 'unexpected content after end of json object'],
    ['1xy', 'unexpected content after end of json object'],
    ['+1', 'Invalid byte while expecting start of value: 0x2b'],
    ['[,1]', 'Invalid byte while expecting start of value: 0x2c'],
    ['[1,,2]', 'Invalid byte while expecting start of value: 0x2c'],
    ['{"a":}', 'Invalid byte while expecting start of value: 0x7d'],
    ['1e', 'strconv.ParseFloat: parsing "1e": invalid syntax'],
    ['--1', 'strconv.ParseFloat: parsing "-": invalid syntax'],
    ['18446744073709551616', 'strconv.ParseInt: parsing "18446744073709551616": value out of range'],
    ['-9223372036854775809', 'strconv.ParseInt: parsing "-9223372036854775809": value out of range'],
    ['123456789012345678901234567890.5', 'the number 123456789012345678901234567890.5 has more digits than a float of 64 bits keeps'],
    ['9007199254740993.0', 'the number 9007199254740993.0 has more digits than a float of 64 bits keeps'],
    ['1e-400', 'the number 1e-400 has more digits than a float of 64 bits keeps'],
    ['"\\ud83d"', 'a string of the JSON has half of a surrogate pair, which is no character'],
    ['"\\ud83d\\ud83d\\ude00"', 'a string of the JSON has half of a surrogate pair, which is no character'],
    ['{"a\\udc80":1}', 'a string of the JSON has half of a surrogate pair, which is no character'],
    ['1e400', 'strconv.ParseFloat: parsing "1e400": value out of range'],
    ['"raw\nnewline"', 'invalid unprintable byte in string literal: 0xa'],
    ['"\\x"', 'invalid byte in string escape sequence: 0x78'],
    ['"\\u00g0"', 'invalid byte in \\u hexadecimal character escape: 0x67'],
    ['{"a":1,"a":2}', 'cannot repeat map key "a"'],
    ['{a:1}', 'unexpected invalid token while expecting map key'],
    ['{1:2}', 'unexpected int token while expecting map key'],
    ['{1.5:2}', 'unexpected float token while expecting map key'],
    ['{null:2}', 'unexpected null token while expecting map key'],
    ["{'a':1}", 'expected colon after map key; got 0x61'],
    ['{"a" 1}', 'expected colon after map key; got 0x31'],
    ['{"/":"nope"}', 'invalid cid: selected encoding not supported'],
    ['{"/":""}', 'invalid cid: cid too short'],
    ['{"/":{"bytes":"A"}}', 'illegal base64 data at input byte 0'],
    ['{"/":{"bytes":"-_"}}', 'illegal base64 data at input byte 0']
  ]
)

test('bytes of a string that are no UTF-8 are kept, and refused where they cannot be written', t => {
  const read = dagJson.decode(hex('22e282ff6122'))
  t.is(toHex(dagCbor.encode!(read)), '64e282ff61')
  for (const node of [read, dagCbor.decode(hex('63ff61ff')), new Map([['\udcff', null]])])
    t.is(
      failure(() => dagJson.encode!(node)),
      'a string of the value is no UTF-8, and JSON has no way to write it'
    )
  t.is(
    failure(() => dagJson.decode(hex('22ff5c756463383022'))),
    'a string of the JSON has half of a surrogate pair, which is no character'
  )
})

test('the links of a block are found whatever its strings and numbers are', t => {
  const block = utf8(`{"a":"\\ud83d","b":{"/":"${EMPTY_DIR}"},"c":1e-400}`)
  t.deepEqual(
    [...dagJson.links(block)].map(({ cid }) => cid.toString()),
    [EMPTY_DIR]
  )
})

test('floats and integers stay apart', t => {
  t.is(dagJson.decode(utf8('1')), 1n)
  t.is(dagJson.decode(utf8('1.0')), 1)
})

for (const [value, message] of [
  [Number.NaN, 'unsupported value: NaN'],
  [Number.POSITIVE_INFINITY, 'unsupported value: +Inf'],
  [Number.NEGATIVE_INFINITY, 'unsupported value: -Inf'],
  [2n ** 64n, 'unsigned integer out of range of uint64 type']
] as const) {
  test(`dag-json cannot write ${value}`, t => {
    t.is(
      failure(() => dagJson.encode!([value])),
      message
    )
  })
}

test('json keeps the order of keys and indents by tabs', t => {
  const node = json.decode(utf8('{"b":{"x":[1,[],{}]},"a":"é"}'))
  t.is(text(json.encode!(node)), '{\n\t"b": {\n\t\t"x": [\n\t\t\t1,\n\t\t\t[],\n\t\t\t{}\n\t\t]\n\t},\n\t"a": "é"\n}\n')
  t.is(text(json.encode!('x')), '"x"')
})

test('json takes the special forms of dag-json for maps, and refuses links and bytes', t => {
  t.true(json.decode(utf8(`{"/":"${EMPTY_DIR}"}`)) instanceof Map)
  let written = ''
  const node = dagJson.decode(utf8('{"a":1,"b":{"/":{"bytes":"AQ"}}}'))
  t.is(
    failure(() => json.encode!(node, { onFailure: bytes => (written = text(bytes)) })),
    'cannot marshal IPLD bytes to this codec'
  )
  t.is(written, '{\n\t"a": 1,\n\t"b": ')
  t.is(
    failure(() => json.encode!(dagJson.decode(utf8(`{"/":"${EMPTY_DIR}"}`)))),
    'cannot marshal IPLD links to this codec'
  )
})

test('nesting deeper than any stack works, but not without bound when it is indented', t => {
  const deep = `${'['.repeat(50_000)}${']'.repeat(50_000)}`
  t.is(again(deep), deep)
  t.is(
    failure(() => json.encode!(dagJson.decode(utf8(deep)), { limit: 1_000_000 })),
    'encoding takes more than 1000000 bytes (plugins.dag.maxOutput)'
  )
})

test('a run of signs and digits is read in one pass', t => {
  const run = utf8(`[${'1-'.repeat(100_000)}1]`)
  t.deepEqual([...dagJson.links(run)], [])
  t.is(
    failure(() => dagJson.decode(run)),
    'expected comma or array close after array value; got 0x2d'
  )
})

test('dag-json brings back any value', t => {
  fc.assert(
    fc.property(nodes, node => {
      const text = dagJson.encode!(node)
      t.is(toHex(dagJson.encode!(dagJson.decode(text))), toHex(text))
      t.is(toHex(dagCbor.encode!(dagJson.decode(text))), toHex(dagCbor.encode!(node)))
    }),
    { numRuns: 300 }
  )
})

test('only declared errors come from any text', t => {
  const piece = fc.constantFrom(...JSON_PIECES, EMPTY_DIR)
  fc.assert(
    fc.property(fc.array(piece, { maxLength: 25 }), pieces => {
      try {
        dagJson.encode!(dagJson.decode(utf8(pieces.join(''))))
        t.pass()
      } catch (error) {
        if (!(error instanceof NodeError)) throw error
      }
    }),
    { numRuns: 3000 }
  )
})

test('a block has only so many values, lists and maps among them', t => {
  const most = 'more than 3 values in one block: this node reads no more (plugins.dag.maxValues)'
  for (const { decode } of [dagJsonCodec(3), jsonCodec(3)]) {
    t.is(
      failure(() => decode(utf8('[1,{}]'))),
      'no error'
    )
    t.is(
      failure(() => decode(utf8('[1,{},2]'))),
      most
    )
    t.is(
      failure(() => decode(utf8('[[[['))),
      most
    )
  }
})

test('links of a block that was stored without commas are found, so that nothing below it is lost', t => {
  const links = dagJson.links(utf8(`{"a":{"/":"${EMPTY_DIR}"} "b":[1 2]}`))
  t.deepEqual(
    [...links].map(({ cid }) => cid.toString()),
    [EMPTY_DIR]
  )
})
