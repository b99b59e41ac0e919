import { randomBytes } from 'node:crypto'
import test from 'ava'
import { Bitswap, Blocks, CID, Exchange, Pins, plugin, ready } from '../../../core/index.ts'
import { itemsOf, testHost } from '../../../host/testing.ts'
import { ContentRouting } from '../../../plugins/bitswap/tokens.ts'
import { onlineNode } from '../../helpers/online.ts'
import { until } from '../../helpers/until.ts'
import { sample, samples } from '../storage/samples.ts'
import { added, bytesOf, connected, nodes, statOf } from './nodes.ts'

const NOBODY = '12D3KooWHLYxZ2f7Uoe6gZ1YwRhcEppr4AXH4wsGDeTdcvfhvpcG'

test('a file is read from a peer that has it, and is here afterwards', async t => {
  const [a, b] = await nodes(t, 2)
  const content = randomBytes(20_000_000)
  const hash = await added(b, content)
  t.true(content.equals(await bytesOf(a, 'cat', hash)))
  const stat = statOf(a)
  t.is(stat.blocksReceived, statOf(b).blocksSent)
  t.is(stat.duplicateBlocksReceived, 0)
  t.true(stat.messagesReceived < stat.blocksReceived, 'blocks come several at a time')
  t.true(content.equals(await bytesOf(a, 'cat', hash)))
  t.is(statOf(a).blocksReceived, stat.blocksReceived, 'nothing is fetched twice')
  t.deepEqual(statOf(a).wantlist, [])
})

test('every command that reads content reads it from peers, and a pin brings all of it', async t => {
  const [a, b] = await nodes(t, 2)
  const files = Object.fromEntries(Array.from({ length: 300 }, (_, i) => [`site/${i}.txt`, `file ${i}`]))
  const root = await added(b, files)
  const offline = async () => a.host.call('ls', { args: [root], options: { offline: true } })
  await t.throwsAsync(offline, { code: 'E_BLOCK_NOT_FOUND' }, 'not where the caller wants it offline')
  const listed = (await a.host.call('ls', { args: [root] })) as { Objects: Array<{ Links: unknown[] }> }
  t.is(listed.Objects[0]!.Links.length, 300)
  t.is((await bytesOf(a, 'cat', `${root}/7.txt`)).toString(), 'file 7')
  t.true((await bytesOf(a, 'dag/export', `${root}/8.txt`)).includes('file 8'))
  t.is(((await a.host.call('block/stat', { args: [root] })) as { Key: string }).Key, root)
  await a.host.call('pin/add', { args: [root] })
  const mine = await itemsOf<{ Ref: string }>(await a.host.call('refs', { args: [root], options: { offline: true } }))
  t.is(mine.length, 300)
  t.is(statOf(a).blocksReceived, 301)
  t.true(statOf(a).messagesReceived < 150, `${statOf(a).messagesReceived} messages for 301 blocks`)
})

test('what is wanted is shown to both, and a caller who leaves takes it back', async t => {
  const [a, b] = await nodes(t, 2)
  const { cid } = sample(1)
  const controller = new AbortController()
  const waiting = a.host.service(Blocks)!.get(cid, { signal: controller.signal })
  const theirs = () => b.host.call('bitswap/wantlist', { options: { peer: a.network.self } }) as Promise<{ Keys: unknown[] | null }>
  await until('the peer knows', async () => (await theirs()).Keys?.length === 1)
  t.deepEqual(await theirs(), { Keys: [{ '/': cid.toString() }] })
  t.deepEqual(await a.host.call('bitswap/wantlist'), { Keys: [{ '/': cid.toString() }] })
  t.deepEqual(await a.host.call('bitswap/wantlist', { options: { peer: NOBODY } }), { Keys: null })
  controller.abort(new Error('the caller has left'))
  await t.throwsAsync(waiting, { message: 'the caller has left' })
  t.deepEqual(await a.host.call('bitswap/wantlist'), { Keys: [] })
  await until('the peer is told', async () => (await theirs()).Keys?.length === 0)
})

