import test from 'ava'
import { formatPeerId, inlinePublicKey, parsePeerId, peerIdString } from '../../../core/keys/peer-id.ts'

const ED25519 = '12D3KooWHLYxZ2f7Uoe6gZ1YwRhcEppr4AXH4wsGDeTdcvfhvpcG'
const RSA = 'QmaCpDMGvV2BGHeYERUEnRQAwe3N8SzbUtfsmvsqQLuvuJ'

test('a peer ID is written in every base that a caller can ask for', t => {
  const multihash = parsePeerId(ED25519)
  t.is(formatPeerId(multihash, 'b58mh'), ED25519)
  t.is(formatPeerId(multihash, 'v0'), ED25519)
  t.is(formatPeerId(multihash, 'base36'), 'k51qzi5uqu5diyuko9mbuptadvp6jmt41uwkze6eutubr9kvljambkngygotep')
  t.is(formatPeerId(multihash, 'b'), 'bafzaajaiaejca355n3g3aof54zxiuqsfmi76gt7vyfgosg2jqe7fd3u7lzcj4qxb')
  t.is(formatPeerId(parsePeerId(RSA), 'k'), 'k2k4r8nt6ygm063ccerz6oiefak0fx4hb7lah61nx4gpmkt5rtrqcet9')
  t.throws(() => formatPeerId(multihash, 'basenone'), { message: 'unsupported multibase encoding: basenone' })
})

test('all spellings of a peer ID are the same peer', t => {
  for (const base of ['base36', 'base32', 'base58btc', 'base16', 'base64url']) {
    t.is(peerIdString(parsePeerId(formatPeerId(parsePeerId(ED25519), base))), ED25519)
  }
})

test('what is no peer ID is refused', t => {
  for (const text of ['', ' ', 'nope', 'QmNope', '12D3KooW', '1', `/p2p/${ED25519}`]) {
    t.throws(() => parsePeerId(text), { code: 'E_PEER_ID' }, text)
  }
  const error = t.throws(() => parsePeerId('bafkreifrv5u3d6kipdadv3hoah6vq3k7cjrrvm6ohdmuilkz2rry72w6ku'))
  t.is(error?.message, `can't convert CID of type "raw" to a peer ID`)
})

test('a short public key can be read from its peer ID, a hashed one cannot', t => {
  const key = inlinePublicKey(parsePeerId(ED25519))
  t.is(Buffer.from(key!).toString('base64'), 'CAESIG+9bs2wOL3mbopCRWI/40/1wUzpG0mBPlHun15EnkLh')
  t.is(inlinePublicKey(parsePeerId(RSA)), undefined)
  t.is(inlinePublicKey(Uint8Array.of(0x00, 3, 1, 2, 3)), undefined)
})

test('a text that is longer than any peer ID is refused before it is decoded', t => {
  const longest = formatPeerId(Uint8Array.of(0, 126, ...new Uint8Array(126).fill(7)), 'base2')
  t.deepEqual(parsePeerId(longest).subarray(0, 2), Uint8Array.of(0, 126))
  for (const text of [`Qm${'1'.repeat(2047)}`, `k${'z'.repeat(2048)}`])
    t.throws(() => parsePeerId(text), { code: 'E_PEER_ID', message: 'failed to parse peer ID: it has more than 2048 characters' })
})
