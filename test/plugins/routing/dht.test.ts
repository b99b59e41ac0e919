import { createHash, randomBytes } from 'node:crypto'
import { once } from 'node:events'
import { type AddressInfo, createServer } from 'node:net'
import { setTimeout } from 'node:timers/promises'
import { peerIdFromString } from '@libp2p/peer-id'
import { multiaddr } from '@multiformats/multiaddr'
import test from 'ava'
import type { Libp2p } from 'libp2p'
import { base58btc } from 'multiformats/bases/base58'
import { Pins, Provider } from '../../../core/index.ts'
import { itemsOf } from '../../../host/testing.ts'
import { dhtNode, file, line, tableOf } from '../../helpers/dht.ts'
import { makeRecord } from '../../helpers/ipns.ts'
import type { OnlineNode } from '../../helpers/online.ts'
import { until } from '../../helpers/until.ts'

interface Event {
  readonly Type: number
  readonly ID: string
  readonly Extra: string
  readonly Responses: ReadonlyArray<{ readonly ID: string; readonly Addrs: readonly string[] }> | null
}

const NOBODY = '12D3KooWHLYxZ2f7Uoe6gZ1YwRhcEppr4AXH4wsGDeTdcvfhvpcG'
const providersIn = (events: readonly Event[]) => events.flatMap(({ Type, Responses }) => (Type === 4 ? (Responses ?? []) : []))

/** How far a peer is from NOBODY: their places are SHA-256 of their multihashes, the distance the exclusive or. */
function distance(peer: string): Buffer {
  const [from, to] = [NOBODY, peer].map(id =>
    createHash('sha256')
      .update(base58btc.decode(`z${id}`))
      .digest()
  )
  return Buffer.from(from!.map((byte, i) => byte ^ to![i]!))
}

test('content that one node provides is found by one that is not connected with it', async t => {
  const [a, , c] = await line(t, 3, { provideNew: false })
  const [{ Hash }] = (await itemsOf(await a!.host.call('add', { body: file() }))) as [{ Hash: string }]
  t.deepEqual(providersIn(await itemsOf<Event>(await c!.host.call('routing/findprovs', { args: [Hash] }))), [])
  const told = await itemsOf<Event>(await a!.host.call('routing/provide', { args: [Hash] }))
  t.true(
    told.some(({ Type }) => Type === 1),
    'peers answered'
  )
  const found = await itemsOf<Event>(await c!.host.call('routing/findprovs', { args: [Hash] }))
  t.deepEqual(providersIn(found), [{ ID: a!.network.self, Addrs: [...a!.network.announced()] }])
  t.false(
    found.some(({ Type }) => Type === 3),
    'nothing failed'
  )
})

test('content comes from a peer that lists many dead addresses before the good one', async t => {
  const taken = createServer().listen(0, '127.0.0.1')
  await once(taken, 'listening')
  const { port } = taken.address() as AddressInfo
  taken.close()
  const good = `/ip4/127.0.0.1/tcp/${port}`
  const dead = Array.from({ length: 50 }, (_, i) => `/ip4/127.0.0.1/tcp/${i + 1}`)
  const [a, b, c] = await Promise.all([
    dhtNode(t, { node: { 'Addresses.Swarm': [good], 'Addresses.Announce': [...dead, good] }, routing: { fewPeers: 0 } }),
    dhtNode(t, { routing: { fewPeers: 0 } }),
    dhtNode(t, { routing: { fewPeers: 0 } })
  ])
  await a.network.dial(b.network.self, b.network.announced())
  await Promise.all([tableOf(a.host, 1), tableOf(b.host, 1)])
  const [{ Hash }] = (await itemsOf(await a.host.call('add', { body: file() }))) as [{ Hash: string }]
  await itemsOf(await a.host.call('routing/provide', { args: [Hash] }))
  await c.network.dial(b.network.self, b.network.announced())
  await tableOf(c.host, 1)
  const [found] = providersIn(await itemsOf<Event>(await c.host.call('routing/findprovs', { args: [Hash] })))
  t.true(found!.Addrs.includes(good), `${found!.Addrs.length} addresses are known`)
  t.true(Buffer.concat(await itemsOf<Uint8Array>(await c.host.call('cat', { args: [Hash] }))).length > 0)
})

