/** Peers some of whose addresses are dead, over real sockets of this machine. */
import { createHash } from 'node:crypto'
import { createSocket } from 'node:dgram'
import { once } from 'node:events'
import { type AddressInfo, createServer, type Socket } from 'node:net'
import type { Libp2p } from '@libp2p/interface'
import { peerIdFromString } from '@libp2p/peer-id'
import { multiaddr } from '@multiformats/multiaddr'
import test, { type ExecutionContext } from 'ava'
import { onlineNode } from '../../../helpers/online.ts'
import { until } from '../../../helpers/until.ts'

/** Far more than a dial past silent addresses takes, and less than any of them is waited for. */
const GENEROUS_MS = 15_000

const EVERY_TRANSPORT = {
  'Addresses.Swarm': ['/ip4/127.0.0.1/tcp/0', '/ip4/127.0.0.1/udp/0/quic-v1', '/ip4/127.0.0.1/tcp/0/ws']
}

interface Silent {
  readonly address: string
  /** Connections that were opened to it, and those that still are. */
  readonly opened: () => number
  readonly open: () => number
}

/** A server that answers nothing but what `answer` does to what comes first. */
async function silentTcp(t: ExecutionContext, suffix = '', answer: (socket: Socket, first: Buffer) => void = () => {}): Promise<Silent> {
  const sockets = new Set<Socket>()
  let opened = 0
  const server = createServer(socket => {
    opened++
    sockets.add(socket)
    socket.on('error', () => {})
    socket.on('close', () => sockets.delete(socket))
    socket.once('data', first => answer(socket, first))
    socket.resume()
  })
  t.teardown(() => {
    for (const socket of sockets) socket.destroy()
    server.close()
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const { port } = server.address() as AddressInfo
  return { address: `/ip4/127.0.0.1/tcp/${port}${suffix}`, opened: () => opened, open: () => sockets.size }
}

/** A WebSocket that opens, and over which nothing comes. */
const openingWebSocket = (t: ExecutionContext) =>
  silentTcp(t, '/ws', (socket, first) => {
    const key = /^sec-websocket-key: (.*)$/im.exec(first.toString())?.[1]?.trim()
    const accept = createHash('sha1').update(`${key}258EAFA5-E914-47DA-95CA-C5AB0DC85B11`).digest('base64')
    socket.write(`HTTP/1.1 101 Switching Protocols\r\nupgrade: websocket\r\nconnection: upgrade\r\nsec-websocket-accept: ${accept}\r\n\r\n`)
  })

async function silentUdp(t: ExecutionContext): Promise<Silent> {
  const socket = createSocket('udp4')
  t.teardown(() => void socket.close())
  socket.bind(0, '127.0.0.1')
  await once(socket, 'listening')
  return { address: `/ip4/127.0.0.1/udp/${socket.address().port}/quic-v1`, opened: () => 0, open: () => 0 }
}

const KINDS = [silentTcp, silentUdp, (t: ExecutionContext) => silentTcp(t, '/ws'), openingWebSocket]

/** So many addresses of each kind. */
const silent = (t: ExecutionContext, count: number) => Promise.all(KINDS.flatMap(kind => Array.from({ length: count }, () => kind(t))))

for (const [kind, pattern] of [
  ['TCP', /\/tcp\/\d+$/],
  ['QUIC', /quic-v1$/],
  ['WebSocket', /\/ws$/]
] as const) {
  test(`a peer is reached over ${kind} past up to six silent addresses of each kind, wherever they stand, and they are left`, async t => {
    const far = await onlineNode(t, { node: EVERY_TRANSPORT })
    const near = await onlineNode(t, { node: { 'Addresses.Swarm': [] } })
    const good = far.network.announced().find(address => pattern.test(address))!
    for (const count of [0, 1, 3, 6]) {
      const dead = await silent(t, count)
      const addresses = dead.map(({ address }) => address)
      for (const at of count === 0 ? [0] : [0, Math.floor(addresses.length / 2), addresses.length]) {
        const began = performance.now()
        const connection = await near.network.dial(far.network.self, addresses.toSpliced(at, 0, good))
        const time = performance.now() - began
        t.log(`${count} of each kind, the good one at ${at}: ${Math.round(time)} ms`)
        t.true(time < GENEROUS_MS, `${time} ms`)
        t.is(near.network.connections(far.network.self).length, 1)
        await connection.close()
        await until('it is closed', () => near.network.connections(far.network.self).length === 0)
      }
      await until('nothing of the other dials is open', () => dead.every(({ open }) => open() === 0))
      if (kind === 'WebSocket' && count > 0) t.true(dead.some(({ opened }) => opened() > 0))
    }
  })
}

test('a peer that is found by its ID, and one that a part of libp2p dials, is reached past silent addresses as well', async t => {
  const far = await onlineNode(t, { node: EVERY_TRANSPORT })
  const near = await onlineNode(t, { node: { 'Addresses.Swarm': [] } })
  const addresses = [...(await silent(t, 2)).map(({ address }) => address), ...far.network.announced()]
  const id = peerIdFromString(far.network.self)
  const libp2p = near.network.libp2p<Libp2p>()
  for (const dial of [
    () => near.network.dial(far.network.self),
    () => libp2p.dial(id),
    () => libp2p.dial(addresses.map(address => multiaddr(`${address}/p2p/${far.network.self}`)))
  ]) {
    await near.network.remember(far.network.self, addresses)
    await dial()
    const [connection, ...others] = await until('they are connected', () => {
      const all = near.network.connections(far.network.self)
      return all.length > 0 && all
    })
    t.deepEqual(others, [])
    await connection!.close()
    await until('it is closed', () => near.network.connections(far.network.self).length === 0)
  }
})

test('many who dial a peer at the same time get one connection', async t => {
  const far = await onlineNode(t)
  const near = await onlineNode(t, { node: { 'Addresses.Swarm': [] } })
  const addresses = [(await silentTcp(t)).address, ...far.network.announced()]
  const all = await Promise.all(Array.from({ length: 8 }, () => near.network.dial(far.network.self, addresses)))
  t.is(new Set(all.map(({ id }) => id)).size, 1)
  t.is(near.network.connections(far.network.self).length, 1)
})

test('an address at which somebody else answers is none of the peer, and its connection does not stay', async t => {
  const [far, other] = await Promise.all([onlineNode(t, { node: EVERY_TRANSPORT }), onlineNode(t, { node: EVERY_TRANSPORT })])
  const near = await onlineNode(t, { node: { 'Addresses.Swarm': [] } })
  await near.network.dial(far.network.self, [
    ...other.network.announced(),
    far.network.announced().find(address => address.endsWith('/ws'))!
  ])
  t.deepEqual(
    near.network.connections().map(({ peer }) => peer),
    [far.network.self]
  )
  await until('it has none either', () => other.network.connections().length === 0)
})

test('a dial that is given up leaves nothing open', async t => {
  const { network } = await onlineNode(t, { node: { 'Addresses.Swarm': [] } })
  const dead = await silent(t, 1)
  const controller = new AbortController()
  const nobody = '12D3KooWHLYxZ2f7Uoe6gZ1YwRhcEppr4AXH4wsGDeTdcvfhvpcG'
  const dial = network.dial(
    nobody,
    dead.map(({ address }) => address),
    { signal: controller.signal }
  )
  await until('all are dialled', () => dead.every(({ address, opened }) => address.includes('quic') || opened() === 1))
  controller.abort(new Error('never mind'))
  await t.throwsAsync(dial, { message: 'never mind' })
  await until('nothing is open', () => dead.every(({ open }) => open() === 0))
})
