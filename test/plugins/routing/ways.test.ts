import { once } from 'node:events'
import { createServer, type RequestListener } from 'node:http'
import type { AddressInfo } from 'node:net'
import { setImmediate } from 'node:timers/promises'
import test, { type ExecutionContext } from 'ava'
import { CID, type Logger, type Router, type RoutingEvent } from '../../../core/index.ts'
import { reproviderPlan, routingPlan } from '../../../core/network/index.ts'
import { itemsOf } from '../../../host/testing.ts'
import { ProvideQueue } from '../../../plugins/provide/queue.ts'
import { ComposedRouter } from '../../../plugins/routing/composed.ts'
import { KeptForOthers } from '../../../plugins/routing/dht/records/kept.ts'
import { ProviderRecords, tellingFull } from '../../../plugins/routing/dht/records/records.ts'
import { Seen } from '../../../plugins/routing/dht/records/seen.ts'
import { HttpRouter } from '../../../plugins/routing/http/client.ts'
import { MemoryDatastore } from '../../../plugins/storage-memory/datastore.ts'
import { makeRecord } from '../../helpers/ipns.ts'

const PEER = '12D3KooWHLYxZ2f7Uoe6gZ1YwRhcEppr4AXH4wsGDeTdcvfhvpcG'
const cid = CID.parse('bafkreifrv5u3d6kipdadv3hoah6vq3k7cjrrvm6ohdmuilkz2rry72w6ku')

/** A delegated router that answers so. */
async function router(t: ExecutionContext, answer: RequestListener, { timeout = 30_000, maxBytes = 100_000 } = {}): Promise<HttpRouter> {
  const server = createServer(answer).listen(0, '127.0.0.1')
  await once(server, 'listening')
  t.teardown(() => {
    server.closeAllConnections()
    server.close()
  })
  const endpoint = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  return new HttpRouter({ endpoint, agent: 'test', timeout, maxBytes })
}

test('a delegated router is asked for providers, in one object or in lines; what is no peer is left out', async t => {
  const asked: string[] = []
  const peers = [{ ID: PEER, Addrs: ['/ip4/192.0.2.1/tcp/4001', 7, `/ip4/192.0.2.2/tcp/1/p2p/${PEER}`] }, { ID: 'nobody' }, null]
  const json = await router(t, ({ url = '', headers }, response) => {
    asked.push(url, headers['user-agent'] ?? '')
    response.setHeader('content-type', 'application/json').end(JSON.stringify({ Providers: peers }))
  })
  const expected = [{ type: 'provider', provider: { id: PEER, addresses: ['/ip4/192.0.2.1/tcp/4001', '/ip4/192.0.2.2/tcp/1'] } }]
  t.deepEqual(await itemsOf(json.findProviders(cid)), expected)
  t.deepEqual(asked, [`/routing/v1/providers/${cid}`, 'test'])
  const lines = await router(t, (_, response) => {
    response.setHeader('content-type', 'application/x-ndjson').end(peers.map(peer => `${JSON.stringify(peer)}\n`).join(''))
  })
  t.deepEqual(await itemsOf(lines.findProviders(cid)), expected)
})

test('a delegated router that knows nothing is no error; one that fails, or says too much, is named', async t => {
  const none = await router(t, (_, response) => response.writeHead(404).end())
  t.deepEqual(await itemsOf(none.findProviders(cid)), [])
  const broken = await router(t, (_, response) => response.writeHead(500).end())
  await t.throwsAsync(itemsOf(broken.findProviders(cid)), { code: 'E_HTTP_ROUTER', message: /it answers 500$/ })
  const large = await router(t, (_, response) => response.end(Buffer.alloc(200_000, ' ')))
  await t.throwsAsync(itemsOf(large.findProviders(cid)), { message: /it answers with more than 100000 bytes$/ })
  const nonsense = await router(t, (_, response) => response.end('<html>'))
  await t.throwsAsync(itemsOf(nonsense.findProviders(cid)), { message: /its answer is no JSON/ })
})