test('what is added is provided by itself', async t => {
  const [a, , c] = await line(t, 3)
  const [{ Hash }] = (await itemsOf(await a!.host.call('add', { body: file() }))) as [{ Hash: string }]
  await until(
    'it is found',
    async () => providersIn(await itemsOf<Event>(await c!.host.call('routing/findprovs', { args: [Hash] }))).length > 0
  )
  const [stats] = await until('it is counted', async () => {
    const found = (await itemsOf(await a!.host.call('stats/provide'))) as [{ TotalProvides: number; AvgProvideDuration: number }]
    return found[0].TotalProvides > 0 && found
  })
  t.is(stats.TotalProvides, 1)
  t.true(stats.AvgProvideDuration > 0)
})

test('a peer is found that nobody near is connected with, and dialled by its ID alone', async t => {
  const [a, , , d] = await line(t, 4)
  const events = await itemsOf<Event>(await a!.host.call('routing/findpeer', { args: [d!.network.self] }))
  t.deepEqual(events.at(-1), { Extra: '', ID: '', Responses: [{ ID: d!.network.self, Addrs: [...d!.network.announced()] }], Type: 2 })
  t.is((await a!.network.dial(d!.network.self)).peer, d!.network.self)
})

test('a look-up of a peer that is nowhere ends in the reference’s words', async t => {
  const [a] = await line(t, 2)
  const events: Event[] = []
  const error = await t.throwsAsync(async () => {
    for await (const event of (await a!.host.call('routing/findpeer', { args: [NOBODY] })) as AsyncIterable<Event>) events.push(event)
  })
  t.is(error?.message, 'routing: not found')
  t.is(events.at(-1)?.Extra, 'routing: not found')
})

test('the peers closest to a key are told nearest first', async t => {
  const [a, b, c] = await line(t, 3)
  const events = await itemsOf<Event>(await a!.host.call('dht/query', { args: [NOBODY] }))
  const closest = [b!, c!].map(({ network }) => network.self).sort((x, y) => Buffer.compare(distance(x), distance(y)))
  t.deepEqual(
    events.filter(({ Type }) => Type === 2).map(({ ID }) => ID),
    closest
  )
})

test('a record that is put is got by a node that is not connected, the newest of several', async t => {
  const [a, , c] = await line(t, 3)
  const { name, record } = await makeRecord()
  const put = async (node: typeof a, value: Uint8Array) =>
    itemsOf(await node!.host.call('routing/put', { args: [`/ipns/${name}`], body: file(value) }))
  const got = async (node: typeof a) =>
    ((await itemsOf(await node!.host.call('routing/get', { args: [`/ipns/${name}`] }))) as [Event])[0].Extra
  const [first, second] = [await record(1n), await record(2n)]
  t.deepEqual(await put(a, second), [{ ID: name, Type: 5, Responses: null, Extra: '' }])
  t.is(await got(c), Buffer.from(second).toString('base64'))
  await put(c, first)
  t.is(await got(c), Buffer.from(second).toString('base64'), 'an older one does not win')
  await put(a, randomBytes(100))
  t.is(await got(a), Buffer.from(second).toString('base64'), 'nor does rubbish')
})

test('a client asks and is not asked', async t => {
  const server = await dhtNode(t)
  const client = await dhtNode(t, { node: { 'Routing.Type': 'dhtclient' } })
  await client.network.dial(server.network.self, server.network.announced())
  await tableOf(client.host, 1)
  t.false(client.network.protocols().includes('/ipfs/lan/kad/1.0.0'))
  t.true(server.network.protocols().includes('/ipfs/lan/kad/1.0.0'))
  t.false(server.network.protocols().includes('/ipfs/kad/1.0.0'), 'a node without a public address serves its own network alone')
  const [{ Hash }] = (await itemsOf(await client.host.call('add', { body: file() }))) as [{ Hash: string }]
  await until(
    'the server knows',
    async () => providersIn(await itemsOf<Event>(await server.host.call('routing/findprovs', { args: [Hash] }))).length > 0
  )
  const [{ Buckets }] = (await itemsOf(await client.host.call('stats/dht', { args: ['lan'] }))) as [
    { Buckets: Array<{ Peers: unknown[] | null }> }
  ]
  t.is(Buckets.flatMap(({ Peers }) => Peers ?? []).length, 1)
})