test('a block that nobody has comes when a peer stores it, is added here, or its owner connects', async t => {
  const [a, b, c] = await nodes(t, 3)
  const [one, two, three] = samples(3)
  const d = (await nodes(t, 1))[0]
  const blocks = a.host.service(Blocks)!
  await d.host.service(Blocks)!.put(three!.cid, three!.bytes)
  const waiting = [one!, two!, three!].map(({ cid }) => blocks.get(cid))
  await until('the peers were asked', () => b.host.service(Bitswap)!.wantlistOf(a.network.self)?.length === 3)
  await c.host.service(Blocks)!.put(one!.cid, one!.bytes)
  t.deepEqual(Buffer.from(await waiting[0]!), Buffer.from(one!.bytes))
  await blocks.put(two!.cid, two!.bytes)
  t.deepEqual(Buffer.from(await waiting[1]!), Buffer.from(two!.bytes))
  await connected(a, d)
  t.deepEqual(Buffer.from(await waiting[2]!), Buffer.from(three!.bytes))
  await until('everybody is told', () => b.host.service(Bitswap)!.wantlistOf(a.network.self)?.length === 0)
})

test('a CID of another version or codec names the same block', async t => {
  const [a, b] = await nodes(t, 2)
  const { cid, bytes } = sample(1)
  await b.host.service(Blocks)!.put(cid, bytes)
  const other = CID.createV1(0x71, cid.multihash)
  const both = await Promise.all([cid, other].map(each => a.host.service(Exchange)!.get(each)))
  for (const got of both) t.deepEqual(Buffer.from(got), Buffer.from(bytes))
})

test('a peer that goes in the middle leaves its wants to others', async t => {
  const [a, b, c] = await nodes(t, 3)
  const content = randomBytes(12_000_000)
  const hash = await added(b, content)
  t.is(await added(c, content), hash)
  const reading = (async () => {
    const pieces: Uint8Array[] = []
    let isFirst = true
    for await (const piece of (await a.host.call('cat', { args: [hash] })) as AsyncIterable<Uint8Array>) {
      pieces.push(piece)
      if (!isFirst) continue
      isFirst = false
      const source = statOf(b).blocksSent > 0 ? b : c
      for (const connection of a.network.connections(source.network.self)) await connection.close()
    }
    return Buffer.concat(pieces)
  })()
  t.true(content.equals(await reading))
})

test('a peer that blocks come from stays connected when connections are too many, however new it is', async t => {
  const [b, c, d] = await Promise.all([1, 2, 3].map(() => onlineNode(t)))
  const a = await onlineNode(t, {
    node: { 'Swarm.ConnMgr.HighWater': 2, 'Swarm.ConnMgr.LowWater': 1, 'Swarm.ConnMgr.GracePeriod': '1ms' }
  })
  const content = randomBytes(30_000_000)
  const hash = await added(b!, content)
  await connected(c!, a)
  await connected(a, b!)
  const reading = ((await a.host.call('cat', { args: [hash] })) as AsyncIterable<Uint8Array>)[Symbol.asyncIterator]()
  const pieces = [(await reading.next()).value as Uint8Array]
  const closed = new Promise<string>(resolve => a.network.onDisconnect(resolve))
  await d!.network.dial(a.network.self, a.network.announced())
  await closed
  t.is(a.network.connections(b!.network.self).length, 1)
  for (let next = await reading.next(); next.done !== true; next = await reading.next()) pieces.push(next.value)
  t.true(content.equals(Buffer.concat(pieces)))
})