test('a delegated router that does not answer is given up when its time is over', async t => {
  const silent = await router(t, () => {}, { timeout: 50 })
  t.deepEqual(await itemsOf(silent.findProviders(cid)), [])
})

test('records of names go to a delegated router and come from it, and are checked', async t => {
  const { name, record } = await makeRecord()
  const value = await record(1n)
  const key = (await import('../../../plugins/routing/key.ts')).routingKey(`/ipns/${name}`)
  const taken: Buffer[] = []
  let given = value
  const way = await router(t, async (request, response) => {
    if (request.method === 'PUT') for await (const part of request) taken.push(part as Buffer)
    response.end(request.method === 'PUT' ? '' : given)
  })
  await itemsOf(way.putValue(key, value))
  t.deepEqual(Buffer.concat(taken), Buffer.from(value))
  const [event] = await itemsOf<RoutingEvent>(way.getValue(key))
  t.deepEqual(event?.type === 'value' && Buffer.from(event.value), Buffer.from(value))
  given = Buffer.from('forged')
  await t.throwsAsync(itemsOf(way.getValue(key)), { code: 'E_ROUTING_RECORD' })
})

test('ways one after the other end with the first that finds something; a failure that is to be ignored is', async t => {
  const calls: string[] = []
  const way = (name: string, found: boolean, error?: Error): Router => ({
    name,
    async *findProviders() {
      calls.push(name)
      if (error !== undefined) throw error
      if (found) yield { type: 'provider', provider: { id: name, addresses: [] } }
    }
  })
  const member = (router: Router, ignoreErrors = false) => ({ router, ignoreErrors, timeout: 10_000, executeAfter: 0 })
  const ways = [
    member(way('bad', false, new Error('broken')), true),
    member(way('empty', false)),
    member(way('good', true)),
    member(way('last', true))
  ]
  const sequential = new ComposedRouter('s', ways, { sequential: true })
  t.deepEqual(await itemsOf(sequential.findProviders(cid)), [{ type: 'provider', provider: { id: 'good', addresses: [] } }])
  t.deepEqual(calls, ['bad', 'empty', 'good'])
  const strict = new ComposedRouter('s', [member(way('bad', false, new Error('broken')))], { sequential: true })
  await t.throwsAsync(itemsOf(strict.findProviders(cid)), { message: 'broken' })
})

const plan = (values: Record<string, unknown>) => routingPlan(key => values[key] as never, {})

