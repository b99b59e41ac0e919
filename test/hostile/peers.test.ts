/** Peers that mean harm, or are broken: nothing of what they send ends the node, and nothing that they begin is kept for ever. */
import { randomBytes } from 'node:crypto'
import { once } from 'node:events'
import { connect, type Socket } from 'node:net'
import { noise } from '@chainsafe/libp2p-noise'
import { identify } from '@libp2p/identify'
import type { Connection, Stream } from '@libp2p/interface'
import { peerIdFromString } from '@libp2p/peer-id'
import { multiaddr } from '@multiformats/multiaddr'
import test, { type ExecutionContext } from 'ava'
import type { Libp2p } from 'libp2p'
import { MOST_EXCESS } from '../../plugins/network/peers/excess.ts'
import { libp2pNode } from '../helpers/libp2p.ts'
import { linesOf } from '../helpers/log.ts'
import { type OnlineNode, onlineNode } from '../helpers/online.ts'
import { until } from '../helpers/until.ts'

/** A line of multistream-select with its length before it. */
const line = (text: string) => Buffer.concat([Buffer.from([text.length + 1]), Buffer.from(`${text}\n`)])

test('connections that talk nonsense, stop half way or say nothing are closed, and others are served meanwhile', async t => {
  const node = await onlineNode(t, { network: { negotiationTimeout: 3_000, maxPendingInbound: 128 } })
  const port = Number(/\/tcp\/(\d+)/.exec(node.network.listening().join())?.[1])
  const lines = linesOf(node.host, 'network')
  const beginnings = [
    Buffer.alloc(0),
    randomBytes(70_000),
    line('/multistream/1.0.0'),
    Buffer.concat([line('/multistream/1.0.0'), line('/noise')]),
    Buffer.concat([line('/multistream/1.0.0'), line('/noise'), randomBytes(5_000)]),
    Buffer.concat([line('/multistream/1.0.0'), line('/tls/1.0.0'), randomBytes(5_000)]),
    Buffer.concat([line('/multistream/1.0.0'), line('/nonsense/1.0.0')]),
    Buffer.from([0xff, 0xff, 0xff, 0xff, 0x7f]),
    Buffer.from('GET / HTTP/1.1\r\n\r\n')
  ]
  const sockets: Socket[] = []
  t.teardown(() => sockets.forEach(socket => void socket.destroy()))
  let closed = 0
  for (let round = 0; round < 4; round++) {
    for (const bytes of beginnings) {
      const socket = connect(port, '127.0.0.1')
      sockets.push(socket)
      socket.on('error', () => {})
      socket.on('close', () => void closed++)
      socket.resume()
      await once(socket, 'connect')
      socket.write(bytes)
      // some leave at once
      if (round === 3) socket.destroy()
    }
  }
  const friend = await onlineNode(t)
  await until('a friend gets in', () => friend.network.dial(node.network.self, node.network.announced()).catch(() => undefined))
  t.true((await friend.network.ping(node.network.self)) >= 0)
  await until('all of them are closed', () => closed === sockets.length)
  for (const why of ['not secured in time', 'no negotiation'])
    await until('the log says why', () => lines.some(line => line.includes('refused a connection of 127.0.0.1') && line.includes(why)))
  t.deepEqual(
    node.network.connections().map(({ peer }) => peer),
    [friend.network.self]
  )
})

const WEB_SOCKET = '/ip4/127.0.0.1/tcp/0/ws'

/** A handshake of a WebSocket (RFC 6455) without anything behind it. */
const handshake = ['GET / HTTP/1.1', 'Host: a', 'Upgrade: websocket', 'Connection: Upgrade', 'Sec-WebSocket-Version: 13']
  .concat(`Sec-WebSocket-Key: ${Buffer.alloc(16).toString('base64')}`, '', '')
  .join('\r\n')

/** The beginning of a masked frame, whose mask changes nothing. @param first - its opcode, and whether it is the last of its message */
function frame(first: number, length: number): Buffer {
  const head = Buffer.alloc(14)
  head[0] = first
  head[1] = 0x80 | 127
  head.writeBigUInt64BE(BigInt(length), 2)
  return head
}

/** A connection that says something, and what it hears until it is closed. */
async function said(
  t: ExecutionContext,
  port: number,
  ...parts: Array<string | Uint8Array>
): Promise<{ socket: Socket; closed: Promise<string> }> {
  const socket = connect(port, '127.0.0.1')
  t.teardown(() => void socket.destroy())
  let heard = ''
  socket.on('error', () => {}).on('data', data => (heard += data.toString('latin1')))
  const closed = new Promise<string>(resolve => void socket.once('close', () => resolve(heard)))
  await once(socket, 'connect')
  for (const part of parts) socket.write(part)
  return { socket, closed }
}

