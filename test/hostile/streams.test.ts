/** Peers that are let in and then mean harm: their streams, what they say of themselves, and whom they name. */
import { randomBytes } from 'node:crypto'
import { connect, type Socket } from 'node:net'
import { yamux } from '@chainsafe/libp2p-yamux'
import type { Connection, Stream } from '@libp2p/interface'
import { peerIdFromString } from '@libp2p/peer-id'
import { multiaddr } from '@multiformats/multiaddr'
import test, { type ExecutionContext } from 'ava'
import type { Libp2p } from 'libp2p'
import { Routing } from '../../core/index.ts'
import { itemsOf } from '../../host/testing.ts'
import { file } from '../helpers/dht.ts'
import { libp2pNode } from '../helpers/libp2p.ts'
import { linesOf } from '../helpers/log.ts'
import { type OnlineNode, onlineNode } from '../helpers/online.ts'
import { until } from '../helpers/until.ts'

const MIB = 1 << 20
const ID = '/ipfs/id/1.0.0'

/** A peer of plain libp2p, which says nothing of itself but what the test has it say. */
async function attacker(t: ExecutionContext, prepare: (libp2p: Libp2p) => Promise<void> = async () => {}): Promise<Libp2p> {
  const libp2p = await libp2pNode(t, { streamMuxers: [yamux({ maxOutboundStreams: 20_000 })] })
  await prepare(libp2p)
  return libp2p
}

const dial = (from: Libp2p, to: OnlineNode) => from.dial(multiaddr(to.addresses()[0]!))

/** A friend gets in, and content from the node. */
async function isUseful(t: ExecutionContext, node: OnlineNode): Promise<void> {
  const friend = await onlineNode(t, { node: { 'Routing.Type': 'none' } })
  await until('a friend gets in', () => friend.network.dial(node.network.self, node.network.announced()).catch(() => undefined))
  const bytes = randomBytes(100_000)
  const [{ Hash }] = (await itemsOf(await node.host.call('add', { body: file(bytes), options: { pin: false } }))) as [{ Hash: string }]
  t.true(bytes.equals(Buffer.concat(await itemsOf<Uint8Array>(await friend.host.call('cat', { args: [Hash] })))))
  await friend.host.stop()
}

/** Streams that a peer has open at the node. */
function streamsOf(node: OnlineNode, peer: Libp2p): number {
  const all = node.network.libp2p<Libp2p>().getConnections(peer.peerId)
  return all.reduce((sum, { streams }) => sum + streams.length, 0)
}

/** A line of multistream-select with its length before it. */
const line = (text: string) => Buffer.concat([Buffer.from([text.length + 1]), Buffer.from(`${text}\n`)])

for (const [what, first, reasons] of [
  ['of which it says nothing more', Buffer.alloc(0), ['it has 1000 streams open']],
  [
    'all of one protocol',
    Buffer.concat([line('/multistream/1.0.0'), line('/ipfs/ping/1.0.0')]),
    ['a stream of /ipfs/ping/1.0.0 of the peer', 'it has opened 1000 streams more than it may']
  ]
] as const) {
  test.serial(`10,000 streams of a peer, ${what}, hold little, it is dropped with the reason, and the node stays useful`, async t => {
    const node = await onlineNode(t, { node: { 'Routing.Type': 'none' }, network: { negotiationTimeout: 5_000 } })
    const peer = await attacker(t)
    const lines = linesOf(node.host, 'network')
    const before = process.memoryUsage().rss
    let [opened, most] = [0, 0]
    // whoever is cut off comes again
    for (let round = 0; round < 20 && opened < 10_000; round++) {
      const connection = await until('it is let in', () => dial(peer, node).catch(() => undefined))
      await until('the node has it', () => node.network.connections(peer.peerId.toString()).length > 0)
      const { muxer } = connection as Connection & { muxer: { createStream(options: object): Promise<Stream> } }
      try {
        while (opened < 10_000 && connection.status === 'open') {
          const stream = await muxer.createStream({ signal: AbortSignal.timeout(10_000) })
          if (first.length > 0) stream.send(first)
          if (++opened % 50 === 0) await new Promise(resolve => setImmediate(resolve))
          if (opened % 50 === 0) most = Math.max(most, streamsOf(node, peer))
        }
      } catch (error) {
        t.log(String(error))
      }
      await peer.hangUp(connection.remotePeer)
      await until('it is gone', () => node.network.connections(peer.peerId.toString()).length === 0)
    }
    t.log(`${opened} were opened, ${most} at a time were there`)
    t.true(most <= 1_000, `${most} streams`)
    t.true(process.memoryUsage().rss - before < 200 * MIB, `${(process.memoryUsage().rss - before) / MIB} MiB, of both sides`)
    for (const reason of reasons)
      await until('the log says why', () => lines.some(one => one.includes(peer.peerId.toString()) && one.includes(reason)))
    t.true(lines.length < 10, 'in few lines')
    await isUseful(t, node)
  })
}

