/** A DHT beside ways that fail: delegated routers of the test's own that refuse, answer with an error or never answer, and one of a plugin that throws. */
import { once } from 'node:events'
import { createServer, type RequestListener } from 'node:http'
import type { AddressInfo } from 'node:net'
import test, { type ExecutionContext } from 'ava'
import { parseCid } from '../../../core/cid/index.ts'
import { type Router, Routing, type RoutingEvent } from '../../../core/index.ts'
import { routingKey } from '../../../core/ipns/index.ts'
import { parsePeerId } from '../../../core/keys/index.ts'
import { itemsOf } from '../../../host/testing.ts'
import { dhtNode, file, tableOf } from '../../helpers/dht.ts'
import { makeRecord } from '../../helpers/ipns.ts'
import type { OnlineNode } from '../../helpers/online.ts'

interface Event {
  readonly Type: number
  readonly Extra: string
  readonly Responses: ReadonlyArray<{ readonly ID: string }> | null
}

const ANY = 'bafkreifrv5u3d6kipdadv3hoah6vq3k7cjrrvm6ohdmuilkz2rry72w6ku'
const NOBODY = '12D3KooWHLYxZ2f7Uoe6gZ1YwRhcEppr4AXH4wsGDeTdcvfhvpcG'

/** The endpoint of a delegated router. */
async function delegated(t: ExecutionContext, answer: RequestListener): Promise<string> {
  const server = createServer(answer).listen(0, '127.0.0.1')
  await once(server, 'listening')
  t.teardown(() => {
    server.closeAllConnections()
    server.close()
  })
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`
}

const broken: RequestListener = (_, response) => void response.writeHead(500).end()
const silent: RequestListener = () => {}

/** An endpoint where nobody listens any more. */
async function refusing(): Promise<string> {
  const server = createServer().listen(0, '127.0.0.1')
  await once(server, 'listening')
  const { port } = server.address() as AddressInfo
  server.close()
  await once(server, 'close')
  return `http://127.0.0.1:${port}`
}

/** A node of a DHT that asks delegated routers for providers besides. */
async function besides(t: ExecutionContext, endpoints: readonly string[], httpTimeout: number): Promise<OnlineNode> {
  process.env['IPFS_HTTP_ROUTERS'] = endpoints.join(' ')
  return dhtNode(t, { node: { 'Routing.Type': 'auto' }, routing: { httpTimeout } })
}

/** A peer in the table of a node, with the CID of what it provides. */
async function provider(t: ExecutionContext, of: OnlineNode): Promise<{ node: OnlineNode; cid: string }> {
  const node = await dhtNode(t, { provide: { provideNew: false } })
  await node.network.dial(of.network.self, of.network.announced())
  for (const { host } of [of, node]) await tableOf(host, 1)
  const [{ Hash }] = (await itemsOf(await node.host.call('add', { body: file() }))) as [{ Hash: string }]
  await itemsOf(await node.host.call('routing/provide', { args: [Hash] }))
  return { node, cid: Hash }
}

const found = async (by: OnlineNode, cid: string, options = {}) =>
  itemsOf<Event>(await by.host.call('routing/findprovs', { args: [cid], options }))
const providersIn = (events: readonly Event[]) =>
  events.flatMap(({ Type, Responses }) => (Type === 4 ? (Responses ?? []) : [])).map(({ ID }) => ID)
const failuresIn = (events: readonly Event[]) => events.filter(({ Type }) => Type === 3).map(({ Extra }) => Extra)

test.serial(
  'a provider that the DHT has is found beside delegated routers that refuse, fail or never answer, and no event tells of those',
  async t => {
    const endpoints = [await refusing(), await delegated(t, broken), await delegated(t, silent)]
    const asking = await besides(t, endpoints, 500)
    const { node, cid } = await provider(t, asking)
    const events = await found(asking, cid)
    t.deepEqual(providersIn(events), [node.network.self])
    t.deepEqual(failuresIn(events), [])
  }
)

test.serial('enough that the DHT has ends a look-up, whatever time a delegated router has that never answers', async t => {
  const asking = await besides(t, [await delegated(t, silent)], 604_800_000)
  const { node, cid } = await provider(t, asking)
  t.deepEqual(providersIn(await found(asking, cid, { numProviders: 1 })), [node.network.self])
})

test.serial('where the DHT has nobody to ask and all delegated routers fail, one event at the end names each', async t => {
  const [refused, failing] = [await refusing(), await delegated(t, broken)]
  const events = await found(await besides(t, [refused, failing], 500), ANY)
  t.is(events.length, 1)
  t.is(events[0]!.Type, 3)
  for (const part of ['failed to find any peer in table', refused, failing, 'it answers 500']) t.true(events[0]!.Extra.includes(part), part)
})

/** A way that fails at whatever it is asked. */
const throwing: Required<Router> = (() => {
  const fail = async function* (): AsyncGenerator<RoutingEvent> {
    throw new Error('this way is closed')
  }
  return { name: 'closed', findPeer: fail, findProviders: fail, provide: fail, getValue: fail, putValue: fail }
})()

/** What is looked for and told by a node, each by its name. */
async function looks(node: OnlineNode): Promise<Record<string, AsyncIterable<RoutingEvent>>> {
  const routing = node.host.service(Routing)!
  const { name, record } = await makeRecord()
  const [key, cid] = [routingKey(parsePeerId(name)), parseCid(ANY)]
  const unknown = routingKey(parsePeerId(NOBODY))
  return {
    findPeer: routing.findPeer(NOBODY),
    findProviders: routing.findProviders(cid),
    // after that: what it provides itself it finds
    provide: routing.provide(cid),
    putValue: routing.putValue(key, await record(1n)),
    getValue: routing.getValue(unknown)
  }
}

const wholes = (events: readonly RoutingEvent[]) =>
  events.flatMap(event => (event.type === 'failure' && event.peer === undefined ? [event.message] : []))

test('of a way that fails no event tells where another one answers, whatever is looked for or told', async t => {
  const [one, other] = [await dhtNode(t), await dhtNode(t)]
  await one.network.dial(other.network.self, other.network.announced())
  for (const { host } of [one, other]) await tableOf(host, 1)
  one.host.service(Routing)!.add(throwing)
  for (const [name, events] of Object.entries(await looks(one))) {
    const all = await itemsOf<RoutingEvent>(events)
    t.true(
      all.some(({ type }) => type === 'answer'),
      `${name}: the DHT answers`
    )
    t.deepEqual(wholes(all), [], name)
  }
})

test('where all ways fail the last event says so, whatever is looked for or told', async t => {
  const alone = await dhtNode(t)
  alone.host.service(Routing)!.add(throwing)
  for (const [name, events] of Object.entries(await looks(alone))) {
    const all = await itemsOf<RoutingEvent>(events)
    t.deepEqual(new Set(wholes(all)), new Set(['failed to find any peer in table', 'this way is closed']), name)
    t.is(all.at(-1)?.type, 'failure', name)
  }
})