const portOf = (node: OnlineNode) => Number(/\/tcp\/(\d+)/.exec(node.network.listening().join())?.[1])

test('what is no frame of a WebSocket ends its connection, and no other', async t => {
  const node = await onlineNode(t, { node: { 'Addresses.Swarm': [WEB_SOCKET] } })
  const lines = linesOf(node.host, 'network')
  const frames = {
    'a message that is larger than a peer sends': frame(0x82, 2 ** 21),
    'a message beyond all numbers': frame(0x82, 2 ** 53 - 1),
    'an opcode that is none': frame(0x83, 0),
    'bits that nothing was agreed on for': frame(0xf2, 0),
    'no mask': Buffer.from([0x82, 0x01, 0x00]),
    'a control frame in two parts': Buffer.from([0x09, 0x80, 0, 0, 0, 0]),
    'a close with a code that is none': Buffer.from([0x88, 0x82, 0, 0, 0, 0, 0x00, 0x01]),
    'text that is no UTF-8': Buffer.from([0x81, 0x81, 0, 0, 0, 0, 0xff]),
    'a message of fragments without end': Buffer.concat([
      Buffer.from([0x02, 0x80, 0, 0, 0, 0]),
      ...Array.from({ length: 20_000 }, () => Buffer.from([0x00, 0x80, 0, 0, 0, 0]))
    ])
  }
  for (const [what, bytes] of Object.entries(frames)) {
    const { closed } = await said(t, portOf(node), handshake, bytes)
    t.regex(await closed, /^HTTP\/1\.1 101 /, what)
  }
  await until('the log says why', () =>
    lines.some(line => line.includes('refused a connection of 127.0.0.1: it sent what is no WebSocket'))
  )
  const friend = await onlineNode(t)
  await friend.network.dial(node.network.self, node.network.announced())
  t.true((await friend.network.ping(node.network.self)) >= 0)
})

test('connections that become no WebSocket are closed, have half of the places of one address, and hold up no stop', async t => {
  const node = await onlineNode(t, {
    node: { 'Addresses.Swarm': [WEB_SOCKET] },
    network: { negotiationTimeout: 3_000, maxPendingInbound: 8 }
  })
  const lines = linesOf(node.host, 'network')
  const port = portOf(node)
  const beginnings = ['', 'G', 'GET / HTTP/1.1\r\nHost: a\r\n', 'GET / HTTP/1.1\r\n']
  const waiting = await Promise.all(beginnings.map(text => said(t, port, text)))
  const more = await said(t, port, 'G')
  t.is(await more.closed, '', 'a place too many')
  await until('the log says so', () => lines.some(line => line.includes('4 of this address are not secured yet')))
  await Promise.all(waiting.map(({ closed }) => closed))
  await until('the log says why', () => lines.some(line => line.includes('it was not secured in time')))
  const plain = await said(t, port, 'GET / HTTP/1.1\r\nHost: a\r\n\r\n'.repeat(3))
  t.is((await plain.closed).split('HTTP/1.1 400').length - 1, 1, 'one request alone is answered')
  const last = await said(t, port)
  await node.host.stop()
  t.is(await last.closed, '')
})

test('silent connections of one address have half of the places of those that are not secured yet', async t => {
  const node = await onlineNode(t, { network: { negotiationTimeout: 3_600_000, maxPendingInbound: 4, inboundPerSecond: 1000 } })
  const port = Number(/\/tcp\/(\d+)/.exec(node.network.listening().join())?.[1])
  const lines = linesOf(node.host, 'network')
  const sockets = Array.from({ length: 10 }, () => connect(port, '127.0.0.1'))
  t.teardown(() => sockets.forEach(socket => void socket.destroy()))
  for (const socket of sockets) socket.on('error', () => {}).resume()
  await until('those beyond its share are closed', () => sockets.filter(({ closed }) => closed).length === 8)
  await until('the log says why, once', () => lines.some(line => /refused a connection of 127\.0\.0\.1: 2 .* not secured yet/.test(line)))
  t.is(lines.length, 1)
  // an address of its own, which the machine has as well
  const other = connect({ port, host: '127.0.0.1', localAddress: '127.0.0.2' })
  t.teardown(() => void other.destroy())
  other.on('error', () => {}).resume()
  await once(other, 'connect')
  let greeted = 0
  other.on('data', ({ length }) => {
    greeted += length
  })
  other.write(line('/multistream/1.0.0'))
  await until('another address is answered', () => greeted > 0)
  sockets.forEach(socket => void socket.destroy())
  const friend = await onlineNode(t)
  await until('its places are given back', () => friend.network.dial(node.network.self, node.network.announced()).catch(() => undefined))
  t.is(node.network.connections().length, 1)
})

