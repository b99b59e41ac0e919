import test from 'ava'
import fc from 'fast-check'
import { CID } from 'multiformats/cid'
import { multibaseByName, multibases } from '../../../core/cid/bases.ts'
import { cidEncoder } from '../../../core/cid/encoder.ts'
import { cidToString, decodeCid, parseCid, readCid } from '../../../core/cid/parse.ts'
import { cidOfDigest } from '../../../core/cid/sum.ts'
import { readVarint, VarintReader, varintSize, writeVarint } from '../../../core/cid/varint.ts'
import { encodeUtf8 } from '../../../core/go/utf8.ts'

const v0 = 'QmdfTbBqBPQ7VNxZEYEj14VmRuZBkqFbiwReogJgS1zR1n'
const v1 = 'bafybeihdwdcefgh4dqkjv67uzcmw7ojee6xedzdetojuzjevtenxquvyku'

const hex = (bytes: Uint8Array) => Buffer.from(bytes).toString('hex')

const anyCid = fc
  .record({
    codec: fc.integer({ min: 0, max: 2 ** 45 }),
    hash: fc.integer({ min: 0, max: 0xffff }),
    digest: fc.uint8Array({ maxLength: 140 })
  })
  .map(({ codec, hash, digest }) => cidOfDigest(1, codec, hash, digest))

test('a CID reads back from its text in every base', t => {
  fc.assert(
    fc.property(anyCid, fc.constantFrom(...multibases.slice(1)), (cid, base) => {
      const read = parseCid(cidToString(cid, base))
      t.is(hex(read.bytes), hex(cid.bytes))
      t.is(read.code, cid.code)
      t.is(hex(read.multihash.digest), hex(cid.multihash.digest))
    }),
    { numRuns: 200 }
  )
})

test('what is made here is what multiformats makes, and the other way round', t => {
  fc.assert(
    fc.property(anyCid, cid => {
      t.deepEqual(CID.decode(cid.bytes), cid)
      t.is(cidToString(cid), cid.toString())
    }),
    { numRuns: 100 }
  )
})

test('no text makes the parser fail otherwise than with its own error', t => {
  const text = fc.oneof(
    fc.string({ unit: 'binary' }),
    fc.uint8Array().map(bytes => `f${Buffer.from(bytes).toString('hex')}`)
  )
  t.notThrows(() =>
    fc.assert(
      fc.property(text, input => {
        try {
          parseCid(input)
        } catch (error) {
          t.is((error as { code?: string }).code, 'E_CID_INVALID')
        }
      }),
      { numRuns: 500 }
    )
  )
})

test('version 0 is read with and without a multibase prefix', t => {
  t.is(cidToString(parseCid(v0)), v0)
  t.is(parseCid(`z${v0}`).version, 0)
  t.deepEqual(parseCid(v0).toV1().bytes, parseCid(v1).bytes)
})

test('bytes after a CID are left alone, or refused when there may be none', t => {
  const { bytes } = parseCid(v1)
  const more = Buffer.concat([bytes, Buffer.from('more')])
  t.deepEqual(Buffer.from(readCid(more).bytes), Buffer.from(bytes))
  t.is(t.throws(() => decodeCid(more)).message, 'invalid cid: trailing bytes in data buffer passed to cid Cast')
})

for (const [text, why] of [
  ['', 'cid too short'],
  ['b', 'cid too short'],
  ['nope', 'selected encoding not supported'],
  [`${v0}x`, 'selected encoding not supported'],
  ['Qm0fTbBqBPQ7VNxZEYEj14VmRuZBkqFbiwReogJgS1zR1n', "input isn't valid multihash"],
  ['f0155122', 'encoding/hex: odd length hex string'],
  ['f01', 'invalid cid: varints malformed, could not reach the end'],
  ['f81', 'invalid cid: varints malformed, could not reach the end'],
  ['f8100', 'invalid cid: varint not minimally encoded'],
  ['fffffffffffffffffff01', 'invalid cid: varints larger than uint63 not supported'],
  ['f02551220', 'invalid cid: expected 1 as the cid version number, got: 2'],
  ['f015512', 'invalid cid: multihash too short. must be >= 2 bytes'],
  ['f015512200000', 'invalid cid: length greater than remaining number of bytes in buffer'],
  ['f015512ffffffff0f00', 'invalid cid: digest too long, supporting only <= 2^31-1'],
  ['f122000', 'invalid cid: not enough bytes for cid v0'],
  ['f0155000000', 'trailing bytes in data buffer passed to cid Cast']
] as const) {
  test(`${JSON.stringify(text)} is no CID: ${why}`, t => t.is(t.throws(() => parseCid(text)).message, `invalid cid: ${why}`))
}

test('version 0 has no other base', t => {
  t.is(cidToString(parseCid(v0), multibaseByName('base58btc')), v0)
  t.is(t.throws(() => cidToString(parseCid(v0), multibaseByName('base32'))).message, 'invalid base encoding')
})

test('a call chooses how the CIDs of its answer are written', t => {
  const [zero, one] = [parseCid(v0), parseCid(v1)]
  t.is(cidEncoder()(zero), v0)
  t.is(cidEncoder()(one), v1)
  t.is(cidEncoder({ upgradeCidv0InOutput: true })(zero), v1)
  t.is(cidEncoder({ cidBase: 'base32' })(zero), v1)
  t.is(cidEncoder({ cidBase: 'f', upgradeCidv0InOutput: false })(zero), v0)
  t.is(cidEncoder({ cidBase: 'f', upgradeCidv0InOutput: false })(one), `f${Buffer.from(one.bytes).toString('hex')}`)
  t.is(t.throws(() => cidEncoder({ cidBase: 'nope' })).message, 'unsupported multibase encoding: nope')
})

test('bytes from outside as text keep their offsets', t => {
  const error = t.throws(() => parseCid('bé'))
  t.is(error.message, 'invalid cid: illegal base32 data at input byte 0')
  t.is(encodeUtf8('bé').length, 3)
})

test('a varint of up to 64 bits is read as the nearest number, and exactly where it is asked for so', t => {
  fc.assert(
    fc.property(fc.bigInt({ min: 0n, max: 2n ** 64n - 1n }), value => {
      const bytes = new Uint8Array(varintSize(value))
      t.is(writeVarint(value, bytes, 0), bytes.length)
      t.is(new VarintReader(bytes).varint(bytes.length), Number(value))
      t.is(BigInt(new VarintReader(bytes).exact(bytes.length)), value)
      if (value < 2n ** 63n) t.is(readVarint(bytes).value, Number(value))
    }),
    // the sum of its rounded parts is another number than the nearest one
    { numRuns: 3000, examples: [[354800405690113502n], [13874739194813250253n]] }
  )
})
