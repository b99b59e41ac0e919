import test from 'ava'
import { hasCode, type Json } from '../../../core/index.ts'
import { multiaddrText, parseMultiaddr } from '../../../core/multiaddr/index.ts'
import { testHost } from '../../../host/testing.ts'
import { parsePeers, peerAddresses, withoutPeers } from '../../../plugins/configuration/bootstrap/peers.ts'
import { configuredHost, type Peers } from './host.ts'

const A = 'QmaCpDMGvV2BGHeYERUEnRQAwe3N8SzbUtfsmvsqQLuvuJ'
const B = '12D3KooWJ1TsijH7H5F74hfAD5XishQz3sxrmAtVY37GtNd9CqYf'

for (const [text, canonical] of [
  [`/ip4/10.0.0.1/tcp/1/p2p/${A}`, undefined],
  [`/ip4/10.0.0.1/tcp/01/ipfs/${A}/`, `/ip4/10.0.0.1/tcp/1/p2p/${A}`],
  ['/ip4/10.0.0.1/p2p/k51qzi5uqu5dj7skeind43o1an76ns1q5g2bupqw6o1hmcccenbkvalzo2olt0', `/ip4/10.0.0.1/p2p/${B}`],
  [`/ip6/2001:0db8:0:0:0:0:0:1/udp/4001/quic-v1/webtransport/p2p/${B}`, `/ip6/2001:db8::1/udp/4001/quic-v1/webtransport/p2p/${B}`],
  ['/dnsaddr/boot.example.org', undefined],
  ['/unix/run/node.sock', undefined]
] as const) {
  test(`the multiaddr ${text} is read`, async t => t.is(multiaddrText(await parseMultiaddr(text)), canonical ?? text))
}

for (const [text, why] of [
  ['', 'empty multiaddr'],
  ['///', 'empty multiaddr'],
  ['x/y', 'must begin with /'],
  ['/ip4', 'unexpected end of multiaddr'],
  ['/toString/x', 'unknown protocol toString'],
  ['/ip6/::g', 'invalid value "::g" for protocol ip6: failed to parse ip6 addr: ::g'],
  ['/tcp/x', 'invalid value "x" for protocol tcp: failed to parse port addr: strconv.ParseUint: parsing "x": invalid syntax'],
  ['/dns4//tcp/1', 'invalid value "" for protocol dns4: empty value']
] as const) {
  test(`'${text}' is no multiaddr`, async t => {
    await t.throwsAsync(parseMultiaddr(text), { code: 'E_MULTIADDR', message: `failed to parse multiaddr "${text}": ${why}` })
  })
}

test('a peer alone stands for its addresses, unless one of them is named too', async t => {
  const all = await parsePeers([`/ip4/10.0.0.1/p2p/${A}`, `/ip4/10.0.0.9/p2p/${B}`, `/ip4/10.0.0.2/p2p/${A}`])
  t.deepEqual(peerAddresses(all), [`/ip4/10.0.0.1/p2p/${A}`, `/ip4/10.0.0.2/p2p/${A}`, `/ip4/10.0.0.9/p2p/${B}`])
  const whole = withoutPeers(all, await parsePeers([`/p2p/${A}`]))
  t.deepEqual([peerAddresses(whole.kept), peerAddresses(whole.removed).length], [[`/ip4/10.0.0.9/p2p/${B}`], 2])
  const one = withoutPeers(all, await parsePeers([`/p2p/${A}`, `/ip4/10.0.0.2/p2p/${A}`]))
  t.deepEqual(peerAddresses(one.removed), [`/ip4/10.0.0.2/p2p/${A}`])
})

test('peers are added in front, and those that are refused change nothing', async t => {
  const { call, get } = await configuredHost(t)
  const before = (await get('Bootstrap')) as string[]
  const mine = `/ip4/10.0.0.1/tcp/1/p2p/${B}`
  await t.throwsAsync(call('bootstrap/add', [mine, 'bad']), { code: 'E_MULTIADDR' })
  t.deepEqual(await get('Bootstrap'), before)
  t.deepEqual(await call('bootstrap/add', [mine, mine]), { Peers: [mine] } as never)
  t.deepEqual(await get('Bootstrap'), [mine, ...before])
  t.deepEqual(((await call('bootstrap/rm', [`/p2p/${B}`])) as Peers).Peers, [mine])
  t.deepEqual(((await call('bootstrap/list')) as Peers).Peers.toSorted(), before.toSorted())
})

interface Asked {
  readonly node?: Readonly<Record<string, Json>>
  /** The list that is there. */
  readonly list?: readonly string[]
  readonly args?: readonly string[]
  readonly options?: Readonly<Record<string, unknown>>
}

test('at level 0.42 the word auto stands for the peers of a new node, unless AutoConf is off', async t => {
  const peersOf = async (path: string, { node = {}, list = [], args = [], options = {} }: Asked = {}) => {
    const host = await testHost({ configuration: { rpc: { level: '0.42' } }, node })
    t.teardown(() => host.stop())
    await host.call('config', { args: ['Bootstrap', JSON.stringify(list)], options: { json: true } })
    return ((await host.call(path, { args, options })) as { Peers: string[] | null }).Peers
  }
  const address = `/ip4/10.0.0.1/tcp/1/p2p/${B}`
  const added = (await peersOf('bootstrap/add', { args: [address, 'auto'] }))!
  t.is(added[0], address)
  t.true(added.length > 1)
  t.false(added.includes('auto'))
  t.deepEqual(await peersOf('bootstrap/add/default'), added.slice(1))
  const node = { 'AutoConf.Enabled': false }
  t.true(hasCode(await t.throwsAsync(peersOf('bootstrap/add', { node, args: ['auto'] })), 'E_BOOTSTRAP_AUTO'))
  t.true(hasCode(await t.throwsAsync(peersOf('bootstrap/add/default', { node })), 'E_BOOTSTRAP_AUTO'))
  const list = [address, 'auto']
  const options = { expandAuto: true }
  t.deepEqual(await peersOf('bootstrap/list', { list }), list)
  t.deepEqual(await peersOf('bootstrap/list', { list, options }), added)
  t.deepEqual(await peersOf('bootstrap/list', { list, options, node }), list)
  t.is(await peersOf('bootstrap/list', { options }), null)
})