for (const [transport, listens] of [
  ['TCP', ['/ip4/127.0.0.1/tcp/0']],
  ['WebSocket', [WEB_SOCKET]]
] as const) {
  test(`silent connections of two addresses that come again as often as they are closed keep nobody else away, over ${transport}`, async t => {
    const node = await onlineNode(t, {
      node: { 'Addresses.Swarm': [...listens] },
      network: { negotiationTimeout: 3_600_000, maxPendingInbound: 4, inboundPerSecond: 10_000 }
    })
    const port = portOf(node)
    const lines = linesOf(node.host, 'network')
    let isOver = false
    const open = new Set<Socket>()
    const hold = (localAddress: string) => {
      if (isOver) return
      const socket = connect({ port, host: '127.0.0.1', localAddress })
      open.add(socket)
      socket.on('error', () => {}).resume()
      socket.on('close', () => {
        open.delete(socket)
        setTimeout(hold, 20, localAddress)
      })
    }
    t.teardown(() => {
      isOver = true
      for (const socket of open) socket.destroy()
    })
    for (let i = 0; i < 8; i++) hold(`127.0.2.${2 + (i % 2)}`)
    await until('they have all places', () => lines.some(line => /refused a connection of 127\.0\.2\.\d: 2 .* not secured yet/.test(line)))
    for (let i = 0; i < 3; i++) {
      const friend = await onlineNode(t)
      await t.notThrowsAsync(friend.network.dial(node.network.self, node.network.announced()))
      await friend.host.stop()
    }
  })
}

/** Lines of multistream-select by which nothing is agreed on. */
const LINES = Buffer.concat([line('/multistream/1.0.0'), ...Array.from({ length: 1_000 }, () => line('ls'))])

/** A peer that secures its connections, and agrees on no multiplexer: it sends these octets, or nothing, and hears what comes. */
function securedAlone(t: ExecutionContext, octets = Buffer.alloc(0), heard: (bytes: number) => void = () => {}): Promise<Libp2p> {
  const encrypter: typeof noise = options => components => {
    const made = noise(options)(components)
    const secure = made.secureOutbound.bind(made)
    made.secureOutbound = async (connection, more) => {
      const secured = await secure(connection, { ...more, skipStreamMuxerNegotiation: true })
      secured.connection.addEventListener('message', ({ data }) => heard(data.byteLength))
      if (octets.length > 0) secured.connection.send(octets)
      return secured
    }
    return made
  }
  return libp2pNode(t, { streamMuxers: [], connectionEncrypters: [encrypter()], addresses: { listen: [] } })
}

test('connections that are secured, and on which nothing else is agreed on, keep nobody else away', async t => {
  const node = await onlineNode(t, { network: { negotiationTimeout: 3_600_000, maxPendingInbound: 4, inboundPerSecond: 1000 } })
  const address = multiaddr(node.addresses()[0]!)
  for (let i = 0; i < 4; i++) await (await securedAlone(t)).dial(address)
  const friend = await onlineNode(t)
  await t.notThrowsAsync(friend.network.dial(node.network.self, node.network.announced()))
})

test('a secured connection whose peer sends lines without end, and agrees on no multiplexer, is closed', async t => {
  const node = await onlineNode(t, { network: { negotiationTimeout: 3_600_000 } })
  let answered = 0
  const attacker = await securedAlone(t, LINES, bytes => {
    answered += bytes
  })
  const connection = await attacker.dial(multiaddr(node.addresses()[0]!))
  await until('it is closed', () => connection.status !== 'open')
  t.true(answered < 1_000, `${answered} octets of answers`)
  t.is(node.network.connections().length, 0)
})

