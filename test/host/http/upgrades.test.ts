import { once } from 'node:events'
import { createServer, type IncomingMessage } from 'node:http'
import { type AddressInfo, connect } from 'node:net'
import type { Duplex } from 'node:stream'
import test, { type ExecutionContext } from 'ava'
import { PathPattern } from '../../../host/http/routes/path-pattern.ts'
import { Router } from '../../../host/http/routes/router.ts'
import { Upgrades } from '../../../host/http/upgrades.ts'
import { Wire } from '../rpc/support/wire.ts'
import { answering, echoing, type ServedRoutes, serveRoutes } from './support/serve.ts'
import { close, echo } from './support/websocket.ts'

const live = answering('/live/:room', {
  handle: undefined,
  upgrade: {
    protocol: 'websocket',
    handle(_, request, socket, __, { params, query, stopping }) {
      echo(request, socket, `${params['room']} ${query.get('as')}: `)
      stopping.addEventListener('abort', () => close(socket, 1001))
    }
  }
})

const FIELDS = ['Connection: Upgrade', 'Upgrade: websocket', 'Sec-WebSocket-Version: 13', 'Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==']

async function connected(t: ExecutionContext, { url }: ServedRoutes, path: string): Promise<WebSocket> {
  const socket = new WebSocket(url.replace('http', 'ws') + path)
  t.teardown(() => socket.close())
  await once(socket, 'open')
  return socket
}

const messageOn = async (socket: WebSocket) => ((await once(socket, 'message')) as [MessageEvent])[0].data

async function answer(served: ServedRoutes, line: string, fields: readonly string[] = FIELDS): Promise<string> {
  const wire = await served.wire()
  wire.ask(`${line} HTTP/1.1`, fields)
  return wire.end()
}

test('a route takes a connection over for another protocol, with its parameters, beside other routes', async t => {
  const served = await serveRoutes(t, [live, answering('/hello')])
  const socket = await connected(t, served, '/live/den?as=Ada')
  socket.send('hello')
  t.is(await messageOn(socket), 'den Ada: hello')
  t.like(await served.ask('GET', '/hello'), { status: 200 })
  socket.close(1000)
  t.is(((await once(socket, 'close')) as [CloseEvent])[0].code, 1000)
})

test('a request that does not ask for it is told what the route is for', async t => {
  const served = await serveRoutes(t, [live])
  const { status, headers, text } = await served.ask('GET', '/live/den')
  t.deepEqual([status, headers.upgrade, text], [426, 'websocket', '426 - Upgrade Required: websocket\n'])
})

test('a connection is closed when the node stops, of which its handler is told first', async t => {
  const served = await serveRoutes(t, [live])
  const socket = await connected(t, served, '/live/den')
  const closed = once(socket, 'close') as Promise<[CloseEvent]>
  t.deepEqual(await served.host.stop(), [])
  t.is((await closed)[0].code, 1001)
})

test('one that its handler holds on to is closed as well, and its signal fires', async t => {
  let taken: Duplex | undefined
  let signal: AbortSignal | undefined
  const raw = answering('/raw', {
    upgrade: {
      protocol: 'raw',
      handle(_, __, socket, ___, context) {
        taken = socket
        signal = context.signal
        socket.write('HTTP/1.1 101 Switching Protocols\r\n\r\n')
      }
    }
  })
  const limits = { stopGraceMs: 50 }
  const served = await serveRoutes(t, [raw], { configuration: { rpc: { limits } as never } })
  const wire = await served.wire()
  wire.ask('GET /raw HTTP/1.1', ['Connection: upgrade', 'Upgrade: RAW'])
  await wire.until(/101 Switching Protocols\r\n\r\n/)
  t.false(signal!.aborted)
  t.deepEqual(await served.host.stop(), [])
  await wire.end()
  if (!signal!.aborted) await once(signal!, 'abort')
  t.true(taken!.destroyed)
})

