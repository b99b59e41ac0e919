import { once } from 'node:events'
import { createServer, type IncomingMessage, request as open, type RequestListener } from 'node:http'
import type { AddressInfo } from 'node:net'
import test, { type ExecutionContext } from 'ava'
import type { Json } from '../../../core/index.ts'
import { serve } from '../../../host/testing.ts'
import { type OnlineNode, onlineNode } from '../../helpers/online.ts'
import { until } from '../../helpers/until.ts'

const MiB = 1 << 20

/** What may be on its way between a server and a client that does not read: the buffers of two streams and three sockets. */
const ON_ITS_WAY = 72 * MiB

/** A server that two protocols of a node lead to, and the gateway of another node that is connected with it. @returns the gateway's URL for the peer */
async function proxied(t: ExecutionContext, handle: RequestListener, settings: Record<string, unknown> = {}) {
  const server = createServer(handle).listen(0, '127.0.0.1')
  await once(server, 'listening')
  t.teardown(() => {
    server.closeAllConnections()
    server.close()
  })
  const mounting: Record<string, Json> = { 'Experimental.Libp2pStreamMounting': true }
  const far = await onlineNode(t, { node: mounting })
  const target = `/ip4/127.0.0.1/tcp/${(server.address() as AddressInfo).port}`
  await far.host.call('p2p/listen', { args: ['/x/name/http', target] })
  await far.host.call('p2p/listen', { args: ['/http', target], options: { allowCustomProtocol: true } })
  const near = await gatewayNode(t, settings)
  await near.network.dial(far.network.self, far.network.announced())
  return { near, far, gateway: near.gateway, url: `${near.gateway}/p2p/${far.network.self}` }
}

async function gatewayNode(
  t: ExecutionContext,
  settings: Record<string, unknown> = {}
): Promise<OnlineNode & { readonly gateway: string }> {
  const node: Record<string, Json> = {
    'Experimental.P2pHttpProxy': true,
    'Addresses.Gateway': '/ip4/127.0.0.1/tcp/0',
    'Gateway.NoDNSLink': true
  }
  const online = await onlineNode(t, { node, on: { gateway: settings } })
  const { listeners } = await serve(online.host)
  return { ...online, gateway: listeners['gateway']! }
}

async function bodyOf(request: IncomingMessage): Promise<Buffer> {
  const pieces: Buffer[] = []
  for await (const piece of request) pieces.push(piece as Buffer)
  return Buffer.concat(pieces)
}

test('a peer does not speak for the origin that all content has in common', async t => {
  const fields = {
    'Service-Worker-Allowed': '/',
    'Clear-Site-Data': '"*"',
    'Strict-Transport-Security': 'max-age=0',
    'Alt-Svc': 'h2=":444"',
    'Report-To': '{"group":"a","max_age":9,"endpoints":[{"url":"https://peer.example/"}]}',
    NEL: '{"report_to":"a","max_age":9,"include_subdomains":true}'
  }
  const { url } = await proxied(t, (_, response) => void response.writeHead(200, { ...fields, 'X-Own': 'yes' }).end('self.x'))
  const { headers } = await fetch(`${url}/http/worker.js`, { headers: { 'Service-Worker': 'script' } })
  t.is(headers.get('x-own'), 'yes')
  for (const name of Object.keys(fields)) t.is(headers.get(name), null, name)
})

test('a request is handed on to the peer that its path names, and the answer back, without the fields of one connection', async t => {
  const { url, far } = await proxied(t, async (request, response) => {
    const body = (await bodyOf(request)).toString()
    const { method, url: target, headers } = request
    response.writeHead(201, [
      'X-Own',
      'yes',
      'Set-Cookie',
      'a=1',
      'Set-Cookie',
      'b=2',
      'X-Hop',
      'peer',
      'Connection',
      'close, X-Hop',
      'Keep-Alive',
      'timeout=1'
    ])
    response.end(JSON.stringify({ method, target, headers, body }))
  })
  const asked = open(`${url}/http/a%20b/c?x=1`, { method: 'POST' })
  asked.setHeader('X-Asked', 'me').setHeader('X-Mine', 'hop').setHeader('Connection', 'close, x-mine').setHeader('TE', 'trailers')
  asked.setHeader('Proxy-Authorization', 'secret')
  asked.end('sent')
  const [answer] = (await once(asked, 'response')) as [IncomingMessage]
  t.is(answer.statusCode, 201)
  t.is(answer.headers['x-own'], 'yes')
  t.deepEqual(answer.headers['set-cookie'], ['a=1', 'b=2'])
  t.is(answer.headers['access-control-allow-origin'], '*')
  t.is(answer.headers['x-hop'], undefined)
  t.not(answer.headers['keep-alive'], 'timeout=1')
  const { method, target, headers, body } = JSON.parse((await bodyOf(answer)).toString())
  t.deepEqual({ method, target, body }, { method: 'POST', target: '/a%20b/c?x=1', body: 'sent' })
  t.like(headers, { host: far.network.self, 'x-asked': 'me', 'x-mine': undefined, te: undefined, 'proxy-authorization': undefined })
  const named = await fetch(`${url}/x/name/http/`)
  t.like(await named.json(), { method: 'GET', target: '/', body: '' })
})