for (const isSwept of [false, true])
  test(`everything that is stored is provided again when that is asked for, ${isSwept ? 'by a sweep' : 'by a pass'}`, async t => {
    const [a, b] = await line(t, 2, { provideNew: false }, { 'Provide.DHT.SweepEnabled': isSwept })
    const [{ Hash }] = (await itemsOf(await a!.host.call('add', { body: file(randomBytes(600_000)) }))) as [{ Hash: string }]
    const provider = a!.host.service(Provider)!
    await provider.reprovide()
    const [blocks, pins] = [await itemsOf(await a!.host.call('refs/local')), await itemsOf(a!.host.service(Pins)!.list())]
    if (isSwept) t.is(provider.stats.lastBatch, blocks.length, 'each once')
    else t.is(provider.stats.lastBatch, blocks.length + pins.length, 'roots come first, and again among all')
    t.deepEqual(
      providersIn(await itemsOf<Event>(await b!.host.call('routing/findprovs', { args: [Hash] }))).map(({ ID }) => ID),
      [a!.network.self]
    )
  })

test('a peer of the routing table that was disconnected from is not dialled for it', async t => {
  const [a, b] = (await line(t, 2)) as [OnlineNode, OnlineNode]
  interface Components {
    readonly peerStore: { all(): Promise<ReadonlyArray<{ readonly tags: ReadonlyMap<string, unknown> }>> }
  }
  const tagsOf = ({ network }: OnlineNode) => {
    let tags: () => Promise<string[]> = async () => []
    network.add(({ peerStore }: Components) => {
      tags = async () => (await peerStore.all()).flatMap(peer => [...peer.tags.keys()])
      return {}
    })
    return tags
  }
  for (const tags of [a, b].map(tagsOf))
    await until('the library knows its closest peers', async () => (await tags()).includes('kad-close'))
  const dialled: string[] = []
  for (const { network } of [a, b]) t.teardown(network.onConnect(peer => void dialled.push(peer)))
  await a.host.call('swarm/disconnect', { args: { address: [`/p2p/${b.network.self}`] } })
  await until('both are alone', () => [a, b].every(({ network }) => network.connections().length === 0))
  await setTimeout(2_000)
  t.deepEqual(dialled, [])
})

test('a peer that cannot be reached leaves the routing table, and stays in it where it was the caller who left', async t => {
  const [a, b] = await line(t, 2)
  const lan = await tableOf(a!.host, 1)
  const id = b!.network.self
  // nobody answers there, and nobody refuses
  const silent = createServer(() => {})
  await new Promise<void>(resolve => void silent.listen(0, '127.0.0.1', resolve))
  t.teardown(() => silent.close())
  const { port } = silent.address() as AddressInfo
  await b!.host.stop()
  await until('it is gone', () => a!.network.connections(id).length === 0)
  const accepted = new Promise(resolve => silent.once('connection', resolve))
  const libp2p = a!.network.libp2p<Libp2p>()
  await libp2p.peerStore.patch(peerIdFromString(id), { multiaddrs: [multiaddr(`/ip4/127.0.0.1/tcp/${port}`)] })
  const inTable = () => lan.buckets().some(({ peers }) => peers.some(peer => peer.id === id))
  t.true(inTable())
  const leaving = new AbortController()
  const look = itemsOf(await a!.host.call('routing/findpeer', { args: [NOBODY], signal: leaving.signal }))
  await accepted
  leaving.abort(new Error('gone'))
  await t.throwsAsync(look)
  await setTimeout(50)
  t.true(inTable())
  silent.close()
  await libp2p.peerStore.patch(peerIdFromString(id), { multiaddrs: [multiaddr('/ip4/127.0.0.1/tcp/1')] })
  await t.throwsAsync(async () => itemsOf(await a!.host.call('routing/findpeer', { args: [NOBODY] })))
  await until('it leaves', () => !inTable())
})
