import test from 'ava'
import fc from 'fast-check'
import { parseCid } from '../../../core/cid/parse.ts'
import { goJson, goJsonString, rfc3339 } from '../../../core/go/json.ts'
import { decodeUtf8 } from '../../../core/go/utf8.ts'
import { makes } from './makes.ts'

test('strings are escaped as Go escapes them', t => {
  makes(t, goJsonString, {
    'plain /é🚀\x7f': '"plain /é🚀\x7f"',
    '<a&b>': '"\\u003ca\\u0026b\\u003e"',
    '\u2028\u2029': '"\\u2028\\u2029"',
    '"\\\b\f\n\r\t\0\x1f': '"\\"\\\\\\b\\f\\n\\r\\t\\u0000\\u001f"'
  })
})

test('each byte that is no UTF-8 becomes one \\ufffd, a real U+FFFD stays', t => {
  t.is(goJsonString(decodeUtf8(Uint8Array.of(0x61, 0xe2, 0x82))), '"a\\ufffd\\ufffd"')
  makes(t, goJsonString, { '\ufffd': '"\ufffd"', '\\ud800': '"\\\\ud800"', '🚀\\': '"🚀\\\\"' })
})

test('any text reads back from its JSON', t => {
  t.notThrows(() =>
    fc.assert(
      fc.property(fc.string({ unit: 'binary' }), text => JSON.parse(goJsonString(text)) === text),
      { numRuns: 300 }
    )
  )
})

test('members keep their order, undefined ones are left out', t => {
  t.is(goJson({ b: 1, a: undefined, c: [null, true, 'x'], d: {} }), '{"b":1,"c":[null,true,"x"],"d":{}}')
  t.is(goJson({ '<': 1 }), '{"\\u003c":1}')
  t.is(goJson([]), '[]')
  t.is(goJson(undefined), 'null')
})

test('the keys of a map are sorted by their bytes', t => {
  t.is(
    goJson(
      new Map([
        ['\ud83d\ude80', 1],
        ['\uffee', 2],
        ['b', 3],
        ['B', 4]
      ])
    ),
    '{"B":4,"b":3,"\uffee":2,"🚀":1}'
  )
})

test('large integers are written in full, floats as Go does', t => {
  t.is(goJson({ n: 2n ** 64n - 1n, f: 1e21, s: 1e-7, z: 0.5 }), '{"n":18446744073709551615,"f":1e+21,"s":1e-7,"z":0.5}')
})

test('bytes are padded base64, times RFC 3339, CIDs links', t => {
  t.is(goJson(Uint8Array.of(0, 1, 255, 4)), '"AAH/BA=="')
  t.is(goJson(new Date(1e12)), '"2001-09-09T01:46:40Z"')
  t.is(rfc3339(new Date(1e12 + 120)), '2001-09-09T01:46:40.12Z')
  const cid = parseCid('QmUNLLsPACCz1vLxQVkXqqLX5R1X345qqfHbsf67hvA3Nn')
  t.is(goJson({ Cid: cid, V1: cid.toV1() }), `{"Cid":{"/":"${cid}"},"V1":{"/":"${cid.toV1()}"}}`)
})

test('what JSON cannot hold is refused', t => {
  t.throws(() => goJson({ a: Number.NaN }), { instanceOf: TypeError })
  t.throws(() => goJson(() => 1), { instanceOf: TypeError })
})
