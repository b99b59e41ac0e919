import test from 'ava'
import { createIPNSRecordWithExpiration, marshalIPNSRecord } from 'ipns'
import { makeRecord, nowInNanoseconds, readRecord, validateRecord } from '../../../core/ipns/index.ts'
import { writeRecord } from '../../../core/ipns/write.ts'
import { generateIdentity, parsePeerId, sign } from '../../../core/keys/index.ts'

const path = '/ipfs/bafkqaaa'
const end = () => nowInNanoseconds() + 3_600_000_000_000n

test('a record says its number and how long it may be kept exactly, whatever their bits', async t => {
  const identity = await generateIdentity('ed25519')
  const signer = { ...identity, sign: async (bytes: Uint8Array) => sign(identity.privateKey, bytes) }
  const bits = Array.from({ length: 63 }, (_, i) => 1n << BigInt(i))
  for (const number of [0n, 3_000_000_000n, (1n << 63n) - 1n, ...bits]) {
    const bytes = await makeRecord({ path, sequence: number, ttl: number, end: end(), v1Compatible: true }, signer)
    const record = readRecord(bytes)
    t.deepEqual([record.sequence, record.ttl, record.fields.sequence, record.fields.ttl], Array(4).fill(number), String(number))
    await t.notThrowsAsync(validateRecord(record, parsePeerId(identity.peerId)), String(number))
  }
  const bytes = await makeRecord({ path, sequence: (1n << 64n) - 1n, ttl: 0n, end: end(), v1Compatible: true }, signer)
  t.is(readRecord(bytes).sequence, (1n << 64n) - 1n)
})

test('a record is written as the package ipns writes it, in the older form and without', async t => {
  const key = { type: 'Ed25519', sign: async () => new Uint8Array(64) } as never
  const until = new Date(Date.now() + 3_600_000).toISOString()
  for (const v1Compatible of [true, false]) {
    const record = await createIPNSRecordWithExpiration(key, path, 7n, until, { v1Compatible, ttlNs: 5n })
    t.deepEqual(Buffer.from(writeRecord(record)), Buffer.from(marshalIPNSRecord(record)))
    record.pubKey = Buffer.from('a public key')
    t.deepEqual(Buffer.from(writeRecord(record)), Buffer.from(marshalIPNSRecord(record)))
  }
})