test('an upgrade is turned away as what changes something: foreign hosts, pages of other sites, browsers that do not say whence', async t => {
  const served = await serveRoutes(t, [live])
  const foreign = [
    ['Origin: http://evil.example'],
    ['Origin: null'],
    ['Origin: http://evil.example', 'Sec-Fetch-Site: cross-site', 'Sec-Fetch-Mode: websocket'],
    ['User-Agent: Mozilla/5.0']
  ]
  for (const fields of foreign)
    t.regex(await answer(served, 'GET /live/den', [...FIELDS, ...fields]), /^HTTP\/1\.1 403 [\s\S]*Forbidden/, fields[0])
  const wire = await served.wire()
  wire.say('GET /live/den HTTP/1.1', 'Host: evil.example', ...FIELDS, '', '')
  t.regex(await wire.end(), /^HTTP\/1\.1 403 /)
  const samePage = await served.wire()
  samePage.ask('GET /live/den HTTP/1.1', [...FIELDS, `Origin: ${served.url}`, 'User-Agent: Mozilla/5.0'])
  t.regex(await samePage.until(/\r\n\r\n/), /^HTTP\/1\.1 101 /)
})

test('an upgrade that no route takes is answered as the request that it also is', async t => {
  const served = await serveRoutes(t, [live, answering('/hello'), echoing('/post', 'read ')])
  const asking = (upgrade: string) => ['Connection: Upgrade, close', `Upgrade: ${upgrade}`]
  t.regex(await answer(served, 'GET /hello', asking('websocket')), /^HTTP\/1\.1 200 [\s\S]*GET \/hello/)
  t.regex(await answer(served, 'GET /live/den', asking('h2c')), /^HTTP\/1\.1 426 [\s\S]*Connection: Upgrade, close/)
  t.regex(await answer(served, 'GET /nope', asking('websocket')), /^HTTP\/1\.1 404 /)
  t.regex(await answer(served, 'DELETE /live/den', asking('websocket')), /^HTTP\/1\.1 405 /)
  const wire = await served.wire()
  wire.ask('POST /post HTTP/1.1', [...asking('h2c'), 'Content-Length: 4'], 'body')
  t.regex(await wire.end(), /^HTTP\/1\.1 200 [\s\S]*read body/)
})

test('an upgrade behind a request that is not answered yet is answered in its turn, as the request that it also is', async t => {
  let finish = () => {}
  const slow = answering('/slow', {
    handle(_, __, response) {
      finish = () => void response.end('slow')
    }
  })
  const served = await serveRoutes(t, [live, slow])
  const wire = await served.wire()
  wire.ask('GET /slow HTTP/1.1')
  wire.ask('GET /live/den HTTP/1.1', ['Connection: Upgrade, close', 'Upgrade: websocket'])
  t.like(await served.ask('GET', '/live/den'), { status: 426 })
  finish()
  t.regex(await wire.end(), /^HTTP\/1\.1 200 [\s\S]*slowHTTP\/1\.1 426 /)
})

test('a handler that throws before it has agreed is answered 500, and its line names plugin and route', async t => {
  const broken = answering('/broken/:x', {
    upgrade: {
      protocol: 'websocket',
      async handle() {
        throw new Error('no')
      }
    }
  })
  const served = await serveRoutes(t, [broken])
  const lines: string[] = []
  Object.assign(served.host.logs.get('own'), { error: (_: unknown, line: string) => lines.push(line) })
  t.regex(await answer(served, 'GET /broken/x'), /^HTTP\/1\.1 500 /)
  t.regex(await answer(served, 'GET /broken/%zz'), /^HTTP\/1\.1 400 /)
  t.deepEqual(lines, ["plugin 'own': its route GET /broken/:x failed: no"])
})

