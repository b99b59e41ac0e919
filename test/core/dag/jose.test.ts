import test from 'ava'
import * as independent from 'dag-jose'
import { CID } from 'multiformats/cid'
import { dagCbor } from '../../../core/dag/codecs/cbor/cbor.ts'
import { dagJose } from '../../../core/dag/codecs/jose.ts'
import { dagJson } from './codecs.ts'
import { failure, text, toHex, utf8 } from './samples.ts'

const PAYLOAD = 'AXESIIlVZVHDkmZ5zFLHLhgqVhkFakcnQJ7pOibQWtcnyhH0'
const SIGNED = {
  payload: PAYLOAD,
  signatures: [
    {
      protected: 'eyJhbGciOiJFZERTQSJ9',
      signature: '-_9J5OZcl5lVuRlgI1NJEzc0FqEb6_2yVskUaQPducRQ4oe-N5ynCl57wDm4SPtm1L1bltrphpQeBOeWjVW1BQ',
      header: { kid: 'a' }
    }
  ]
}
const ENCRYPTED = {
  ciphertext: '3XqLW28NHP-raqW8vMfIHOzko4N3IRaR',
  iv: 'PSWIuAyO8CpevzCL',
  protected: 'eyJhbGciOiJkaXIiLCJlbmMiOiJBMTI4R0NNIn0',
  tag: 'WZAMBblhzDCsQWOAKdlkSA',
  aad: 'AQID',
  recipients: [{ encrypted_key: 'AQID', header: { alg: 'dir' } }]
}

const encoded = (value: unknown) => dagJose.encode!(dagJson.decode(utf8(JSON.stringify(value))))

for (const [what, value] of [
  ['a signed', SIGNED],
  ['an encrypted', ENCRYPTED]
] as const) {
  test(`${what} object is written as another implementation writes it`, t => {
    t.is(toHex(encoded(value)), toHex(independent.encode(value as never)))
  })
}

test('the flattened forms are stored in the general one', t => {
  const { signatures, ...flattened } = SIGNED
  t.deepEqual(encoded({ ...flattened, ...signatures[0] }), encoded(SIGNED))
  const { recipients, ...other } = ENCRYPTED
  t.deepEqual(encoded({ ...other, ...recipients[0] }), encoded(ENCRYPTED))
})

test('a signed object shows its payload as a link', t => {
  const shown = JSON.parse(text(dagJson.encode!(dagJose.decode(encoded(SIGNED)))))
  t.deepEqual(shown, { ...SIGNED, link: { '/': String(CID.decode(Buffer.from(PAYLOAD, 'base64url'))) } })
  t.is([...dagJose.links(encoded(SIGNED))].length, 1)
  t.deepEqual(dagJose.encode!(dagJose.decode(encoded(SIGNED))), encoded(SIGNED))
})

test('an encrypted object comes back', t => {
  t.deepEqual(JSON.parse(text(dagJson.encode!(dagJose.decode(encoded(ENCRYPTED))))), ENCRYPTED)
})

for (const [value, message] of [
  [{}, 'invalid JOSE object'],
  ['x', 'func called on wrong kind: "LookupByString" called on a string node (kind: string), but only makes sense on map'],
  [{ ...SIGNED, signature: 'AQ' }, 'invalid JWS serialization'],
  [{ ...ENCRYPTED, encrypted_key: 'AQ' }, 'invalid JWE serialization'],
  [{ payload: 'AQID', signature: 'AQ' }, 'payload is not a valid CID: invalid cid: invalid cid: multihash too short. must be >= 2 bytes'],
  [{ ...SIGNED, link: { '/': 'bafkqabtimvwgy3yk' } }, 'cid mismatch']
] as const) {
  test(`${JSON.stringify(value).slice(0, 60)} is no JOSE object: ${message}`, t => {
    t.is(
      failure(() => encoded(value)),
      message
    )
  })
}

test('what is no JOSE object cannot be read', t => {
  t.is(
    failure(() => dagJose.decode(utf8('{}'))),
    'unexpected EOF'
  )
  t.is(
    failure(() => dagJose.decode(dagCbor.encode!(new Map([['x', 1n]])))),
    'invalid key for map dagjose.DecodedJWS.Repr: "x": no such field'
  )
})

test('a link that is a list as deep as can be is no link', t => {
  const deep = '['.repeat(100_000) + ']'.repeat(100_000)
  const json = JSON.stringify({ ...SIGNED, link: '@' }).replace('"@"', deep)
  t.is(
    failure(() => dagJose.encode!(dagJson.decode(utf8(json)))),
    'cid mismatch'
  )
})