test('the configuration of routing says what is wrong with it', t => {
  t.deepEqual(plan({}), { dht: 'auto', http: ['https://cid.contact'] })
  t.deepEqual(plan({ 'Routing.Type': 'autoclient' }).dht, 'client')
  t.deepEqual(plan({ 'Routing.Type': 'none' }), { dht: undefined, http: [] })
  t.deepEqual(routingPlan(() => undefined, { IPFS_HTTP_ROUTERS: 'http://a.example http://b.example' }).http, [
    'http://a.example',
    'http://b.example'
  ])
  t.throws(() => plan({ 'Routing.Type': 'x' }), { message: 'Routing.Type: unrecognized routing option: x' })
  t.throws(() => plan({ 'Routing.Type': 'supernode' }), {
    message: 'Routing.Type: supernode routing was never fully implemented and has been removed'
  })
  t.throws(() => plan({ 'Routing.Type': 'custom' }), { message: /method name 'provide' is missing/ })
  const methods = Object.fromEntries(
    ['provide', 'find-peers', 'find-providers', 'get-ipns', 'put-ipns'].map(name => [name, { RouterName: 'a' }])
  )
  const custom = (Routers: unknown) => () => plan({ 'Routing.Type': 'custom', 'Routing.Routers': Routers, 'Routing.Methods': methods })
  t.throws(custom({ b: { Type: 'dht' } }), { message: /there is no router 'a'/ })
  t.throws(custom({ a: { Type: 'http', Parameters: { Endpoint: 'ftp://x' } } }), { message: /'ftp:\/\/x' is no URL of HTTP/ })
  t.throws(custom({ a: { Type: 'parallel', Parameters: { Routers: [{ RouterName: 'a' }] } } }), { message: /it is a member of itself/ })
  t.is(custom({ a: { Type: 'dht', Parameters: { Mode: 'client' } } })().dht, 'client')
  t.throws(() => reproviderPlan(key => (key === 'Reprovider.Strategy' ? 'some' : undefined)), {
    message: 'Reprovider.Strategy: unknown reprovider strategy "some"'
  })
  t.deepEqual(
    reproviderPlan(() => undefined),
    {
      strategy: { all: true, rootsFirst: true, pinned: false, roots: false, mfs: false, unique: false, entities: false },
      strategyText: 'all',
      interval: 79_200_000,
      off: undefined,
      isSwept: true,
      isResumed: true,
      workers: undefined,
      keysAtOnce: 16_384,
      serversAtOnce: 20
    }
  )
  const said = (values: Readonly<Record<string, unknown>>) => reproviderPlan(key => values[key] as never)
  t.is(said({ 'Provide.DHT.Interval': '1h', 'Reprovider.Interval': '2h' }).interval, 3_600_000, 'the newer key comes first')
  t.is(said({ 'Provide.Enabled': false }).off, 'Provide.Enabled')
  t.is(said({ 'Provide.Enabled': true }).off, undefined)
  t.is(said({ 'Experimental.StrategicProviding': true }).off, 'Experimental.StrategicProviding')
})

test('the queue of new blocks keeps its order over a restart, and refuses what is too much', async t => {
  const datastore = new MemoryDatastore()
  const queue = new ProvideQueue(datastore, 3)
  await queue.open()
  const others = [CID.parse('QmUNLLsPACCz1vLxQVkXqqLX5R1X345qqfHbsf67hvA3Nn'), cid]
  await queue.add(others)
  await t.throwsAsync(queue.add(others), { code: 'E_PROVIDE_QUEUE' })
  const again = new ProvideQueue(datastore, 3)
  await again.open()
  t.is(again.length, 2)
  const [first, second] = await again.first(10)
  t.deepEqual(
    [first, second].map(item => item?.cid.toString()),
    others.map(String)
  )
  await first?.done()
  t.deepEqual(
    (await again.first(10)).map(item => item.cid.toString()),
    [cid.toString()]
  )
})

test('what is kept for others ends with its time and its limits, also over a restart', async t => {
  const datastore = new MemoryDatastore()
  let now = 1_000
  const limits = { count: 3, bytes: 10_000, ofPeer: 2, validity: 100 }
  const kept = () => new KeptForOthers(datastore, '/x/', 'self', limits, { now: () => now })
  const first = kept()
  await first.put('a', 'p', Buffer.from('1'))
  await first.put('b', 'p', Buffer.from('2'))
  await t.throwsAsync(first.put('c', 'p', Buffer.from('3')), { code: 'E_DHT_FULL', message: /maxRecordsOfPeer/ })
  await first.put('b', 'p', Buffer.from('new'))
  await first.put('own', 'self', Buffer.alloc(20_000))
  const second = kept()
  await second.sweep()
  t.is(second.usage.count, 2)
  await second.put('c', 'q', Buffer.from('3'))
  await second.put('d', 'r', Buffer.from('4'))
  t.is(second.usage.count, 3)
  t.is(await second.get('a'), undefined, 'the oldest of who has most gives way')
  const none = new KeptForOthers(datastore, '/y/', 'self', { ...limits, count: 0 })
  await t.throwsAsync(none.put('d', 'r', Buffer.from('4')), { code: 'E_DHT_FULL', message: /maxRecords/ })
  t.is(Buffer.from((await second.get('b'))!.bytes).toString(), 'new')
  now += 101
  t.is(await second.get('b'), undefined)
  await second.sweep()
  t.is(second.usage.count, 0)
  t.deepEqual(await itemsOf(datastore.queryKeys({})), [])
})