/** What a peer may answer who is asked what it is. */
const answers: Readonly<Record<string, (stream: Stream) => Promise<void>>> = {
  'a message beyond all bounds': stream => pour(stream, [Buffer.from([0xff, 0xff, 0x7f]), Buffer.alloc(MIB)], 20),
  'a length without end': stream => pour(stream, [Buffer.alloc(64 * 1024, 0xff)], 20),
  'small messages without end': stream => pour(stream, Array(1000).fill(Buffer.concat([Buffer.from([0x80, 0x20]), Buffer.alloc(4096)])), 5),
  'half a message': async stream => void stream.send(Buffer.from([100, 1, 2, 3])),
  'half a message, and its end': async stream => {
    stream.send(Buffer.from([100, 1, 2, 3]))
    await stream.close()
  },
  'what is none': stream => pour(stream, [Buffer.from([5, 0xff, 0xff, 0xff, 0xff, 0xff])], 1),
  nothing: async () => {}
}

async function pour(stream: Stream, parts: readonly Uint8Array[], rounds: number): Promise<void> {
  try {
    for (let round = 0; round < rounds; round++) {
      for (const part of parts) if (!stream.send(part)) await stream.onDrain({ signal: AbortSignal.timeout(5_000) })
    }
  } catch {
    // it was torn, as it should be
  }
}

test.serial(
  'peers that say of themselves too much or nonsense are dropped with the reason, none is known by it, and none keeps anybody away',
  async t => {
    const node = await onlineNode(t, { node: { 'Routing.Type': 'none' }, network: { negotiationTimeout: 4_000 } })
    const lines = linesOf(node.host, 'network')
    const before = process.memoryUsage().rss
    await Promise.all(
      Object.entries(answers).map(async ([what, answer]) => {
        let isAsked = false
        const peer = await attacker(t, libp2p =>
          libp2p.handle(ID, async stream => {
            isAsked = true
            await answer(stream)
          })
        )
        await until('it is asked', async () => {
          await dial(peer, node).catch(() => {})
          return isAsked
        })
        await until('the answer is given up', () => streamsOf(node, peer) === 0)
        const id = peer.peerId.toString()
        t.is((await node.network.peer(id))?.agent ?? '', '')
        if (what === 'nothing') return
        const isTold = () => lines.some(one => one.includes(id) && one.includes('no message of identify'))
        // on a machine that is busy the time may be over before the answer has begun
        const again = async () => {
          await peer.hangUp(peerIdFromString(node.network.self))
          await dial(peer, node).catch(() => {})
        }
        await until(`the log tells of ${what}`, () => until('it does', isTold, 8_000).catch(again), 60_000)
        await until('the peer is dropped', () => node.network.connections(id).length === 0)
      })
    )
    t.true(process.memoryUsage().rss - before < 200 * MIB, `${(process.memoryUsage().rss - before) / MIB} MiB, of both sides`)
    await isUseful(t, node)
  }
)

test.serial('peers that push half of what they are, or nonsense, are dropped with the reason', async t => {
  const node = await onlineNode(t, { node: { 'Routing.Type': 'none' }, network: { negotiationTimeout: 2_000 } })
  const lines = linesOf(node.host, 'network')
  const pushes = {
    'half a message': answers['half a message']!,
    'its end': answers['half a message, and its end']!,
    none: answers['what is none']!
  }
  await Promise.all(
    Object.entries(pushes).map(async ([what, push]) => {
      const peer = await attacker(t)
      const address = multiaddr(node.addresses()[0]!)
      await push(await until('it is let in', () => peer.dialProtocol(address, '/ipfs/id/push/1.0.0').catch(() => undefined)))
      const id = peer.peerId.toString()
      await until(`the log tells of ${what}`, () => lines.some(one => one.includes(id) && one.includes('no message of identify')))
      await until('the peer is dropped', () => node.network.connections(id).length === 0)
    })
  )
  const leaving = await attacker(t, libp2p =>
    libp2p.handle(ID, async stream => {
      stream.send(Buffer.from([100, 1, 2, 3]))
      setTimeout(() => void libp2p.stop(), 100)
    })
  )
  await until('it is let in', () => dial(leaving, node).catch(() => undefined))
  const id = leaving.peerId.toString()
  await until('it has left', () => leaving.status === 'stopped' && node.network.connections(id).length === 0)
  t.false(
    lines.some(one => one.includes(id)),
    'who leaves in the middle is no offender'
  )
  await isUseful(t, node)
})

/** Protocols of the library that wait longer for the rest of a message, or for the peer to close a stream that was answered. */
const SLOW: ReadonlySet<string> = new Set([
  ID,
  '/libp2p/autonat/1.0.0',
  '/libp2p/autonat/2/dial-back',
  '/libp2p/autonat/2/dial-request',
  '/libp2p/circuit/relay/0.2.0/stop'
])

/** Served as the latest of them is. */
const OLDER: ReadonlySet<string> = new Set(['/ipfs/bitswap', '/ipfs/bitswap/1.0.0', '/ipfs/bitswap/1.1.0'])

