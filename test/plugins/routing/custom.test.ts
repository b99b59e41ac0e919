/** A node whose routing is `custom`, and delegated routers of the test's own: good ones, and those that fail, lie, are slow or never end. */
import { once } from 'node:events'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import test, { type ExecutionContext } from 'ava'
import type { Json } from '../../../core/index.ts'
import { itemsOf } from '../../../host/testing.ts'
import { file } from '../../helpers/dht.ts'
import { makeRecord } from '../../helpers/ipns.ts'
import { type OnlineNode, onlineNode } from '../../helpers/online.ts'

interface Event {
  readonly Type: number
  readonly Extra: string
  readonly Responses: ReadonlyArray<{ readonly ID: string; readonly Addrs: readonly string[] }> | null
}

const CID = 'bafkreifrv5u3d6kipdadv3hoah6vq3k7cjrrvm6ohdmuilkz2rry72w6ku'
const PEERS = [
  '12D3KooWHLYxZ2f7Uoe6gZ1YwRhcEppr4AXH4wsGDeTdcvfhvpcG',
  'QmNnooDu7bfjPFoTZYxMNLWUQJyrVwtbZg5gBMjTezGAJN',
  'QmQCU2EcMqAqQPR2i9bChDtGNJchTbq5TbXJJ16u19uLTa'
] as const

type Answer = (request: IncomingMessage, response: ServerResponse) => unknown

/** A delegated router, with what it was asked. */
async function server(t: ExecutionContext, answer: Answer): Promise<{ endpoint: string; asked: string[] }> {
  const asked: string[] = []
  const made = createServer((request, response) => {
    asked.push(`${request.method} ${request.url}`)
    void answer(request, response)
  }).listen(0, '127.0.0.1')
  await once(made, 'listening')
  t.teardown(() => {
    made.closeAllConnections()
    made.close()
  })
  return { endpoint: `http://127.0.0.1:${(made.address() as AddressInfo).port}`, asked }
}

const line = (id: string) => `${JSON.stringify({ Schema: 'peer', ID: id, Addrs: ['/ip4/192.0.2.1/tcp/4001'] })}\n`
const stream = (response: ServerResponse) => response.setHeader('content-type', 'application/x-ndjson')
const names: Answer = (_, response) => stream(response).end(line(PEERS[0]))
const silent: Answer = () => {}
const broken: Answer = (_, response) => response.writeHead(500).end()
const empty: Answer = (_, response) => response.writeHead(404).end()

/** A node that asks routers so: `way` for providers and peers, the first for everything else. */
async function node(
  t: ExecutionContext,
  servers: Readonly<Record<string, { endpoint: string }>>,
  way: Json,
  routing: Readonly<Record<string, unknown>> = {}
): Promise<OnlineNode> {
  const http = Object.entries(servers).map(([name, { endpoint }]) => [name, { Type: 'http', Parameters: { Endpoint: endpoint } }])
  const first = { RouterName: Object.keys(servers)[0]! }
  return onlineNode(t, {
    node: {
      'Routing.Type': 'custom',
      'Routing.Routers': { ...Object.fromEntries(http), way },
      'Routing.Methods': {
        provide: first,
        'find-providers': { RouterName: 'way' },
        'find-peers': { RouterName: 'way' },
        'get-ipns': first,
        'put-ipns': first
      }
    },
    on: { routing }
  })
}

const find = async (from: OnlineNode, options = {}) => itemsOf<Event>(await from.host.call('routing/findprovs', { args: [CID], options }))
const providers = (events: readonly Event[]) =>
  events.flatMap(({ Type, Responses }) => (Type === 4 ? (Responses ?? []) : [])).map(({ ID }) => ID)
const member = (RouterName: string, more = {}) => ({ RouterName, Timeout: '30s', IgnoreErrors: true, ...more })

test('routers at once: what one finds comes though others fail, and one that is silent only until its own time is over', async t => {
  const [good, bad, mute] = await Promise.all([server(t, names), server(t, broken), server(t, silent)])
  const asking = await node(
    t,
    { good, bad, mute },
    { Type: 'parallel', Parameters: { Routers: [member('mute', { Timeout: '500ms' }), member('bad'), member('good')] } }
  )
  t.deepEqual(providers(await find(asking)), [PEERS[0]])
  for (const one of [good, bad, mute]) t.deepEqual(one.asked, [`GET /routing/v1/providers/${CID}`])
})

