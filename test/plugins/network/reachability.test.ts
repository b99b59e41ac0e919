import test from 'ava'
import { reachabilityOf } from '../../../plugins/network/addresses/reachability.ts'
import { reachabilityReport } from '../../../plugins/swarm/commands/reachability.ts'
import { onlineNode } from '../../helpers/online.ts'

const SELF = '/p2p/12D3KooWHLYxZ2f7Uoe6gZ1YwRhcEppr4AXH4wsGDeTdcvfhvpcG'
const address = (text: string, verified: boolean, expires: number) => ({ multiaddr: text + SELF, verified, expires })

test('public addresses are told by what peers have found out, others are not', t => {
  const found = reachabilityOf([
    address('/ip4/1.2.3.4/tcp/2', true, 1),
    address('/ip4/1.2.3.4/tcp/1', true, 1),
    address('/ip4/1.2.3.4/tcp/1', true, 2),
    address('/ip4/1.2.3.4/udp/1/quic-v1', false, 1),
    address('/dns4/a.example/tcp/1', false, 0),
    address('/ip4/127.0.0.1/tcp/1', true, 1),
    address('/ip4/192.168.1.1/tcp/1', true, 1),
    address(`/ip4/1.2.3.4/tcp/1${SELF}/p2p-circuit`, true, 1)
  ])
  t.deepEqual(found, {
    reachable: ['/ip4/1.2.3.4/tcp/1', '/ip4/1.2.3.4/tcp/2'],
    unreachable: ['/ip4/1.2.3.4/udp/1/quic-v1'],
    unknown: ['/dns4/a.example/tcp/1']
  })
})

test('a node says what it was told to say of itself, else what it knows', async t => {
  const node = await onlineNode(t)
  t.deepEqual(await node.host.call('swarm/addrs/autonat'), { reachability: 'Unknown' })
  for (const [forced, reachability] of [
    ['public', 'Public'],
    ['private', 'Private']
  ] as const) {
    const { host } = await onlineNode(t, { node: { 'Internal.Libp2pForceReachability': forced } })
    t.deepEqual(await host.call('swarm/addrs/autonat'), { reachability })
  }
})

test('whether a node is reached is said in words, with what to do about it', async t => {
  const address = '/ip4/1.2.3.4/tcp/4001'
  const nothing = { reachable: [], unreachable: [], unknown: [], forced: undefined } as const
  const cases = [
    [
      { ...nothing, reachable: [address], unreachable: ['/ip4/1.2.3.4/udp/4001/quic-v1'] },
      [],
      3,
      'public',
      /^Peers reach the node/,
      undefined
    ],
    [{ ...nothing, unreachable: [address] }, [`${address}/p2p/x/p2p-circuit`], 3, 'relayed', /over relays/, /Addresses\.Swarm/],
    [{ ...nothing, unreachable: [address] }, [], 3, 'private', /do not reach/, /StaticRelays/],
    [{ ...nothing, unreachable: [address], unknown: ['/ip4/1.2.3.4/tcp/2'] }, [], 3, 'unknown', /No peer has told yet/, undefined],
    [{ ...nothing, unknown: [address] }, [], 0, 'unknown', /Nobody is connected/, /swarm connect/],
    [nothing, [], 3, 'unknown', /no public address/, /StaticRelays/],
    [{ ...nothing, reachable: [address], forced: 'private' }, [], 3, 'private', /Libp2pForceReachability/, /Libp2pForceReachability/],
    [{ ...nothing, unreachable: [address], forced: 'public' }, [], 3, 'public', /Libp2pForceReachability/, undefined]
  ] as const
  for (const [found, relayed, peers, reachability, about, remedy] of cases) {
    const report = reachabilityReport(found, relayed, peers)
    t.is(report.Reachability, reachability)
    t.regex(report.About, about)
    if (remedy === undefined) t.is(report.Remedy, undefined)
    else t.regex(report.Remedy!, remedy)
  }
  const { host } = await onlineNode(t)
  const said = (await host.call('swarm/reachability')) as { Reachability: string; Peers: number }
  t.like(said, { Reachability: 'unknown', Peers: 0 })
})
