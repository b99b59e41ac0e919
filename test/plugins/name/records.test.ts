import { generateKeyPairSync } from 'node:crypto'
import { privateKeyFromProtobuf } from '@libp2p/crypto/keys'
import test from 'ava'
import fc from 'fast-check'
import { createIPNSRecord, marshalIPNSRecord, multihashToIPNSRoutingKey } from 'ipns'
import { ipnsSelector } from 'ipns/selector'
import { ipnsValidator } from 'ipns/validator'
import { decode as digestOf } from 'multiformats/hashes/digest'
import { hasCode, NodeError } from '../../../core/index.ts'
import {
  compareRecords,
  formatName,
  formatTime,
  MAX_RECORD_SIZE,
  nowInNanoseconds,
  parseName,
  parseTime,
  readRecord,
  routingKey,
  validateRecord
} from '../../../core/ipns/index.ts'
import { generateIdentity, identityOfPem, sign, verify } from '../../../core/keys/index.ts'
import { hexdump } from '../../../plugins/name/hexdump.ts'
import { asFormat } from '../../../plugins/name/inspection.ts'
import { HOUR, recordOf, signer } from './helpers.ts'

const by = await signer()
const name = parseName(by.peerId)
const good = await recordOf(by)

for (const type of ['ed25519', 'rsa'])
  for (const v1Compatible of [true, false])
    test(`another implementation takes a record of ${type}${v1Compatible ? '' : ' without the older form'} that is made here`, async t => {
      const other = await signer(type)
      const record = await recordOf(other, { v1Compatible, sequence: 7n, path: '/ipfs/bafkqaaa/ü' })
      const key = multihashToIPNSRoutingKey(digestOf(parseName(other.peerId)) as never)
      await t.notThrowsAsync(async () => ipnsValidator(key, record))
      t.deepEqual(Buffer.from(routingKey(parseName(other.peerId))), Buffer.from(key))
      t.like(readRecord(record), { path: '/ipfs/bafkqaaa/ü', sequence: 7n, ttl: HOUR })
      await t.notThrowsAsync(validateRecord(readRecord(record), parseName(other.peerId)))
      const broken = Buffer.from(record)
      broken[broken.length - 20]! ^= 1
      await t.throwsAsync(async () => ipnsValidator(key, broken))
      await t.throwsAsync(async () => validateRecord(readRecord(broken), parseName(other.peerId)))
    })

for (const type of ['ed25519', 'rsa'] as const)
  test(`a record of ${type} that another implementation makes is taken here`, async t => {
    const { privateKey, peerId } = await generateIdentity(type)
    const made = await createIPNSRecord(privateKeyFromProtobuf(privateKey), '/ipfs/bafkqaaa', 3, 3_600_000, { v1Compatible: true })
    const record = readRecord(marshalIPNSRecord(made))
    await t.notThrowsAsync(validateRecord(record, parseName(peerId)))
    t.like(record, { path: '/ipfs/bafkqaaa', sequence: 3n })
    t.is(record.end, parseTime(made.validity))
  })

