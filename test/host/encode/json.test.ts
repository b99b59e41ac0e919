import test from 'ava'
import { CID } from 'multiformats/cid'
import { z } from 'zod'
import { jsonWriter } from '../../../host/encode/json.ts'

test('members come in the order in which they are declared, whatever the value’s', t => {
  const write = jsonWriter(z.object({ B: z.int(), A: z.string() }))
  t.is(write({ A: 'x', B: 1 }), '{"B":1,"A":"x"}')
})

test('undefined is left out, null is sent, and what is not declared is not', t => {
  const write = jsonWriter(
    z.object({ A: z.string().optional(), B: z.string().nullable(), C: z.array(z.int()).nullish(), D: z.array(z.int()) })
  )
  t.is(write({ A: undefined, B: null, C: undefined, D: [], E: 1 }), '{"B":null,"D":[]}')
  t.is(write({ A: '', B: '', C: null, D: [1, 2] }), '{"A":"","B":"","C":null,"D":[1,2]}')
})

test('a loose object sends what is not declared behind what is', t => {
  const write = jsonWriter(z.looseObject({ A: z.int() }))
  t.is(write({ Z: '<', A: 1, N: undefined }), '{"A":1,"Z":"\\u003c"}')
})

test('text is escaped as Go does, member names too', t => {
  const write = jsonWriter(z.object({ '<a>': z.string() }))
  t.is(
    write({ '<a>': '<&>"\\/\b\f\n\r\t\x01\x7f\u2028\u2029é🚀\udcff' }),
    '{"\\u003ca\\u003e":"\\u003c\\u0026\\u003e\\"\\\\/\\b\\f\\n\\r\\t\\u0001\x7f\\u2028\\u2029é🚀\\ufffd"}'
  )
})

test('numbers of 64 bits are written in full, floats as Go writes them', t => {
  const write = jsonWriter(z.object({ A: z.bigint(), B: z.number(), C: z.union([z.int(), z.bigint()]) }))
  t.is(write({ A: 18446744073709551615n, B: 1e21, C: 9007199254740993n }), '{"A":18446744073709551615,"B":1e+21,"C":9007199254740993}')
  t.is(write({ A: 0n, B: 1e-7, C: 5 }), '{"A":0,"B":1e-7,"C":5}')
  t.throws(() => write({ A: 0n, B: Number.NaN, C: 0 }), { instanceOf: TypeError })
})

test('keys of records and maps are sorted by bytes', t => {
  const write = jsonWriter(z.record(z.string(), z.int()))
  t.is(write({ b: 1, a: 2, B: 3, 10: 4, 9: 5 }), '{"10":4,"9":5,"B":3,"a":2,"b":1}')
  t.is(
    write(
      new Map([
        ['\u{1f680}', 1],
        ['\uffee', 2]
      ])
    ),
    '{"\uffee":2,"\u{1f680}":1}'
  )
})

test('members of a record that are one object are written for each of its keys', t => {
  const write = jsonWriter(z.record(z.string(), z.object({ A: z.string() })))
  const [one, two] = [{ A: '<' }, { A: 'b' }]
  t.is(
    write({ d: two, a: one, '"': one, b: undefined, c: one }),
    '{"\\"":{"A":"\\u003c"},"a":{"A":"\\u003c"},"c":{"A":"\\u003c"},"d":{"A":"b"}}'
  )
})

test('CIDs, bytes and times have their forms', t => {
  const write = jsonWriter(z.object({ Cid: z.instanceof(CID), Bytes: z.instanceof(Uint8Array), Time: z.date(), Any: z.unknown() }))
  const Cid = CID.parse('QmUNLLsPACCz1vLxQVkXqqLX5R1X345qqfHbsf67hvA3Nn')
  t.is(
    write({ Cid, Bytes: Buffer.from('hi!?'), Time: new Date(0), Any: [Cid, null] }),
    `{"Cid":{"/":"${Cid}"},"Bytes":"aGkhPw==","Time":"1970-01-01T00:00:00Z","Any":[{"/":"${Cid}"},null]}`
  )
})

test('a schema may contain itself', t => {
  interface Tree {
    Name: string
    Below?: Tree[] | undefined
  }
  const tree: z.ZodType<Tree> = z.object({
    Name: z.string(),
    get Below() {
      return z.array(tree).optional()
    }
  })
  t.is(jsonWriter(tree)({ Below: [{ Name: 'b', Below: [] }], Name: 'a' }), '{"Name":"a","Below":[{"Name":"b","Below":[]}]}')
})

test('wrappers of a schema do not show', t => {
  const inner = z.object({ B: z.int(), A: z.int() })
  const value = { A: 1, B: 2 }
  const wrapped = [
    inner.optional(),
    inner.nullable(),
    inner.default({ A: 0, B: 0 }),
    inner.readonly(),
    inner.transform(String),
    z.lazy(() => inner)
  ]
  for (const schema of wrapped) t.is(jsonWriter(schema)(value), '{"B":2,"A":1}')
})

test('a value that its schema does not expect is written all the same', t => {
  t.is(jsonWriter(z.object({ A: z.string() }))(null), 'null')
  t.is(jsonWriter(z.object({ A: z.string() }))({ A: 5 }), '{"A":5}')
  t.is(jsonWriter(z.array(z.int()))('x'), '"x"')
  t.is(jsonWriter(z.int())(5n), '5')
})
