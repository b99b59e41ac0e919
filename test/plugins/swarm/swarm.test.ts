import test from 'ava'
import { itemsOf } from '../../../host/testing.ts'
import { onlineNode } from '../../helpers/online.ts'
import { until } from '../../helpers/until.ts'

const NOBODY = '12D3KooWHLYxZ2f7Uoe6gZ1YwRhcEppr4AXH4wsGDeTdcvfhvpcG'

interface PeerEntry {
  readonly Addr: string
  readonly Peer: string
  readonly Latency?: string
  readonly Direction?: number
  readonly Streams?: ReadonlyArray<{ readonly Protocol: string }>
  readonly Identify: unknown
}

test('peers connect by address, are listed by both with what each says of itself, and disconnect', async t => {
  const [a, b] = await Promise.all([onlineNode(t), onlineNode(t)])
  const [address = ''] = b.addresses()
  t.deepEqual(await a.host.call('swarm/connect', { args: { address: [address] } }), { Strings: [`connect ${b.network.self} success`] })
  const { Peers } = (await a.host.call('swarm/peers', { options: { identify: true, direction: true } })) as { Peers: PeerEntry[] }
  t.is(Peers.length, 1)
  t.is(`${Peers[0]?.Addr}/p2p/${Peers[0]?.Peer}`, address)
  t.is(Peers[0]?.Direction, 2)
  // at its level, a node leaves out of itself what Kubo 0.28 has not
  const self = { ...((await b.host.call('id')) as object), Protocols: b.network.protocols() }
  t.deepEqual(Peers[0]?.Identify, self, 'a peer is seen as it sees itself')
  t.deepEqual(await a.host.call('id', { args: { peerid: b.network.self } }), self)
  const there = await until('the other side lists it', async () => {
    const { Peers: found } = (await b.host.call('swarm/peers', { options: { verbose: true } })) as { Peers: PeerEntry[] | null }
    return found?.find(({ Peer }) => Peer === a.network.self)
  })
  t.is(there.Direction, 1)
  t.is(there.Latency, 'n/a')
  const { Addrs } = (await a.host.call('swarm/addrs')) as { Addrs: Record<string, string[]> }
  t.deepEqual(Object.keys(Addrs).sort(), [a.network.self, b.network.self].sort())
  t.deepEqual(await a.host.call('swarm/disconnect', { args: { address: [address] } }), {
    Strings: [`disconnect ${b.network.self} success`]
  })
  await until('both are alone again', () => a.network.connections().length === 0 && b.network.connections().length === 0)
  // its addresses are still known
  t.deepEqual(await a.host.call('swarm/connect', { args: { address: [`/p2p/${b.network.self}`] } }), {
    Strings: [`connect ${b.network.self} success`]
  })
})

test('a ping tells of each message and the average, and what goes over the streams is counted', async t => {
  const [a, b] = await Promise.all([onlineNode(t), onlineNode(t)])
  const items = await itemsOf<{ Success: boolean; Time: number; Text: string }>(
    await a.host.call('ping', { args: { peer: b.addresses() }, options: { count: 1 } })
  )
  t.deepEqual(
    items.map(({ Success }) => Success),
    [true, true, true]
  )
  t.is(items[0]?.Text, `PING ${b.network.self}.`)
  t.true((items[1]?.Time ?? 0) > 0)
  t.regex(items[2]?.Text ?? '', /^Average latency: \d+\.\d\dms$/)
  type Reading = { TotalIn: bigint; TotalOut: bigint }
  const read = async (options: Readonly<Record<string, string>>) => (await itemsOf<Reading>(await a.host.call('stats/bw', { options })))[0]!
  const all = await read({})
  const ofPing = await read({ proto: '/ipfs/ping/1.0.0' })
  t.is(ofPing.TotalIn, 32n)
  t.is(ofPing.TotalOut, 32n)
  t.true(all.TotalIn > ofPing.TotalIn, 'what the peers say of themselves is counted as well')
  t.is((await read({ peer: b.network.self })).TotalOut, all.TotalOut)
  t.is((await read({ peer: NOBODY })).TotalOut, 0n)
})