test('an address that has filled what is kept for others gives way to others, also after a restart, whatever IDs it has', async t => {
  const datastore = new MemoryDatastore()
  const limits = { count: 1000, bytes: 80_000, ofPeer: 1000, validity: 100 }
  const full: string[] = []
  const open = async () => {
    const kept = new KeptForOthers(datastore, '/x/', 'self', limits, {
      now: () => 1_000,
      onFull: tellingFull({ warn: (line: string) => void full.push(line) } as Logger, 'values')
    })
    await kept.sweep()
    return kept
  }
  const first = await open()
  await t.throwsAsync(first.put('whole', 'p', Buffer.alloc(20_000), '192.0.2.1'), { code: 'E_DHT_FULL', message: /maxRecordBytes/ })
  const put = async (kept: KeptForOthers, name: string, address: string) => kept.put(name, `of ${name}`, Buffer.alloc(900), address)
  for (let i = 0; i < 200; i++) await put(first, `a${i}`, '192.0.2.1')
  t.true(first.usage.bytes <= limits.bytes / 4, `${first.usage.bytes} bytes of one address`)
  for (let i = 0; i < 20; i++)
    for (const address of ['192.0.2.2', '192.0.2.3', '192.0.2.4', '192.0.2.5']) await put(first, `${address} ${i}`, address)
  t.true(first.usage.bytes <= limits.bytes)
  t.is(full.length, 1, 'it is told once')
  t.regex(full[0]!, /as many bytes of records of values are kept for peers as may be \(plugins\.routing\.maxRecordBytes\)/)
  await put(first, 'honest', '192.0.2.9')
  t.truthy(await first.get('honest'))
  const second = await open()
  t.deepEqual(second.usage, first.usage)
  await put(second, 'another', '192.0.2.10')
  for (const name of ['honest', 'another']) t.truthy(await second.get(name))
  t.is((await itemsOf(datastore.queryKeys({}))).length, second.usage.count, 'nothing is left of what gave way')
})

test('of a provider few addresses are kept, and short ones', async t => {
  const limits = { maxRecords: 1000, maxRecordBytes: 1_000_000, maxRecordsOfPeer: 1000, maxProvidersOfBlock: 2, recordValidity: 1000_000 }
  const records = new ProviderRecords(new MemoryDatastore(), 'self', limits)
  const long = Array.from({ length: 64 }, (_, i) => `/ip4/192.0.2.${i}/tcp/4001/http-path/${'a'.repeat(900)}`)
  const short = Array.from({ length: 100 }, (_, i) => `/ip4/192.0.2.${i}/tcp/1`)
  await records.add(Buffer.from('one'), { id: 'p', addresses: [...long, ...short] })
  t.deepEqual(await records.of(Buffer.from('one')), [{ id: 'p', addresses: short.slice(0, 64) }])
  const medium = short.map(address => address.padEnd(250, 'x'))
  await records.add(Buffer.from('two'), { id: 'p', addresses: medium })
  t.deepEqual(await records.of(Buffer.from('two')), [{ id: 'p', addresses: medium.slice(0, 8) }])
})

test('an address that names more providers of a block than any other gives way to one that names fewer', async t => {
  const limits = { maxRecords: 1000, maxRecordBytes: 1_000_000, maxRecordsOfPeer: 1000, maxProvidersOfBlock: 3, recordValidity: 1000_000 }
  const records = new ProviderRecords(new MemoryDatastore(), 'self', limits)
  const block = Buffer.from('block')
  const add = (id: string, origin: string) => records.add(block, { id, addresses: [] }, origin)
  for (const id of ['a1', 'a2', 'a3']) await add(id, '192.0.2.1')
  await t.throwsAsync(add('a4', '192.0.2.1'), { code: 'E_DHT_FULL', message: /maxProvidersOfBlock/ })
  await add('b', '192.0.2.2')
  const ids = (await records.of(block)).map(({ id }) => id).sort()
  t.is(ids.length, 3)
  t.true(ids.includes('b'))
  await add('c', '192.0.2.3')
  await t.throwsAsync(add('d', '192.0.2.4'), { code: 'E_DHT_FULL', message: /maxProvidersOfBlock/ }, 'none has more than another')
})