test.serial('a length without end, and half a message, on every protocol: the stream is over, or the peer is', async t => {
  const node = await onlineNode(t, {
    node: { 'Routing.Type': 'dht' },
    network: { negotiationTimeout: 5_000 },
    // long enough for a busy machine to read what was sent before it is taken to be late
    on: { bitswap: { messageTimeout: 6_000 }, routing: { idleTimeout: 6_000 } }
  })
  const [bitswap, routing] = [linesOf(node.host, 'bitswap'), linesOf(node.host, 'routing')]
  const protocols = node.network.protocols().filter(protocol => protocol !== '/x/' && !OLDER.has(protocol))
  t.true(protocols.length >= 7)
  await Promise.all(
    protocols.map(async protocol => {
      for (const bytes of [Buffer.alloc(64 * 1024, 0xff), Buffer.from([100, 1, 2, 3])]) {
        const peer = await attacker(t)
        const address = multiaddr(node.addresses()[0]!)
        const stream = await until('it is let in', () => peer.dialProtocol(address, protocol).catch(() => undefined), 60_000)
        await pour(stream, [bytes], 20)
        // these have times of their own, of 30 s and more, and one stream of a connection waits for them
        const left = SLOW.has(protocol) ? 1 : 0
        await until(`${protocol} with ${bytes.length} bytes is over`, () => streamsOf(node, peer) <= left, 60_000)
      }
    })
  )
  await until('who is dropped stands in the log', () => bitswap.filter(line => line.includes('dropped the peer')).length >= 2)
  for (const why of ['a number of more than 64 bits', 'it was begun, and the rest did not come in time'])
    await until('and why', () => routing.some(line => line.includes('refused the peer') && line.includes(why)))
  await isUseful(t, node)
})

test.serial('providers that are named and are none keep content from nobody', async t => {
  const [node, source] = await Promise.all([
    onlineNode(t, { node: { 'Routing.Type': 'none' }, on: { bitswap: { providerDelay: 10 } } }),
    onlineNode(t, { node: { 'Routing.Type': 'none' } })
  ])
  const bytes = randomBytes(300_000)
  const [{ Hash }] = (await itemsOf(await source.host.call('add', { body: file(bytes), options: { pin: false } }))) as [{ Hash: string }]
  const liars = await Promise.all([1, 2].map(() => onlineNode(t, { node: { 'Routing.Type': 'none' }, on: { bitswap: 'off' } })))
  let asked = 0
  node.host.service(Routing)!.add({
    name: 'liar',
    async *findProviders() {
      asked++
      // peers that are not there, that are somebody else, that do not speak bitswap, that are this node, and in the end the right one
      const nobody = '12D3KooWHLYxZ2f7Uoe6gZ1YwRhcEppr4AXH4wsGDeTdcvfhvpcG'
      yield { type: 'provider', provider: { id: nobody, addresses: ['/ip4/127.0.0.1/tcp/1', 'nonsense', ''] } }
      yield { type: 'provider', provider: { id: nobody, addresses: [...source.network.announced()] } }
      yield { type: 'provider', provider: { id: 'nobody', addresses: ['/ip4/127.0.0.1/tcp/1'] } }
      for (const { network } of liars) yield { type: 'provider', provider: { id: network.self, addresses: [...network.announced()] } }
      yield { type: 'provider', provider: { id: node.network.self, addresses: [...node.network.announced()] } }
      yield { type: 'provider', provider: { id: source.network.self, addresses: [...source.network.announced()] } }
    }
  })
  t.true(bytes.equals(Buffer.concat(await itemsOf<Uint8Array>(await node.host.call('cat', { args: [Hash] })))))
  t.true(asked > 0)
})

test.serial('a flood of connections from one place is refused with a line in the log, and another place gets in meanwhile', async t => {
  const node = await onlineNode(t, { node: { 'Routing.Type': 'none' }, network: { negotiationTimeout: 60_000, inboundPerSecond: 100_000 } })
  const lines = linesOf(node.host, 'network')
  const port = Number(/\/tcp\/(\d+)/.exec(node.network.announced().join())?.[1])
  const before = process.memoryUsage().rss
  const sockets: Socket[] = []
  t.teardown(() => sockets.forEach(socket => void socket.destroy()))
  let closed = 0
  for (let wave = 0; wave < 10; wave++) {
    const some = Array.from({ length: 100 }, () => connect({ port, host: '127.0.0.1', localAddress: '127.0.0.3' }))
    sockets.push(...some)
    for (const socket of some) {
      socket.on('error', () => {}).resume()
      socket.on('close', () => void closed++)
    }
    await until('all but its share are closed', () => closed >= sockets.length - 32)
  }
  await isUseful(t, node)
  await until('the log says why', () => lines.some(line => line.includes('refused a connection of 127.0.0.3')))
  t.true(lines.length < 10, 'in few lines')
  t.true(process.memoryUsage().rss - before < 200 * MIB, `${(process.memoryUsage().rss - before) / MIB} MiB, of both sides`)
})