test('a pin that was given up goes on without fetching again what is here', async t => {
  const [a, b] = await nodes(t, 2)
  const files = Object.fromEntries(Array.from({ length: 1500 }, (_, i) => [`many/${i}`, `content of ${i}`]))
  const root = CID.parse(await added(b, files))
  const controller = new AbortController()
  const pins = a.host.service(Pins)!
  const onProgress = (nodes: number) => void (nodes === 500 && controller.abort(new Error('enough')))
  await t.throwsAsync(pins.add(root, { signal: controller.signal, onProgress }), { message: 'enough' })
  const before = statOf(a).blocksReceived
  t.true(before >= 500 && before < 1500, `${before} blocks before it was given up`)
  await pins.add(root)
  const { blocksReceived } = statOf(a)
  // what was on its way when it was given up may come twice
  t.true(
    blocksReceived >= 1501 && blocksReceived < 1501 + 300,
    `${blocksReceived} blocks for 1,501, ${before} of them before it was given up`
  )
})

test('peers that routing knows to have a block are connected with, and asked', async t => {
  const [b] = await nodes(t, 1)
  const hash = await added(b, 'far away')
  const asked: string[] = []
  const routing: ContentRouting = {
    async *findProviders(cid) {
      asked.push(cid.toString())
      yield { type: 'asking' }
      yield { type: 'provider', provider: { id: b.network.self, addresses: b.network.announced() } }
    }
  }
  const found = plugin({ name: 'found', api: '^1', about: 'Finds.', provides: [ready(ContentRouting, routing)] })
  const a = await onlineNode(t, { plugins: [found], on: { routing: 'off', bitswap: { providerDelay: 50 } } })
  t.is((await bytesOf(a, 'cat', hash)).toString(), 'far away')
  t.deepEqual(asked, [hash])
})

test('blocks that were fetched and not pinned can be collected, and are read again from peers', async t => {
  const [a, b] = await nodes(t, 2)
  const content = randomBytes(1_000_000)
  const hash = await added(b, content)
  t.true(content.equals(await bytesOf(a, 'cat', hash)))
  const gone = await itemsOf(await a.host.call('repo/gc'))
  t.is(gone.length, 5)
  t.true(content.equals(await bytesOf(a, 'cat', hash)))
})

test('the ledger and the statistics count what was exchanged', async t => {
  const [a, b] = await nodes(t, 2)
  const { cid, bytes } = sample(1, 5000)
  await b.host.service(Blocks)!.put(cid, bytes)
  await a.host.service(Blocks)!.get(cid)
  const of = (peer: string) => ({ args: [peer] })
  t.deepEqual(await a.host.call('bitswap/ledger', of(b.network.self)), {
    Peer: b.network.self,
    Value: 0,
    Sent: 0,
    Recv: 5000,
    Exchanged: 1
  })
  await until('the sender has counted it', () => statOf(b).blocksSent === 1)
  t.deepEqual(await b.host.call('bitswap/ledger', of(a.network.self)), {
    Peer: a.network.self,
    Value: 5000,
    Sent: 5000,
    Recv: 0,
    Exchanged: 1
  })
  const stat = (await a.host.call('stats/bitswap')) as Record<string, unknown>
  t.like(stat, { BlocksReceived: 1, DataReceived: 5000, DupBlksReceived: 0, BlocksSent: 0, Peers: [b.network.self] })
})

test('a node without peers says that it needs them, and one without routing that it cannot reprovide', async t => {
  const offline = await testHost({ configuration: { plugins: { network: 'off' } } })
  t.teardown(async () => void (await offline.stop()))
  await t.throwsAsync(async () => offline.call('bitswap/wantlist'), { code: 'E_NEEDS_ONLINE' })
  await t.throwsAsync(async () => offline.call('bitswap/stat'), { code: 'E_BITSWAP_STAT_OFFLINE' })
  t.is(offline.service(Exchange), undefined)
  const online = await onlineNode(t, { on: { provide: 'off' } })
  await t.throwsAsync(async () => online.host.call('bitswap/reprovide'), { code: 'E_REPROVIDE_NO_ROUTING' })
})