test('answers without a body, to HEAD and in 204 and 304, end', async t => {
  const { url } = await proxied(t, (request, response) => {
    const status = Number(request.url!.slice(1))
    response.writeHead(status, status === 200 ? { 'Content-Length': 5 } : {}).end(status === 200 ? 'whole' : undefined)
  })
  for (const status of [204, 304]) t.is((await fetch(`${url}/http/${status}`)).status, status)
  const head = await fetch(`${url}/http/200`, { method: 'HEAD' })
  t.is(head.headers.get('content-length'), '5')
  t.is(await (await fetch(`${url}/http/200`)).text(), 'whole')
})

test('a large answer comes whole, one that breaks off does not end in peace, and none at all is 502', async t => {
  const large = Buffer.alloc(8 * MiB, 'large')
  const { url } = await proxied(t, (request, response) => {
    if (request.url === '/whole') response.end(large)
    else if (request.url === '/none') response.destroy()
    else response.write(large, () => response.destroy())
  })
  t.deepEqual(Buffer.from(await (await fetch(`${url}/http/whole`)).arrayBuffer()), large)
  const none = await fetch(`${url}/http/none`)
  t.is(none.status, 502)
  t.regex(await none.text(), /^the peer 12D3\w+ gave no answer: /)
  await t.throwsAsync(async () => (await fetch(`${url}/http/broken`)).arrayBuffer())
})

/** A wait until a count has stayed as it is for 300 ms: that nothing moves any more is seen only over a time. */
async function rests(what: string, count: () => number): Promise<void> {
  let before = -1
  await until(what, async () => {
    const still = count() === before
    before = count()
    await new Promise(resolve => setTimeout(resolve, 300))
    return still
  })
}

test.serial('a client that does not read holds up the server behind the peer, and gets all once it reads', async t => {
  const size = 96 * MiB
  const piece = Buffer.alloc(MiB, 1)
  let given = 0
  const { url } = await proxied(t, async (_, response) => {
    response.writeHead(200, { 'Content-Length': size })
    for (; given < size; given += piece.length) if (!response.write(piece)) await once(response, 'drain')
    response.end()
  })
  const asked = open(`${url}/http/`).end()
  const [answer] = (await once(asked, 'response')) as [IncomingMessage]
  answer.pause()
  await rests('the server waits', () => given)
  t.true(given < ON_ITS_WAY, `${given / MiB} MiB are on their way`)
  let got = 0
  for await (const part of answer) got += (part as Buffer).length
  t.is(got, size)
})

test.serial('a server that does not read holds up the client, and gets all once it reads', async t => {
  const size = 96 * MiB
  const reading = Promise.withResolvers<void>()
  let got = 0
  const { url } = await proxied(t, async (request, response) => {
    await reading.promise
    for await (const part of request) got += (part as Buffer).length
    response.end('thanks')
  })
  const piece = Buffer.alloc(MiB, 1)
  const asked = open(`${url}/http/`, { method: 'PUT', headers: { 'Content-Length': size } })
  let given = 0
  const send = async () => {
    for (; given < size; given += piece.length) if (!asked.write(piece)) await once(asked, 'drain')
    asked.end()
  }
  const sent = send()
  await rests('the client waits', () => given)
  t.true(given < ON_ITS_WAY, `${given / MiB} MiB are on their way`)
  reading.resolve()
  const [answer] = (await once(asked, 'response')) as [IncomingMessage]
  t.is((await bodyOf(answer)).toString(), 'thanks')
  await sent
  t.is(got, size)
})

