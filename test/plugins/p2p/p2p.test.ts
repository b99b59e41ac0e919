import { createSocket } from 'node:dgram'
import { once } from 'node:events'
import http from 'node:http'
import { type AddressInfo, connect, createServer, type Socket } from 'node:net'
import test from 'ava'
import { until } from '../../helpers/until.ts'
import { client, forwarded, listed, mountingNode, pair, tcpService, textUntilEnd } from './helpers.ts'

test('the web server of a peer answers at a port of this machine, and neither command is said to peers', async t => {
  const { near, far } = await pair(t)
  const server = http.createServer((request, response) => void response.end(`${request.method} ${request.url}`))
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  t.teardown(() => void server.close())
  const target = `/ip4/127.0.0.1/tcp/${(server.address() as AddressInfo).port}`
  await far.host.call('p2p/listen', { args: ['/x/web/http', target] })
  t.deepEqual(await listed(far), [{ Protocol: '/x/web/http', ListenAddress: `/p2p/${far.network.self}`, TargetAddress: target }])
  const port = await forwarded(near, far, '/x/web/http')
  const answers = await Promise.all(Array.from({ length: 100 }, (_, i) => fetch(`http://127.0.0.1:${port}/${i}`).then(one => one.text())))
  t.deepEqual(
    answers,
    answers.map((_, i) => `GET /${i}`)
  )
  const told = far.network.protocols()
  t.true(told.includes('/x/'))
  t.false(told.includes('/x/web/http'))
})

test('a client that has said all still gets its answer', async t => {
  const { near, far } = await pair(t)
  const target = await tcpService(t, async socket => socket.end(`you said ${await textUntilEnd(socket)}`))
  await far.host.call('p2p/listen', { args: ['/x/late', target] })
  const socket = await client(t, await forwarded(near, far, '/x/late'))
  socket.end('hello')
  t.is(await textUntilEnd(socket), 'you said hello')
  await until('nothing is open', async () => ((await near.host.call('p2p/stream/ls')) as { Streams: null }).Streams === null)
})

test('a service is told who comes, where that is asked for', async t => {
  const { near, far } = await pair(t)
  const target = await tcpService(t, async socket => socket.end(await textUntilEnd(socket)))
  await far.host.call('p2p/listen', { args: ['/x/who', target], options: { reportPeerId: true } })
  const socket = await client(t, await forwarded(near, far, '/x/who'))
  socket.end('and the rest')
  t.is(await textUntilEnd(socket), `${near.network.self}\nand the rest`)
})

test('any protocol that nobody serves will do, where the caller says so', async t => {
  const { near, far } = await pair(t)
  const target = await tcpService(t, socket => socket.end('there'))
  const offer = (protocol: string, allowCustomProtocol: boolean) =>
    far.host.call('p2p/listen', { args: [protocol, target], options: { allowCustomProtocol } })
  await t.throwsAsync(offer('/mine/1.0', false), { code: 'E_P2P_PROTOCOL' })
  await t.throwsAsync(offer('/ipfs/ping/1.0.0', true), { code: 'E_PROTOCOL_SERVED' })
  await offer('/mine/1.0', true)
  await t.throwsAsync(offer('/mine/1.0', true), { code: 'E_P2P_REGISTERED' })
  const forward = (allowCustomProtocol: boolean) =>
    near.host.call('p2p/forward', { args: ['/mine/1.0', '/ip4/127.0.0.1/tcp/0', far.addresses()[0]!], options: { allowCustomProtocol } })
  await t.throwsAsync(forward(false), { code: 'E_P2P_PROTOCOL' })
  await forward(true)
  const [forwarding] = await listed(near)
  t.is(await textUntilEnd(await client(t, Number(forwarding!.ListenAddress.split('/').at(-1)))), 'there')
})

test('services are closed by any of their sides and connections stay, until they are torn', async t => {
  const { near, far } = await pair(t)
  const target = await tcpService(t, socket => void socket.pipe(socket))
  await far.host.call('p2p/listen', { args: ['/x/echo', target] })
  const port = await forwarded(near, far, '/x/echo')
  const socket = await client(t, port)
  const echoed = async (text: string) => {
    socket.write(text)
    const [bytes] = (await once(socket, 'data')) as [Buffer]
    return bytes.toString()
  }
  t.is(await echoed('before'), 'before')
  const streams = { Streams: [{ HandlerID: '0', Protocol: '/x/echo', OriginAddress: `/p2p/${near.network.self}`, TargetAddress: target }] }
  t.deepEqual(await far.host.call('p2p/stream/ls'), streams)
  const origin = `/ip4/127.0.0.1/tcp/${socket.localPort}`
  t.like(await near.host.call('p2p/stream/ls'), { Streams: [{ OriginAddress: origin, TargetAddress: `/p2p/${far.network.self}` }] })

  const close = (options: Record<string, unknown>) => near.host.call('p2p/close', { options })
  t.is(await close({ listenAddress: `/ip4/127.0.0.1/tcp/${port}`, protocol: '/x/other' }), 0)
  t.is(await close({ listenAddress: `/ip4/127.0.0.1/tcp/${port}` }), 1)
  t.deepEqual(await listed(near), [])
  t.is(await far.host.call('p2p/close', { options: { targetAddress: target } }), 1)
  await t.throwsAsync(client(t, port), { code: 'ECONNREFUSED' })
  t.is(await echoed('after'), 'after')

  await near.host.call('p2p/stream/close', { args: ['7'] })
  t.is(await echoed('still'), 'still')
  const gone = once(socket, 'close').catch(() => {})
  socket.on('error', () => {})
  socket.resume()
  await far.host.call('p2p/stream/close', { args: ['0'] })
  socket.write('more')
  await gone
  await until('nothing is open', async () => ((await far.host.call('p2p/stream/ls')) as { Streams: null }).Streams === null)
})