const hostile: ReadonlyArray<readonly [title: string, bytes: () => Uint8Array | Promise<Uint8Array>, code: string, name?: Uint8Array]> = [
  ['nothing', () => new Uint8Array(0), 'E_RECORD_MALFORMED'],
  ['text', () => Buffer.from('not a record'), 'E_RECORD_MALFORMED'],
  ['half a record', () => good.subarray(0, good.length - 30), 'E_RECORD_MALFORMED'],
  ['more bytes than a record may have', () => new Uint8Array(MAX_RECORD_SIZE + 1), 'E_RECORD_SIZE'],
  ['a field that declares more than there is', () => Buffer.from('0affffffff0f00', 'hex'), 'E_RECORD_MALFORMED'],
  ['a field of 2^64 bytes', () => Buffer.from('0affffffffffffffffff01', 'hex'), 'E_RECORD_MALFORMED'],
  ['a group', () => Buffer.from('0b0c', 'hex'), 'E_RECORD_MALFORMED'],
  ['data that is a list', () => Buffer.from('4a0180', 'hex'), 'E_RECORD_MALFORMED'],
  ['data of nested lists', () => Buffer.concat([Buffer.from('4ab817', 'hex'), Buffer.alloc(3000, 0x81)]), 'E_RECORD_MALFORMED'],
  ['data that is an empty map', () => Buffer.from('4a01a0', 'hex'), 'E_RECORD_SIGNATURE'],
  ['a record of another', async () => recordOf(await signer()), 'E_RECORD_SIGNATURE'],
  ['a record of another that brings its key', async () => recordOf(await signer('rsa')), 'E_RECORD_KEY_OTHER'],
  ['one that has ended', () => recordOf(by, { end: nowInNanoseconds() - 1n }), 'E_RECORD_EXPIRED'],
  ['a signature that was changed', () => changed(good, 'signatureV2'), 'E_RECORD_SIGNATURE'],
  ['data that were changed', () => changed(good, 'data'), 'E_RECORD_SIGNATURE'],
  ['a value beside the data that was changed', () => changed(good, 'value'), 'E_RECORD_FIELD'],
  ['a time beside the data that was changed', () => changed(good, 'validity'), 'E_RECORD_FIELD'],
  ['a name whose key is nowhere', () => good, 'E_RECORD_KEY_ABSENT', parseName('QmYwAPJzv5CZsnA625s3Xf2nemtYgPpHdWEz79ojWnPbdG')]
]

function changed(record: Uint8Array, field: 'signatureV2' | 'data' | 'value' | 'validity'): Uint8Array {
  const bytes = Uint8Array.from(record)
  const part = readRecord(bytes).fields[field]!
  part[part.length - 1]! ^= 1
  return bytes
}

for (const [title, bytes, code, of = name] of hostile)
  test(`refused: ${title}`, async t => {
    const record = await bytes()
    t.true(hasCode(await t.throwsAsync(async () => validateRecord(readRecord(record), of)), code))
  })

test('any bytes are a record or refused with an error of the list', async t => {
  const bytes = fc.array(fc.oneof(fc.constantFrom(0x0a, 0x12, 0x18, 0x22, 0x42, 0x4a, 0xa1, 0x65, 0x80, 0), fc.nat(255)), { maxLength: 60 })
  const mutation = fc.array(fc.tuple(fc.nat(good.length - 1), fc.nat(255)), { minLength: 1, maxLength: 3 })
  const look = async (input: Uint8Array) => {
    try {
      await validateRecord(readRecord(input), name)
      return true
    } catch (error) {
      if (!(error instanceof NodeError)) throw error
      return false
    }
  }
  await fc.assert(fc.asyncProperty(bytes, async list => !(await look(Uint8Array.from(list)))))
  await fc.assert(
    fc.asyncProperty(mutation, async changes => {
      const bytes = Uint8Array.from(good)
      for (const [at, byte] of changes) bytes[at] = byte
      // what is still good says what it said
      if (await look(bytes)) t.deepEqual(readRecord(bytes).path, readRecord(good).path)
    }),
    { numRuns: 1000 }
  )
  t.pass()
})

test('both signatures of a record are what the specification says, as Node.js sees it', async t => {
  const { fields } = readRecord(good)
  const signed = (bytes: Uint8Array, signature: Uint8Array) => verify(by.publicKey, bytes, signature)
  t.true(signed(Buffer.concat([Buffer.from('ipns-signature:'), fields.data!]), fields.signatureV2!))
  t.true(signed(Buffer.concat([fields.value!, fields.validity!, Buffer.from('EOL')]), fields.signatureV1!))
  t.is(fields.publicKey, undefined)
})