test('streams that are opened and torn, not read, or flooded end by themselves', async t => {
  const [node, other] = await Promise.all([onlineNode(t), onlineNode(t)])
  let begun = 0
  let ended = 0
  await node.network.handle('/x/hears', async stream => {
    begun++
    try {
      for await (const _ of stream) {
        // only counts the end
      }
    } finally {
      ended++
    }
  })
  await other.network.dial(node.network.self, node.network.announced())
  for (let round = 0; round < 20; round++) {
    const stream = await other.network.open(node.network.self, '/x/hears')
    await stream.write(randomBytes(1000))
    // one that is torn before its protocol is agreed on reaches no handler
    await until('its handler has begun', () => begun === round + 1)
    if (round % 2 === 0) stream.abort(new Error('torn'))
    else await stream.end()
  }
  await until('every handler has ended', () => ended === 20)
  // more at a time than one connection may have
  const many = await Promise.allSettled(
    Array.from({ length: 60 }, async () => {
      const stream = await other.network.open(node.network.self, '/x/hears')
      await stream.write(randomBytes(10))
      return stream
    })
  )
  const open =
    node.network
      .connections()[0]
      ?.protocols()
      .filter(protocol => protocol === '/x/hears').length ?? 0
  t.true(open <= 33, `${open} streams of one protocol`)
  for (const one of many) if (one.status === 'fulfilled') one.value.abort()
  await until(
    'they are gone',
    () =>
      node.network
        .connections()[0]
        ?.protocols()
        .every(protocol => protocol !== '/x/hears') === true
  )
  t.true((await other.network.ping(node.network.self)) >= 0)
})

test('a stream whose peer sends lines without end, and agrees on no protocol, is torn, and so is its connection where it goes on', async t => {
  const node = await onlineNode(t)
  const attacker = await libp2pNode(t, { addresses: { listen: [] } })
  const connection = (await attacker.dial(multiaddr(node.addresses()[0]!))) as Connection & { muxer: { createStream(): Promise<Stream> } }
  let answered = 0
  const first = await connection.muxer.createStream()
  first.addEventListener('message', ({ data }) => {
    answered += data.byteLength
  })
  first.send(LINES)
  await until('it is torn', () => first.status !== 'open')
  t.true(answered < 1_000, `${answered} octets of answers`)
  t.is(connection.status, 'open')
  for (let count = 0; connection.status === 'open' && count < 2 * MOST_EXCESS; count++) {
    const stream = await connection.muxer.createStream().catch(() => undefined)
    stream?.send(LINES)
    await until('it is torn', () => stream?.status !== 'open')
  }
  await until('the connection is closed', () => connection.status !== 'open')
})

/** Bytes that are remembered of peers, and how many peers come of whom each says so much. */
const [MOST, PEERS, SAID] = [65_536, 100, 3_000]

test('of peers that come and go without end the oldest are forgotten, and none that is connected', async t => {
  const node = await onlineNode(t, { node: { 'Routing.Type': 'none' }, network: { maxRemembered: MOST, inboundPerSecond: 10_000 } })
  const friend = await onlineNode(t, { node: { 'Routing.Type': 'none' } })
  await friend.network.dial(node.network.self, node.network.announced())
  await until('it is known', async () => (await node.network.peer(friend.network.self))?.agent === friend.network.agent)
  let last = ''
  for (let count = 0; count < PEERS; count++) {
    const stranger = await libp2pNode(t, {
      addresses: { listen: [] },
      nodeInfo: { userAgent: 'x'.repeat(SAID) },
      services: { identify: identify() }
    })
    last = stranger.peerId.toString()
    await stranger.dial(multiaddr(node.addresses()[0]!))
    await until('it has said what it is', async () => ((await node.network.peer(last))?.agent.length ?? 0) === SAID)
    await stranger.stop()
  }
  const known = await node.network.peers()
  t.true(known.length < MOST / SAID + 2, `${known.length} peers`)
  t.true(known.some(({ id }) => id === last))
  t.is((await node.network.peer(friend.network.self))?.agent, friend.network.agent)
})

test('a peer of which others tell ever more addresses is remembered with a bounded part of them', async t => {
  const node = await onlineNode(t, { node: { 'Routing.Type': 'none' } })
  const { peerStore } = node.network.libp2p<Libp2p>()
  const peer = '12D3KooWHLYxZ2f7Uoe6gZ1YwRhcEppr4AXH4wsGDeTdcvfhvpcG'
  for (let round = 0; round < 40; round++) {
    const name = () => `/dns4/${randomBytes(30).toString('hex')}.example/tcp/1`
    await peerStore.merge(peerIdFromString(peer), { multiaddrs: Array.from({ length: 100 }, () => multiaddr(name())) })
  }
  const { addresses } = (await node.network.peer(peer))!
  t.true(addresses.length > 0 && addresses.length < 2_000, `${addresses.length} addresses`)
})