test('what no peer or no service answers is closed', async t => {
  const { near, far } = await pair(t)
  const nowhere = await forwarded(near, far, '/x/nobody')
  t.is(await textUntilEnd(await client(t, nowhere)).catch(() => ''), '')
  const target = await tcpService(t, () => {})
  await far.host.call('p2p/listen', { args: ['/x/dead', target.replace(/\d+$/, '1')] })
  t.is(await textUntilEnd(await client(t, await forwarded(near, far, '/x/dead'))).catch(() => ''), '')
  t.deepEqual(await far.host.call('p2p/stream/ls'), { Streams: null })
  t.is(await near.host.call('p2p/close', { options: { all: true } }), 2, 'also one to a peer that answers nothing')
})

test('a service over UDP gets a datagram for what comes, and its own go back', async t => {
  const { near, far } = await pair(t)
  const service = createSocket('udp4')
  service.on('message', (bytes, { port, address }) => service.send(`heard ${bytes}`, port, address))
  service.bind(0, '127.0.0.1')
  await once(service, 'listening')
  t.teardown(() => void service.close())
  await far.host.call('p2p/listen', { args: ['/x/udp', `/ip4/127.0.0.1/udp/${service.address().port}`] })
  const socket = await client(t, await forwarded(near, far, '/x/udp'))
  socket.write('a word')
  const [answer] = (await once(socket, 'data')) as [Buffer]
  t.is(answer.toString(), 'heard a word')
  const ended = once(socket, 'end')
  socket.end()
  await ended
})

test('a connection of which one side has ended is torn when nothing comes from the other', async t => {
  const { near, far } = await pair(t, { p2p: { halfOpenTimeout: 200 } })
  const target = await tcpService(t, socket => void socket.resume())
  await far.host.call('p2p/listen', { args: ['/x/mute', target] })
  const socket = await client(t, await forwarded(near, far, '/x/mute'))
  socket.end('hello')
  await t.throwsAsync(textUntilEnd(socket), { code: 'ECONNRESET' })
})

test('so many services are forwarded, and so many connections go through them', async t => {
  const { near, far } = await pair(t, { p2p: { maxServices: 2, maxStreams: 3 } })
  const target = await tcpService(t, socket => {
    socket.write('there')
    socket.resume().on('end', () => socket.end())
  })
  await far.host.call('p2p/listen', { args: ['/x/a', target] })
  await far.host.call('p2p/listen', { args: ['/x/b', target] })
  await t.throwsAsync(far.host.call('p2p/listen', { args: ['/x/c', target] }), { code: 'E_P2P_MANY' })
  const port = await forwarded(near, far, '/x/a')
  const open = await Promise.all(Array.from({ length: 3 }, () => client(t, port)))
  await Promise.all(open.map(socket => once(socket, 'data')))
  const word = async () => {
    const socket = await client(t, port)
    const [bytes] = await Promise.race([once(socket, 'data'), once(socket, 'close')])
    return `${bytes}`
  }
  t.not(await word().catch(() => ''), 'there')
  open[0]!.destroy()
  await until('there is room again', async () => (await word().catch(() => '')) === 'there')
})

test('a connection whose peer is cut off is torn, as what came is no whole', async t => {
  const [near, far] = await Promise.all([mountingNode(t), mountingNode(t)])
  const swarm = Number(/\/tcp\/(\d+)/.exec(far.network.listening().join())![1])
  const between = new Set<Socket>()
  const cable = createServer(socket => {
    between.add(socket)
    socket
      .on('error', () => {})
      .pipe(connect(swarm, '127.0.0.1').on('error', () => {}))
      .pipe(socket)
  }).listen(0, '127.0.0.1')
  await once(cable, 'listening')
  t.teardown(() => void cable.close())
  await near.network.dial(far.network.self, [`/ip4/127.0.0.1/tcp/${(cable.address() as AddressInfo).port}`])
  await far.host.call('p2p/listen', { args: ['/x/half', await tcpService(t, socket => void socket.write('half'))] })
  const socket = await client(t, await forwarded(near, far, '/x/half'))
  t.is(`${(await once(socket, 'data'))[0]}`, 'half')
  // as the system of the peer does when its process is killed
  for (const one of between) one.end()
  await t.throwsAsync(textUntilEnd(socket), { code: 'ECONNRESET' })
})

test('a client that does not read holds its service up, and gets all when it does', async t => {
  const { near, far } = await pair(t)
  const size = 128 * 1024 * 1024
  let sent = 0
  const target = await tcpService(t, async socket => {
    const chunk = Buffer.alloc(1024 * 1024, 7)
    for (; sent < size; sent += chunk.length) if (!socket.write(chunk)) await once(socket, 'drain').catch(() => {})
    socket.end()
  })
  await far.host.call('p2p/listen', { args: ['/x/flood', target] })
  const socket = await client(t, await forwarded(near, far, '/x/flood'))
  let before = -1
  await until('the service waits', async () => {
    const same = sent > 0 && sent === before
    before = sent
    await new Promise(resolve => setTimeout(resolve, 500))
    return same && sent === before
  })
  t.true(sent < size / 2, `${sent} bytes are on their way`)
  let got = 0
  for await (const bytes of socket) got += (bytes as Buffer).length
  t.is(got, size)
})

test('what is off in the configuration, or has no peers, says so', async t => {
  const off = await mountingNode(t, { node: { 'Experimental.Libp2pStreamMounting': false } })
  await t.throwsAsync(off.host.call('p2p/ls'), { code: 'E_P2P_OFF' })
})
