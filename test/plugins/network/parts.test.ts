/** The parts of the network that need no peers. */
import test from 'ava'
import type { PeerConnection } from '../../../core/index.ts'
import { resolveDnsaddr } from '../../../core/multiaddr/index.ts'
import { isPrivate, isPublic } from '../../../plugins/network/addresses/addresses.ts'
import { announcer } from '../../../plugins/network/addresses/announce.ts'
import { inRange, parseFilter } from '../../../plugins/network/addresses/filters.ts'
import type { NetworkConfig } from '../../../plugins/network/config/config.ts'
import { Trimmer } from '../../../plugins/network/connections/trimmer.ts'
import { dialMessage } from '../../../plugins/network/dial/error.ts'
import { Negotiation, securing } from '../../../plugins/network/streams/negotiation.ts'

const connection = (peer: string, age: number): PeerConnection => ({
  id: peer,
  peer,
  address: '/ip4/192.0.2.7/tcp/1',
  direction: 'inbound',
  limited: false,
  openedAt: new Date(1_000_000 - age),
  protocols: () => [],
  close: async () => {},
  abort() {}
})

test('of too many connections those go that are worth least, not the new, and not the protected', t => {
  const trimmer = new Trimmer({ low: 2, high: 4, grace: 100 })
  const all = [connection('a', 500), connection('b', 500), connection('c', 500), connection('new', 50), connection('kept', 500)]
  trimmer.tag('a', 'one', 5)
  trimmer.tag('a', 'two', 5)
  trimmer.tag('b', 'one', 7)
  trimmer.protect('kept', 'me')
  t.deepEqual(trimmer.excess(all.slice(1), 1_000_000), [], 'no more than the high mark')
  t.deepEqual(
    trimmer.excess(all, 1_000_000).map(({ peer }) => peer),
    ['c', 'b', 'a']
  )
  t.deepEqual(trimmer.excess(all, 1_000_001), [], 'not twice in a row')
  trimmer.unprotect('kept', 'me')
  trimmer.tag('a', 'one', 0)
  t.deepEqual(
    trimmer.excess(all, 1_020_000).map(({ peer }) => peer),
    ['new', 'c', 'kept']
  )
  t.deepEqual(new Trimmer(undefined).excess(all, 1_000_000), [])
})

test('as many connections stay as the low mark says, also where it is above the high one, and all where a mark is 0', t => {
  const all = Array.from({ length: 15 }, (_, i) => connection(`${i}`, 500))
  const excess = (low: number, high: number, some = all) => new Trimmer({ low, high, grace: 100 }).excess(some, 1_000_000).length
  t.is(excess(20, 5), 0)
  t.is(excess(12, 5), 3)
  t.is(excess(15, 5), 0)
  t.is(excess(5, 15), 0)
  t.is(excess(5, 14), 10)
  t.is(excess(0, 5), 0)
  t.is(excess(5, 0), 0)
  t.is(new Trimmer({ low: 0, high: 5, grace: 100 }).enough, Number.POSITIVE_INFINITY)
})

test('addresses are told as the configuration has them: instead, as well, and not', t => {
  const config = (part: Partial<NetworkConfig>) =>
    ({ announce: [], appendAnnounce: [], noAnnounce: [], ...part }) as unknown as NetworkConfig
  const listening = ['/ip4/10.1.2.3/tcp/1', '/ip4/192.0.2.7/tcp/1']
  t.deepEqual(announcer(config({}))(listening), listening)
  t.deepEqual(announcer(config({ announce: ['/dns4/a.example/tcp/1'], appendAnnounce: ['/ip4/192.0.2.8/tcp/1'] }))(listening), [
    '/dns4/a.example/tcp/1',
    '/ip4/192.0.2.8/tcp/1'
  ])
  t.deepEqual(announcer(config({ noAnnounce: ['/ip4/10.0.0.0/ipcidr/8'] }))(listening), ['/ip4/192.0.2.7/tcp/1'])
  t.deepEqual(announcer(config({ noAnnounce: ['/ip4/192.0.2.7/tcp/1'] }))(listening), ['/ip4/10.1.2.3/tcp/1'])
  const whole = ['/ip4/192.0.2.7/tcp/1/p2p/12D3KooWHLYxZ2f7Uoe6gZ1YwRhcEppr4AXH4wsGDeTdcvfhvpcG']
  t.deepEqual(announcer(config({ announce: whole }))(listening), ['/ip4/192.0.2.7/tcp/1'], 'the ID is not told twice')
  t.deepEqual(announcer(config({ noAnnounce: whole }))(listening), ['/ip4/10.1.2.3/tcp/1'])
})

test('a filter holds the addresses of its range, and is written by its first', t => {
  t.is(parseFilter('/ip4/100.64.1.2/ipcidr/10').text, '/ip4/100.64.0.0/ipcidr/10')
  t.is(parseFilter('/ip6/fd00:1:2::9/ipcidr/40').text, '/ip6/fd00:1::/ipcidr/40')
  t.is(parseFilter('/ip4/10.0.0.1/ipcidr/0').text, '/ip4/0.0.0.0/ipcidr/0')
  const range = parseFilter('/ip4/172.16.0.0/ipcidr/12')
  t.deepEqual(
    ['/ip4/172.31.255.255/tcp/1', '/ip4/172.32.0.0/tcp/1', '/ip6/::1/tcp/1', '/dns4/a.example/tcp/1'].map(address =>
      inRange(range, address)
    ),
    [true, false, false, false]
  )
  t.true(inRange(range, '/ip6/::ffff:172.16.0.1/tcp/1'), 'as IPv6 writes it')
  t.true(inRange(range, '/ip6/64:ff9b::ac10:1/tcp/1'), 'as a translator is told it')
  t.true(inRange(parseFilter('/ip6/fe80::/ipcidr/10'), '/ip6zone/eth0/ip6/fe80::1/tcp/1'), 'with its zone')
})