test('a connection that was taken over holds its caller’s slot until it is closed', async t => {
  const limits = { concurrentRequests: 1, requestsPerCaller: 1 }
  const served = await serveRoutes(t, [live, answering('/hello')], { configuration: { rpc: { limits } as never } })
  const socket = await connected(t, served, '/live/den')
  t.is((await served.ask('GET', '/hello')).status, 503)
  t.regex(await answer(served, 'GET /live/den'), /^HTTP\/1\.1 503 /)
  socket.close()
  await once(socket, 'close')
  while ((await served.ask('GET', '/hello')).status === 503);
  t.pass()
})

for (const [how, read] of [
  ['reads nothing', () => {}],
  ['reads and does not answer its end', (socket: Duplex) => void socket.resume()]
] as const) {
  test(`a client that leaves gives its slot back, also where the handler ${how}`, async t => {
    const limits = { concurrentRequests: 1, requestsPerCaller: 1 }
    const held = answering('/held', {
      upgrade: {
        protocol: 'held',
        handle(_, __, socket) {
          socket.write('HTTP/1.1 101 Switching Protocols\r\nConnection: Upgrade\r\nUpgrade: held\r\n\r\n')
          read(socket)
        }
      }
    })
    const served = await serveRoutes(t, [held, answering('/hello')], { configuration: { rpc: { limits } as never } })
    const socket = connect(served.port, '127.0.0.1')
    socket.write(`GET /held HTTP/1.1\r\nHost: 127.0.0.1:${served.port}\r\nConnection: Upgrade\r\nUpgrade: held\r\n\r\n`)
    await once(socket, 'data')
    t.is((await served.ask('GET', '/hello')).status, 503)
    socket.end()
    const until = Date.now() + 20_000
    let status: number | undefined = 503
    while (status === 503 && Date.now() < until) status = (await served.ask('GET', '/hello')).status
    t.is(status, 200)
  })
}

test('the plugin’s end closes what it has taken over', async t => {
  const served = await serveRoutes(t, [live])
  const [resolved] = served.host.routes('own')
  const socket = await connected(t, served, '/live/den')
  const closed = once(socket, 'close')
  await (resolved!.resources as unknown as { stop(): Promise<void> }).stop()
  t.truthy(await closed)
})

test('where Node.js asks nobody before it hands over what asks for an upgrade, requests without a body are served all the same', async t => {
  const router = new Router({ onError: error => t.fail(String(error)) })
  const upgrade = { protocol: 'websocket', handler: (request: IncomingMessage, socket: Duplex) => echo(request, socket) }
  router.route('/hello', (_, response) => void response.end('hello'))
  router.add({ method: 'GET', host: undefined, path: new PathPattern('/live'), handler: (_, response) => void response.end(), upgrade })
  const server = createServer((request, response) => router.lookup(request)(request as never, response as never, () => {}))
  const owing = new Set<Duplex>()
  new Upgrades(server, router, { admits: () => true, givesSlot: () => true, owesAnswer: socket => owing.has(socket) }).listen()
  // as before 24.9
  Object.assign(server, { shouldUpgradeCallback: () => true })
  server.listen(0, '127.0.0.1')
  t.teardown(() => server.close())
  await once(server, 'listening')
  const { port } = server.address() as AddressInfo
  const asked = async (line: string, more: readonly string[], end: RegExp) => {
    const wire = await Wire.to(port)
    t.teardown(() => wire.leave())
    wire.ask(line, [...FIELDS, ...more])
    return wire.until(end)
  }
  t.regex(await asked('GET /hello HTTP/1.1', [], /hello$/), /^HTTP\/1\.1 200 /)
  t.regex(await asked('GET /live HTTP/1.1', [], /\r\n\r\n/), /^HTTP\/1\.1 101 /)
  t.regex(await asked('POST /hello HTTP/1.1', ['Content-Length: 4'], /\n$/), /^HTTP\/1\.1 400 /)
  server.once('connection', socket => owing.add(socket))
  const wire = await Wire.to(port)
  wire.ask('GET /live HTTP/1.1', FIELDS)
  t.is(await wire.end(), '')
})