test('a node stays connected with the peers it was told to, also when they go and come back', async t => {
  const b = await onlineNode(t)
  const a = await onlineNode(t, { network: { peeringDelay: 50 } })
  await itemsOf(await a.host.call('swarm/peering/add', { args: { address: b.addresses() } }))
  const connected = () => a.network.connections(b.network.self)[0]
  const first = await until('they are connected', connected)
  await first.close()
  await until('they are connected anew', () => connected() !== undefined && connected()?.id !== first.id)
  await itemsOf(await a.host.call('swarm/peering/rm', { args: { id: [b.network.self] } }))
  t.deepEqual(await a.host.call('swarm/peering/ls'), { Peers: [] })
})

test('a node of few peers dials those of Bootstrap', async t => {
  const b = await onlineNode(t)
  const a = await onlineNode(t, { node: { Bootstrap: b.addresses() }, network: { bootstrapInterval: 1_000 } })
  await until('they are connected', () => a.network.connections(b.network.self).length === 1)
  t.pass()
})

test('an address in a filter is neither dialled nor let in', async t => {
  const [a, b] = await Promise.all([onlineNode(t), onlineNode(t)])
  await b.host.call('swarm/filters/add', { args: { address: ['/ip4/127.0.0.0/ipcidr/8'] } })
  await t.throwsAsync(b.network.dial(a.network.self, a.network.announced()), {
    code: 'E_DIAL',
    message: /gater disallows connection to peer/
  })
  await t.throwsAsync(a.network.dial(b.network.self, b.network.announced()), { code: 'E_DIAL' })
  await b.host.call('swarm/filters/rm', { args: { address: ['all'] } })
  await a.network.dial(b.network.self, b.network.announced())
  t.is(a.network.connections().length, 1)
})

test('resources show what peers take, and more than the limit of connections is refused', async t => {
  const node = { 'Swarm.ResourceMgr.MaxMemory': '1GB', 'Swarm.ResourceMgr.MaxFileDescriptors': 1 }
  const [a, b, c] = await Promise.all([onlineNode(t, { node }), onlineNode(t), onlineNode(t)])
  await a.network.dial(b.network.self, b.network.announced())
  type Scope = Record<string, number | string>
  const shown = (await a.host.call('swarm/resources')) as { System: Scope; Transient: Scope; Peers: Record<string, Scope> }
  t.like(shown.System, { Memory: '1000000000', FD: 1, FDUsage: 1, ConnsOutbound: 'unlimited', ConnsOutboundUsage: 1, ConnsInbound: 953 })
  t.like(shown.Transient, { Memory: '250000000', ConnsInbound: 238 })
  t.like(shown.Peers[b.network.self], { Conns: 'default', ConnsUsage: 1 })
  await t.throwsAsync(a.network.dial(c.network.self, c.network.announced()), { code: 'E_NETWORK_LIMIT' })
  await t.throwsAsync(c.network.dial(a.network.self, a.network.announced()), { code: 'E_DIAL' })
})

test('a name that leads to an address in a filter is not dialled', async t => {
  const [a, b] = await Promise.all([onlineNode(t), onlineNode(t)])
  const [port] = b.network.announced().flatMap(address => /^\/ip4\/127\.0\.0\.1\/tcp\/(\d+)$/.exec(address)?.[1] ?? [])
  const named = [`/dns4/localhost/tcp/${port}`]
  await a.host.call('swarm/filters/add', { args: { address: ['/ip4/127.0.0.0/ipcidr/8'] } })
  await t.throwsAsync(a.network.dial(b.network.self, named), { code: 'E_DIAL' })
  await a.host.call('swarm/filters/rm', { args: { address: ['all'] } })
  await a.host.call('swarm/filters/add', { args: { address: ['/ip4/192.0.2.0/ipcidr/24'] } })
  await a.network.dial(b.network.self, named)
  t.is(a.network.connections(b.network.self).length, 1)
})