test('routers at once: the failure of one that is not to be ignored is told', async t => {
  const [good, bad] = await Promise.all([server(t, empty), server(t, broken)])
  const asking = await node(
    t,
    { good, bad },
    { Type: 'parallel', Parameters: { Routers: [member('good'), member('bad', { IgnoreErrors: false })] } }
  )
  const events = await find(asking)
  t.true(events.some(({ Type, Extra }) => Type === 3 && /it answers 500/.test(Extra)))
})

test('routers one after the other: the next is asked where one knows nothing, and no further once something is found', async t => {
  const [none, mute, good, last] = await Promise.all([server(t, empty), server(t, silent), server(t, names), server(t, names)])
  const Routers = [member('none'), member('mute', { Timeout: '300ms' }), member('good'), member('last')]
  const asking = await node(t, { none, mute, good, last }, { Type: 'sequential', Parameters: { Routers } })
  t.deepEqual(providers(await find(asking)), [PEERS[0]])
  t.deepEqual(
    [none, mute, good, last].map(({ asked }) => asked.length),
    [1, 1, 1, 0]
  )
})

test('a router that never ends is cut off by size, by time, and by how many are wanted', async t => {
  const endless: Answer = async (request, response) => {
    stream(response)
    let isOver = false
    const closed = new Promise<void>(resolve => request.socket.once('close', resolve)).then(() => {
      isOver = true
    })
    // always the same peer, so that no count of distinct ones is reached
    while (!isOver) if (!response.write(line(PEERS[1]).repeat(100))) await Promise.race([once(response, 'drain'), closed])
  }
  const drip: Answer = (request, response) => {
    stream(response).write(line(PEERS[2]))
    const timer = setInterval(() => response.write(' '), 20)
    request.socket.on('close', () => clearInterval(timer))
  }
  const [flood, slow] = await Promise.all([server(t, endless), server(t, drip)])
  const asking = await node(
    t,
    { flood, slow },
    { Type: 'parallel', Parameters: { Routers: [member('flood'), member('slow')] } },
    { httpMaxBytes: 100_000, httpTimeout: 1_000 }
  )
  t.deepEqual(new Set(providers(await find(asking))), new Set([PEERS[1], PEERS[2]]))
  t.is(providers(await find(asking, { numProviders: 1 })).length, 1)
})

test('what a router says that is no peer, or another than was asked for, is not believed', async t => {
  const lies: Answer = ({ url = '' }, response) => {
    stream(response)
    if (url.includes('/peers/')) response.end(line(PEERS[1]))
    else response.end(['null', '{}', '{"ID":"x"}', '[1]', '{"ID":7,"Addrs":7}', `{"ID":"${PEERS[2]}","Addrs":["nowhere",1]}`].join('\n'))
  }
  const asking = await node(t, { liar: await server(t, lies) }, { Type: 'sequential', Parameters: { Routers: [member('liar')] } })
  const found = (await find(asking)).filter(({ Type }) => Type === 4).flatMap(({ Responses }) => Responses ?? [])
  t.deepEqual(found, [{ ID: PEERS[2], Addrs: [] }])
  await t.throwsAsync(async () => itemsOf(await asking.host.call('routing/findpeer', { args: [PEERS[0]] })), {
    message: 'routing: not found'
  })
})

test('records of names go to the router that the method names and come from it, and a forged one is not taken', async t => {
  const { name, record } = await makeRecord()
  const value = Buffer.from(await record(1n))
  let stored: Buffer | undefined
  const keeps: Answer = async (request, response) => {
    if (request.method === 'PUT') stored = Buffer.concat(await itemsOf<Buffer>(request))
    response.writeHead(stored === undefined ? 404 : 200).end(request.method === 'PUT' ? '' : stored)
  }
  const keeper = await server(t, keeps)
  const asking = await node(t, { keeper }, { Type: 'sequential', Parameters: { Routers: [member('keeper')] } })
  await itemsOf(await asking.host.call('routing/put', { args: [`/ipns/${name}`], body: file(value) }))
  t.deepEqual(stored, value)
  const get = async () => (await itemsOf<Event>(await asking.host.call('routing/get', { args: [`/ipns/${name}`] })))[0]?.Extra
  t.is(await get(), value.toString('base64'))
  stored = Buffer.from(await (await makeRecord()).record(2n))
  await t.throwsAsync(get(), { message: 'routing: not found' })
})