test('a record of ECDSA brings its key, without which nobody could check it', async t => {
  const { privateKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' })
  const identity = identityOfPem(privateKey.export({ type: 'pkcs8', format: 'pem' }) as string)
  const record = readRecord(await recordOf({ ...identity, sign: async bytes => sign(identity.privateKey, bytes) }))
  t.deepEqual(record.fields.publicKey, identity.publicKey)
  await t.notThrowsAsync(validateRecord(record, parseName(identity.peerId)))
})

for (const [title, path] of [
  ['ends in a blank', '/ipfs/bafkqaaa/a '],
  ['ends in a no-break space', '/ipfs/bafkqaaa/a\u00a0'],
  ['is not UTF-8', '/ipfs/bafkqaaa/\udcff'],
  ['begins with no slash', 'bafkqaaa']
] as const)
  test(`no record is made of a path that ${title}, as another one would be signed`, async t => {
    const error = await t.throwsAsync(async () => recordOf(by, { path }))
    t.true(hasCode(error, 'E_RECORD_PATH'), String(error))
  })

test('a record whose value is no path is refused', async t => {
  const record = await recordOf(by, { path: '/ipfs/bafkqaaa' })
  const data = Buffer.from(readRecord(record).fields.data!)
  data.write('x', data.indexOf('/ipfs'))
  const signatureV2 = await by.sign(Buffer.concat([Buffer.from('ipns-signature:'), data]))
  const forged = readRecord(marshalIPNSRecord({ signatureV2, data } as never))
  t.true(hasCode(await t.throwsAsync(async () => validateRecord(forged, name)), 'E_RECORD_MALFORMED'))
})

test('the higher sequence counts, then the later end, then the larger bytes, as in another implementation', async t => {
  const end = nowInNanoseconds() + HOUR
  const made = await Promise.all(
    [
      { sequence: 1n, end },
      { sequence: 0n, end: end + HOUR },
      { sequence: 1n, end: end + 1_000_000_000n },
      { sequence: 1n, end, path: '/ipfs/bafkqaaa/other' }
    ].map(content => recordOf(by, content))
  )
  const sorted = [...made].sort((a, b) => compareRecords(readRecord(b), readRecord(a)))
  t.is(sorted[0], made[2])
  t.is(sorted.at(-1), made[1])
  t.is(ipnsSelector(routingKey(name), made), 2)
  t.is(compareRecords(readRecord(good), readRecord(good)), 0)
})

for (const [text, written] of [
  ['2026-01-02T03:04:05Z', '2026-01-02T03:04:05Z'],
  ['2026-01-02T03:04:05.100000000Z', '2026-01-02T03:04:05.1Z'],
  ['2099-12-31T23:59:59.123456789+02:00', '2099-12-31T21:59:59.123456789Z'],
  ['1969-12-31T23:59:59.5Z', '1969-12-31T23:59:59.5Z'],
  ['0001-01-01T00:00:00Z', '0001-01-01T00:00:00Z']
] as const)
  test(`the time ${text} is ${written}`, t => t.is(formatTime(parseTime(text)), written))

for (const [text, why] of [
  ['tomorrow', 'as "2006-01-02T15:04:05.999999999Z07:00": cannot parse "tomorrow" as "2006"'],
  ['2026-01-02 03:04:05Z', 'cannot parse " 03:04:05Z" as "T"'],
  ['2026-13-02T03:04:05Z', ': month out of range'],
  ['2026-02-30T03:04:05Z', ': day out of range'],
  ['2026-01-02T25:04:05Z', ': hour out of range'],
  ['2026-01-02T03:04:05Zx', ': extra text: "x"']
] as const)
  test(`the time ${text} is none`, t => {
    const message = t.throws(() => parseTime(text))?.message ?? ''
    t.true(message.startsWith(`parsing time "${text}"`) && message.includes(why), message)
  })

test('a dump shows 16 bytes a row, and what of it are characters', t => {
  const bytes = Buffer.from('0123456789abcdef\n%d')
  t.is(
    hexdump(bytes),
    '00000000  30 31 32 33 34 35 36 37  38 39 61 62 63 64 65 66  |0123456789abcdef|\n' +
      '00000010  0a 25 64                                          |.%d|\n'
  )
  t.is(asFormat('|.%d|50%%|% 5x|%'), '|.%!d(MISSING)|50%|%!x(MISSING)|%!(NOVERB)')
})

test('names are read in every form and written in one', t => {
  t.is(
    formatName(parseName('12D3KooWJ1TsijH7H5F74hfAD5XishQz3sxrmAtVY37GtNd9CqYf')),
    'k51qzi5uqu5dj7skeind43o1an76ns1q5g2bupqw6o1hmcccenbkvalzo2olt0'
  )
  t.deepEqual(parseName('/ipns/k51qzi5uqu5dj7skeind43o1an76ns1q5g2bupqw6o1hmcccenbkvalzo2olt0').length, 38)
  t.throws(() => parseName('bafkqaaa'), { message: /can't convert CID of type "raw" to a peer ID/ })
})