test('private and public addresses are told apart', t => {
  for (const address of [
    '/ip4/127.0.0.1/tcp/1',
    '/ip4/172.20.0.1/tcp/1',
    '/ip4/100.64.0.1/tcp/1',
    '/ip4/192.0.2.7/tcp/1',
    '/ip6/::1/tcp/1',
    '/ip6/::ffff:10.0.0.1/tcp/1',
    '/ip6/2001:db8::1/tcp/1',
    '/ip6/fd00::1/tcp/1',
    '/ip6/fe80::1/tcp/1',
    '/ip6zone/eth0/ip6/fe80::1/tcp/1'
  ])
    t.deepEqual([isPrivate(address), isPublic(address)], [true, false], address)
  for (const address of ['/ip4/8.8.8.8/tcp/1', '/ip4/172.32.0.1/tcp/1', '/ip6/2606:4700::1111/tcp/1', '/dns4/a.example/tcp/1'])
    t.deepEqual([isPrivate(address), isPublic(address)], [false, true], address)
  t.false(isPublic('/ip4/8.8.8.8/tcp/1/p2p/12D3KooW/p2p-circuit'))
})

test('names in addresses are followed to what they lead to, for the peer that is named, and no deeper than four levels', async t => {
  const records: Readonly<Record<string, readonly string[]>> = {
    '_dnsaddr.a.example': ['dnsaddr=/dnsaddr/b.example/p2p/one', 'dnsaddr=/ip4/192.0.2.9/tcp/1/p2p/two', 'something else'],
    '_dnsaddr.b.example': ['dnsaddr=/ip4/192.0.2.7/tcp/1/p2p/one', 'dnsaddr=/ip4/192.0.2.8/tcp/1/p2p/other'],
    '_dnsaddr.loop.example': ['dnsaddr=/dnsaddr/loop.example']
  }
  const asked: string[] = []
  const ask = async (name: string) => {
    asked.push(name)
    return records[name] ?? []
  }
  t.deepEqual(await resolveDnsaddr('/dnsaddr/a.example', ask), ['/ip4/192.0.2.7/tcp/1/p2p/one', '/ip4/192.0.2.9/tcp/1/p2p/two'])
  t.deepEqual(await resolveDnsaddr('/dnsaddr/a.example/p2p/two', ask), ['/ip4/192.0.2.9/tcp/1/p2p/two'])
  t.deepEqual(await resolveDnsaddr('/ip4/192.0.2.7/tcp/1', ask), ['/ip4/192.0.2.7/tcp/1'])
  asked.length = 0
  t.deepEqual(await resolveDnsaddr('/dnsaddr/loop.example', ask), [])
  t.is(asked.length, 4)
})

test('the message of a dial has a line for each of 16 addresses, and the number of the others', t => {
  const failures = Array.from({ length: 18 }, (_, i) => ({ address: `/ip4/192.0.2.${i}/tcp/1`, cause: 'i/o timeout' }))
  const lines = dialMessage('12D3', 'all dials failed', failures).split('\n')
  t.is(lines.length, 18)
  t.is(lines[1], '  * [/ip4/192.0.2.0/tcp/1] i/o timeout')
  t.is(lines[17], '    ... skipping 2 errors ...')
})

test('what cannot be a negotiation is seen in its first octets, whatever pieces it comes in, and what follows one is not looked at', t => {
  const line = (text: string) => `${String.fromCharCode(text.length + 1)}${text}\n`
  const start = line('/multistream/1.0.0')
  const secured = `${start}${line('/other')}${line('/noise')}`
  const takes = (text: string, size: number) => {
    const [negotiation, bytes] = [new Negotiation(securing(['Noise'])), Buffer.from(text, 'latin1')]
    for (let at = 0; at < bytes.length; at += size) if (!negotiation.take(bytes.subarray(at, at + size))) return false
    return true
  }
  for (const size of [1, 3, 100_000]) {
    t.true(takes(secured, size))
    t.true(takes(`${secured}${'\xff'.repeat(10_000)}`, size))
    for (const [what, text] of [
      ['a length without end', '\xff\xff'],
      ['the same behind the first line', `${start}\xff\xff\xff`],
      ['another first line', line('/multistream/2.0.0')],
      ['what is not even long enough for it', 'GET'],
      ['a line that is too long', `${start}\x81\x08`],
      ['an empty line', `${start}\0`],
      ['a line without its end', `${start}\x04GET `],
      ['lines without end', `${start}${line('/other').repeat(32)}`],
      ['a protocol that is off', `${start}${line('/tls/1.0.0')}${'\xff'.repeat(10)}`]
    ] as const) {
      t.false(takes(text, size), what)
    }
  }
})