test('a client that leaves ends the request at the server behind the peer', async t => {
  const left = Promise.withResolvers<void>()
  const { url } = await proxied(t, (_, response) => {
    response.on('close', () => left.resolve())
    response.write('begun')
  })
  const leaving = new AbortController()
  const answer = await fetch(`${url}/http/`, { signal: leaving.signal })
  t.is(answer.status, 200)
  leaving.abort()
  await left.promise
})

test('a peer that begins no answer is 504, one that is not reached 502, and a path that names none is 400', async t => {
  const { url, gateway } = await proxied(t, () => {}, { retrievalTimeoutMs: 500 })
  const late = await fetch(`${url}/http/`)
  t.is(late.status, 504)
  t.regex(await late.text(), /did not answer in time \(plugins\.gateway\.retrievalTimeoutMs/)
  const other = '12D3KooWHLYxZ2f7Uoe6gZ1YwRhcEppr4AXH4wsGDeTdcvfhvpcG'
  t.is((await fetch(`${gateway}/p2p/${other}/http/`)).status, 502)
  t.is((await fetch(`${url}/x/not-there/http/`)).status, 502)
  for (const path of [other, `${other}/http`, 'nope/http/x', `${other}/y/name/http/x`]) {
    const answer = await fetch(`${gateway}/p2p/${path}`)
    t.is(answer.status, 400, path)
    t.is(await answer.text(), `failed to parse request: invalid request path '/p2p/${path}'\n`)
  }
})

test('what is no HTTP is 502, and a head without end is as well', async t => {
  const { far, near, gateway } = await proxied(t, () => {})
  await far.network.handle('/x/noise/http', async stream => {
    await stream.write(Buffer.from('not a word of HTTP\r\n\r\n'))
    await stream.end()
  })
  await far.network.handle('/x/endless/http', async stream => {
    await stream.write(Buffer.from('HTTP/1.1 200 OK\r\n'))
    for (let i = 0; i < 10_000; i++) await stream.write(Buffer.from(`X-${i}: ${'x'.repeat(100)}\r\n`))
  })
  for (const name of ['noise', 'endless']) t.is((await fetch(`${gateway}/p2p/${far.network.self}/x/${name}/http/`)).status, 502, name)
  t.is(near.network.connections().length, 1)
})

test('without the experiment nothing is handed on', async t => {
  const node = await onlineNode(t, { node: { 'Addresses.Gateway': '/ip4/127.0.0.1/tcp/0', 'Gateway.NoDNSLink': true } })
  const { listeners } = await serve(node.host)
  t.is((await fetch(`${listeners['gateway']}/p2p/12D3KooWHLYxZ2f7Uoe6gZ1YwRhcEppr4AXH4wsGDeTdcvfhvpcG/http/`)).status, 404)
})

test('a body that comes in chunks reaches the peer as a body, whatever the method, and never as a request of its own', async t => {
  const seen: string[] = []
  const { url } = await proxied(t, async (request, response) => {
    seen.push(`${request.method} ${request.url} ${(await bodyOf(request)).toString()}`)
    response.end('answered')
  })
  const body = 'GET /smuggled HTTP/1.1\r\nHost: a\r\n\r\n'
  for (const method of ['GET', 'DELETE', 'OPTIONS', 'POST']) {
    const asked = open(`${url}/http/${method}`, { method, headers: { 'Transfer-Encoding': 'chunked' } })
    asked.end(body)
    const [answer] = (await once(asked, 'response')) as [IncomingMessage]
    await bodyOf(answer)
  }
  t.deepEqual(
    seen,
    ['GET', 'DELETE', 'OPTIONS', 'POST'].map(method => `${method} /${method} ${body}`)
  )
})

test('a peer that changes to another protocol, or answers with no status of HTTP, is 502', async t => {
  const { url } = await proxied(t, (request, response) => {
    const lines = { '/101': '101 Switching Protocols\r\nUpgrade: x\r\nConnection: Upgrade', '/000': '000 None', '/999': '999 Own' }
    response.socket!.end(`HTTP/1.1 ${lines[request.url as '/101']}\r\n\r\n`)
  })
  for (const status of ['101', '000'])
    t.is((await fetch(`${url}/http/${status}`, { signal: AbortSignal.timeout(10_000) })).status, 502, status)
})
