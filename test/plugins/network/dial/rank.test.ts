/** The order in which the addresses of a peer are dialled, and what is remembered of those that failed. */
import test from 'ava'
import { Backoff, MOST_FAILED } from '../../../../plugins/network/dial/backoff.ts'
import { ranked } from '../../../../plugins/network/dial/rank.ts'

const delays = (addresses: readonly string[], failed: readonly string[] = []) =>
  ranked(addresses, address => failed.includes(address)).map(({ address, delay }) => `${delay} ${address}`)

test('QUIC is dialled before TCP, and WebSocket last, 250 ms apart, whatever the order in which they are given', t => {
  const [quic, tcp, ws] = ['/ip4/8.8.8.8/udp/4001/quic-v1', '/ip4/8.8.8.8/tcp/4001', '/ip4/8.8.8.8/tcp/4002/ws']
  const expected = [`0 ${quic}`, `250 ${tcp}`, `500 ${ws}`]
  for (const addresses of [
    [quic, tcp, ws],
    [ws, tcp, quic],
    [tcp, ws, quic]
  ])
    t.deepEqual(delays(addresses), expected)
  t.deepEqual(delays(['/dns4/peer.example/tcp/443/wss', '/dns4/peer.example/tcp/443/tls/ws', tcp]), [
    `0 ${tcp}`,
    '250 /dns4/peer.example/tcp/443/wss',
    '500 /dns4/peer.example/tcp/443/tls/ws'
  ])
})

test('IPv6 and IPv4 take turns, low ports first; after the first of each, all others of the transport begin', t => {
  const v4 = [4, 2, 3].map(i => `/ip4/8.8.8.8/tcp/${i}`)
  const v6 = [7, 6].map(i => `/ip6/2001:4860:4860::8888/tcp/${i}`)
  t.deepEqual(delays([...v4, ...v6]), [`0 ${v6[1]}`, `250 ${v4[1]}`, `500 ${v6[0]}`, `500 ${v4[2]}`, `500 ${v4[0]}`])
  t.deepEqual(delays(v4), [`0 ${v4[1]}`, `250 ${v4[2]}`, `250 ${v4[0]}`])
})

test('near addresses are dialled beside public ones, 30 ms apart, and relays half a second behind direct addresses', t => {
  const near = ['/ip4/127.0.0.1/udp/1/quic-v1', '/ip4/192.168.1.7/tcp/1', '/dns4/localhost/tcp/2/ws']
  const far = ['/ip4/8.8.8.8/udp/1/quic-v1', '/ip4/8.8.8.8/tcp/1']
  const relay = '/ip4/8.8.4.4/tcp/1/p2p/12D3KooWHLYxZ2f7Uoe6gZ1YwRhcEppr4AXH4wsGDeTdcvfhvpcG/p2p-circuit'
  t.deepEqual(delays([relay, ...far, ...near]), [
    `0 ${near[0]}`,
    `0 ${far[0]}`,
    `30 ${near[1]}`,
    `60 ${near[2]}`,
    `250 ${far[1]}`,
    `500 ${relay}`
  ])
  t.deepEqual(delays([relay]), [`0 ${relay}`])
})

test('an address that failed lately is dialled behind all others, for longer after each failure, and then as before', t => {
  let now = 0
  const backoff = new Backoff(() => now)
  const [first, second] = ['/ip4/8.8.8.8/tcp/1', '/ip4/8.8.8.8/tcp/2']
  backoff.failed(first)
  t.deepEqual(delays([first, second], [first]), [`0 ${second}`, `250 ${first}`])
  for (const time of [5_000, 6_000, 9_000, 14_000]) {
    t.true(backoff.has(first))
    now += time - 1
    t.true(backoff.has(first))
    now += 1
    t.false(backoff.has(first))
    backoff.failed(first)
  }
  for (let i = 0; i < 100; i++) backoff.failed(first)
  now += 300_000
  t.false(backoff.has(first), 'at most five minutes')
  backoff.failed(first)
  backoff.worked(first)
  t.false(backoff.has(first))
  backoff.failed(first)
  now += 20_000
  backoff.failed(first)
  now += 5_000
  t.false(backoff.has(first), 'one that did well for long begins anew')
})

test('of failed addresses only so many are remembered', t => {
  const backoff = new Backoff(() => 0)
  for (let i = 0; i <= MOST_FAILED; i++) backoff.failed(`${i}`)
  t.false(backoff.has('0'))
  t.true(backoff.has('1'))
})