test('nothing is read of the datastore for a block that no record is of; one of an earlier run, or of the time while all are looked through, is found', async t => {
  const datastore = new MemoryDatastore()
  let reads = 0
  const counting = new Proxy(datastore, {
    get(target, name) {
      if (name === 'get' || name === 'query') reads++
      const value: unknown = Reflect.get(target, name, target)
      return typeof value === 'function' ? value.bind(target) : value
    }
  })
  const limits = { maxRecords: 1000, maxRecordBytes: 100_000, maxRecordsOfPeer: 1000, maxProvidersOfBlock: 2, recordValidity: 1000_000 }
  const records = () => new ProviderRecords(counting, 'self', limits)
  const peer = (id: string) => ({ id, addresses: [] })
  const [one, two, three] = [Buffer.from('block one'), Buffer.from('block two'), Buffer.from('block three')]
  await records().add(one, peer('p'))
  const later = records()
  const sweep = later.kept.sweep()
  const during = later.add(two, peer('p'))
  await Promise.all([sweep, during])
  const before = reads
  await later.add(three, peer('p'))
  t.deepEqual(await later.of(Buffer.from('block four')), [])
  t.is(reads, before)
  for (const block of [one, two, three]) t.deepEqual(await later.of(block), [peer('p')])
  await later.kept.sweep()
  for (const block of [one, two, three]) t.deepEqual(await later.of(block), [peer('p')])
  await later.add(three, peer('q'))
  await t.throwsAsync(later.add(three, peer('r')), { message: /maxProvidersOfBlock/ })
})

test('a record that is written while a look through all of them begins and ends is found afterwards, and one that is renewed meanwhile stays', async t => {
  const datastore = new MemoryDatastore()
  let now = 1_000
  let hold: (() => Promise<void>) | undefined
  const held = new Proxy(datastore, {
    get(target, name) {
      const value: unknown = Reflect.get(target, name, target)
      if (typeof value !== 'function') return value
      if (name !== 'put') return value.bind(target)
      return async (...args: unknown[]) => {
        await hold?.()
        return value.apply(target, args)
      }
    }
  })
  const kept = new KeptForOthers(held, '/x/', 'self', { count: 9, bytes: 10_000, ofPeer: 9, validity: 100 }, { now: () => now })
  await kept.put('old/p', 'p', Buffer.from('1'))
  await kept.sweep()
  const gate = Promise.withResolvers<void>()
  hold = () => gate.promise
  const put = kept.put('new/p', 'p', Buffer.from('2'))
  await setImmediate()
  await kept.sweep()
  gate.resolve()
  await put
  t.is((await kept.get('new/p'))?.peer, 'p')
  // outdated when it is looked at, and renewed before its turn comes to be removed
  hold = undefined
  now += 101
  const renewal = Promise.withResolvers<void>()
  hold = () => renewal.promise
  const renewed = kept.put('old/p', 'p', Buffer.from('3'))
  const sweep = kept.sweep()
  await setImmediate()
  renewal.resolve()
  await Promise.all([renewed, sweep])
  t.is(Buffer.from((await kept.get('old/p'))!.bytes).toString(), '3')
})

test('a name that was added is always seen, and of others few', t => {
  const seen = new Seen()
  const names = (letter: string) => Array.from({ length: 20_000 }, (_, i) => `${letter}${i}`)
  for (const name of names('a')) seen.add(name)
  t.true(names('a').every(name => seen.mayHave(name)))
  const others = names('b').filter(name => seen.mayHave(name)).length
  t.true(others < 20, `${others} of 20,000 seem to be seen`)
})
