import test from 'ava'
import { inspectCid, inspectionLines } from '../../../plugins/cid/inspection.ts'

const V0 = 'QmYwAPJzv5CZsnA625s3Xf2nemtYgPpHdWEz79ojWnPbdG'

test('a CID is taken apart, and told in both versions where it has both', t => {
  const { multibase, multicodec, multihash, ...others } = inspectCid(V0)
  t.deepEqual(multibase, { prefix: 'z', name: 'base58btc' })
  t.deepEqual(multicodec, { code: 0x70, name: 'dag-pb' })
  t.like(multihash, { code: 0x12, name: 'sha2-256', length: 32 })
  t.deepEqual(others, { cid: V0, version: 0, cidV0: V0, cidV1: 'bafybeie5nqv6kd3qnfjupgvz34woh3oksc3iau6abmyajn7qvtf6d2ho34' })
  t.is(inspectCid(others.cidV1).cidV0, V0)
})

for (const [cid, why] of [
  ['bafkreigh2akiscaildcqabsyg3dfr6chu3fgpregiymsck7e7aqa4s52zy', 'requires dag-pb (0x70), got raw (0x55)'],
  ['f01ffff0312200000000000000000000000000000000000000000000000000000000000000000', 'requires dag-pb (0x70), got unknown (0xffff)'],
  ['f017012140102030405060708090a0b0c0d0e0f1011121314', 'requires 32-byte digest, got 20']
] as const) {
  test(`text says why ${cid} has no version 0`, t => {
    const inspection = inspectCid(cid)
    t.false('cidV0' in inspection)
    t.true(inspectionLines(inspection).includes(`CIDv0:      not possible, ${why}\n`))
  })
}

test('what is no CID is told with empty parts; the ID of a peer with the CID that it has', t => {
  t.like(inspectCid('nonsense'), { cid: 'nonsense', cidV1: '', errorMsg: 'invalid CID: invalid cid: selected encoding not supported' })
  const peer = inspectCid('12D3KooWQmtVTnvoQN1bHLLwwtJSTkCgTxaZuHrJwdprF2aCAsXH')
  t.true(peer.errorMsg!.endsWith('\n  k51qzi5uqu5dlpzszw97gqw6nfy16h6m4ijwk0mqgmbpbxz9oqxgzqm5t9c0yk'))
})
