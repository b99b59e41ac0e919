/** Values of the node configuration that the network cannot use are refused by their keys, and defaults are what the pages say. */
import { mock } from 'node:test'
import test from 'ava'
import type { Json, Logger, Network, Repo } from '../../../core/index.ts'
import { Bootstrap } from '../../../plugins/network/connections/bootstrap.ts'
import { onlineNode } from '../../helpers/online.ts'
import { until } from '../../helpers/until.ts'

const PEER = '12D3KooWHLYxZ2f7Uoe6gZ1YwRhcEppr4AXH4wsGDeTdcvfhvpcG'

/** A key, a value that is none, and what its error says besides the key. */
const WRONG: ReadonlyArray<readonly [key: string, value: Json, says: RegExp]> = [
  ['Addresses.Swarm', ['junk'], /'junk': failed to parse multiaddr/],
  ['Addresses.Announce', ['junk'], /'junk': failed to parse multiaddr/],
  ['Addresses.AppendAnnounce', ['/ip4/1.2.3/tcp/4'], /'\/ip4\/1\.2\.3\/tcp\/4': failed to parse multiaddr/],
  ['Addresses.NoAnnounce', ['nope'], /'nope': failed to parse multiaddr/],
  ['Addresses.NoAnnounce', ['/ip4/10.0.0.0/ipcidr/99'], /invalid CIDR address: 10\.0\.0\.0\/99/],
  ['Swarm.AddrFilters', ['nope'], /'nope': invalid multiaddr-filter format/],
  ['Swarm.RelayClient.StaticRelays', ['junk'], /'junk': failed to parse multiaddr/],
  ['Swarm.RelayClient.StaticRelays', ['/ip4/127.0.0.1/tcp/1'], /invalid p2p multiaddr/],
  ['Swarm.ConnMgr.HighWater', -5, /'-5': it is less than 0/],
  ['Swarm.ConnMgr.LowWater', -1, /'-1': it is less than 0/],
  ['Swarm.ConnMgr.GracePeriod', '-1s', /'-1s': it is less than 0/],
  ['Swarm.ConnMgr.Type', 'junk', /unrecognized Swarm\.ConnMgr\.Type: "junk"/],
  ['Swarm.RelayService.MaxReservations', -1, /'-1': it is less than 0/],
  ['Swarm.RelayService.ConnectionDataLimit', -1, /'-1': it is less than 0/],
  ['Swarm.RelayService.ReservationTTL', '-1h', /'-1h0m0s': it is less than 0/],
  ['Swarm.RelayService.ConnectionDurationLimit', '-2m', /'-2m0s': it is less than 0/],
  ['AutoNAT.Throttle.PeerLimit', -1, /'-1': it is less than 0/],
  ['Internal.Libp2pForceReachability', 'junk', /unrecognized reachability option: junk/],
  ['Internal.BackupBootstrapInterval', '-1h', /'-1h0m0s': it is less than 0/],
  ['Routing.Type', 'junk', /unrecognized routing option: junk/],
  ['Routing.Type', 'supernode', /has been removed/],
  ['Reprovider.Strategy', 'junk', /unknown reprovider strategy "junk"/],
  ['Reprovider.Interval', '-1h', /it is less than 0/],
  ['Swarm.ResourceMgr.MaxMemory', 'abc', /'abc': strconv/],
  ['Swarm.ResourceMgr.MaxFileDescriptors', -1, /'-1': it is less than 0/],
  ['Swarm.ResourceMgr.Allowlist', ['junk'], /'junk': invalid multiaddr-filter format/]
]

for (const [key, value, says] of WRONG)
  test.serial(`${key} of ${JSON.stringify(value)} keeps the node from starting, and the error names the key`, async t => {
    const { message } = await t.throwsAsync(onlineNode(t, { node: { 'Routing.Type': 'none', [key]: value } }))
    t.true(message.includes(`${key}: `), message)
    t.regex(message, says)
  })

for (const [place, peer, says] of [
  ['Peering.Peers[0].ID', { ID: 'junk', Addrs: [] }, 'failed to parse peer ID'],
  ['Peering.Peers[0].Addrs[0]', { ID: PEER, Addrs: ['junk'] }, 'failed to parse multiaddr "junk"']
] as const)
  test.serial(`${says} keeps the node from starting, and the error names the place`, async t => {
    const { message } = await t.throwsAsync(onlineNode(t, { node: { 'Routing.Type': 'none', 'Peering.Peers': [peer] } }))
    t.true(message.includes(`${place}: ${says}`), message)
  })

test('what needs relayed connections is refused where the transport for them is off, and the relay is off with it', async t => {
  const off = { 'Swarm.Transports.Network.Relay': false, 'Internal.Libp2pForceReachability': 'public' }
  for (const [key, needs, node] of [
    ['Swarm.RelayService.Enabled', 'Swarm.Transports.Network.Relay', off],
    ['Swarm.RelayClient.Enabled', 'Swarm.Transports.Network.Relay', off],
    ['Swarm.EnableHolePunching', 'Swarm.RelayClient.Enabled', { 'Swarm.RelayClient.Enabled': false }]
  ] as const) {
    const swarm = { [key]: true } as Record<string, Json>
    await t.throwsAsync(onlineNode(t, { node, file: nested(swarm) }), { message: new RegExp(`${key}.*${needs}`) })
  }
  const node = await onlineNode(t, { node: off })
  t.false(node.network.protocols().includes('/libp2p/circuit/relay/0.2.0/hop'))
})

