import { generateKeyPairSync } from 'node:crypto'
import test from 'ava'
import { formatPeerId, parsePeerId } from '../../../core/keys/index.ts'
import { commonBits, placeOf } from '../../../core/network/distance.ts'
import { Diversity, networkOf } from '../../../plugins/routing/dht/diversity.ts'
import { scopeRules } from '../../../plugins/routing/dht/reach.ts'

/** The ID of a fresh key of Ed25519. */
function someId(): string {
  const key = Buffer.from(generateKeyPairSync('ed25519').publicKey.export({ format: 'jwk' }).x!, 'base64url')
  return formatPeerId(Buffer.concat([Buffer.from('002408011220', 'hex'), key]), 'b58mh')
}

const self = someId()
const bucketOf = (peer: string) => commonBits(placeOf(parsePeerId(self)), placeOf(parsePeerId(peer)))

/** IDs that come into one bucket of the node's table. */
function inBucket(bucket: number, count: number): string[] {
  const found: string[] = []
  while (found.length < count) {
    const id = someId()
    if (bucketOf(id) === bucket) found.push(id)
  }
  return found
}

test('the network of an address is what one holder is given of it', t => {
  t.is(networkOf('/ip4/203.0.113.7/tcp/4001'), '203.0')
  t.is(networkOf('/ip4/17.5.6.7/tcp/4001'), '17', 'a network of 8 bits that one has as a whole')
  t.is(networkOf('/ip6/2001:db8:1::1/tcp/4001'), '2001:db8::')
  t.is(networkOf('/ip6/2001:0db8:ffff::1/udp/4001/quic-v1'), '2001:db8::')
  t.is(networkOf('/ip6/2001::1/tcp/1'), '2001:0::')
  t.is(networkOf('/dns4/example/tcp/1'), undefined)
})

test('of one network two peers come into a bucket and three into the table, whoever asks; of others as many as come', t => {
  const diversity = new Diversity(parsePeerId(self), parsePeerId)
  const [near, far] = [inBucket(1, 4), inBucket(0, 4)]
  const table: string[] = []
  const add = (peer: string, address: string) => {
    const why = diversity.refuses(peer, [address], table)
    if (why === undefined) table.push(peer)
    return why
  }
  t.is(add(near[0]!, '/ip4/203.0.113.1/tcp/1'), undefined)
  t.is(add(near[1]!, '/ip4/203.0.7.7/tcp/1'), undefined)
  t.regex(add(near[2]!, '/ip4/203.0.113.9/tcp/1') ?? '', /peers of the network 203\.0 as it may/, 'the bucket has two')
  t.is(add(far[0]!, '/ip4/203.0.113.2/tcp/1'), undefined, 'another bucket')
  t.regex(add(far[1]!, '/ip4/203.0.113.3/tcp/1') ?? '', /203\.0/, 'the table has three')
  t.is(add(far[1]!, '/ip4/198.51.100.3/tcp/1'), undefined, 'another network')
  t.is(add(near[0]!, '/ip4/203.0.113.1/tcp/1'), undefined, 'who is in the table stays')
})

test('peers that are on their way into the table count, so that many at once are no more', t => {
  const diversity = new Diversity(parsePeerId(self), parsePeerId)
  const letIn = inBucket(0, 5).filter(peer => diversity.refuses(peer, ['/ip6/2001:db8::1/tcp/1'], []) === undefined)
  t.is(letIn.length, 2)
})

test('only the table of the internet is kept diverse: the own network is one network', t => {
  t.true(scopeRules('wan', false).isDiverse)
  t.false(scopeRules('lan', false).isDiverse)
})