test('a node asks the relays that it meets for a place where its configuration says so, and by default none', async t => {
  const relay = await onlineNode(t, { node: { 'Internal.Libp2pForceReachability': 'public' } })
  await until('the relay takes nodes in', () => relay.network.protocols().includes('/libp2p/circuit/relay/0.2.0/hop'))
  const [plain, wanting] = await Promise.all([onlineNode(t), onlineNode(t, { file: nested({ 'Swarm.RelayClient.Enabled': true }) })])
  for (const { network } of [plain, wanting]) await network.dial(relay.network.self, relay.network.announced())
  const places = ({ network }: typeof plain) => network.announced().filter(address => address.includes('/p2p-circuit'))
  await until('it has a place', () => places(wanting).length > 0)
  t.deepEqual(places(plain), [])
})

test('an address of Bootstrap that is none is told in the log, once, and the others are dialled', async t => {
  const [known, { network }] = await Promise.all([onlineNode(t), onlineNode(t)])
  const lines: string[] = []
  const log = { warn: (line: string) => void lines.push(line), debug() {}, error() {} } as unknown as Logger
  const peers = ['junk', '/ip4/127.0.0.1/tcp/1', ...known.addresses()]
  const repo = { get: (key: string) => (key === 'Bootstrap' ? peers : undefined) } as unknown as Repo
  const settings = { bootstrapInterval: 50, minPeers: 2 }
  let rounds = 0
  const counted = {
    self: network.self,
    connections(peer?: string) {
      rounds++
      return network.connections(peer)
    },
    dial: network.dial.bind(network)
  }
  const bootstrap = new Bootstrap({ network: counted as unknown as Network, repo, datastore: undefined, settings, log })
  t.teardown(() => bootstrap.stop())
  bootstrap.start()
  await until('the good one is dialled', () => network.connections(known.network.self).length > 0)
  const before = rounds
  await until('more rounds', () => rounds > before + 4)
  t.deepEqual(lines, [
    `Bootstrap: 'junk' is passed over: failed to parse multiaddr "junk": must begin with /`,
    `Bootstrap: '/ip4/127.0.0.1/tcp/1' is passed over: invalid p2p multiaddr`
  ])
})

for (const [key, value, isTold] of [
  ['Bootstrap', [`/ip4/127.0.0.1/tcp/1/p2p/${PEER}`], true],
  ['Peering.Peers', [{ ID: PEER, Addrs: [] }], true],
  ['Bootstrap', [], false]
] as const)
  test.serial(
    `a node that has no peers for a minute ${isTold ? 'says so' : 'says nothing'} where ${key} is ${JSON.stringify(value)}`,
    t => {
      mock.timers.enable({ apis: ['setTimeout', 'setInterval'] })
      t.teardown(() => mock.timers.reset())
      const lines: string[] = []
      const log = { error: (line: string) => void lines.push(line), debug() {}, warn() {} } as unknown as Logger
      const repo = { get: (name: string) => (name === key ? value : undefined) } as unknown as Repo
      const network = { self: 'self', connections: () => [], dial: () => Promise.reject(new Error('nobody')) } as unknown as Network
      const bootstrap = new Bootstrap({ network, repo, datastore: undefined, settings: { bootstrapInterval: 3_600_000, minPeers: 0 }, log })
      t.teardown(() => bootstrap.stop())
      bootstrap.start()
      mock.timers.tick(59_000)
      t.deepEqual(lines, [])
      mock.timers.tick(2_000)
      t.is(lines.length, isTold ? 1 : 0)
    }
  )

/** A node configuration of values by dotted keys. */
function nested(values: Readonly<Record<string, Json>>): Record<string, Json> {
  const tree: Record<string, Json> = {}
  for (const [key, value] of Object.entries(values)) {
    const names = key.split('.')
    let at = tree
    for (const name of names.slice(0, -1)) {
      at[name] ??= {}
      at = at[name] as Record<string, Json>
    }
    at[names.at(-1)!] = value
  }
  return tree
}

test('entries of Peering without an ID, and Provide.DHT.Interval that says nothing, are passed over', async t => {
  const node = {
    'Routing.Type': 'none',
    'Peering.Peers': [null, {}, { ID: PEER, Addrs: [] }],
    'Provide.DHT.Interval': ''
  }
  const { host } = await onlineNode(t, { node: node as never })
  const { Peers } = (await host.call('swarm/peering/ls')) as { Peers: ReadonlyArray<{ ID: string }> }
  t.deepEqual(
    Peers.map(({ ID }) => ID),
    [PEER]
  )
})
