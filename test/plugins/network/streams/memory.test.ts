/** What the streams of a peer may take of the memory, over real connections. */

import { noise } from '@chainsafe/libp2p-noise'
import { quic } from '@chainsafe/libp2p-quic'
import { yamux } from '@chainsafe/libp2p-yamux'
import type { Connection, Stream, StreamMuxerFactory } from '@libp2p/interface'
import { tcp } from '@libp2p/tcp'
import { multiaddr } from '@multiformats/multiaddr'
import test, { type ExecutionContext } from 'ava'
import type { Libp2p } from 'libp2p'
import { NetworkLimits } from '../../../../core/index.ts'
import { StreamMemory } from '../../../../plugins/network/limits/memory.ts'
import { libp2pNode } from '../../../helpers/libp2p.ts'
import { type OnlineNode, onlineNode } from '../../../helpers/online.ts'
import { until } from '../../../helpers/until.ts'

const MIB = 1 << 20
const SLOW = '/x/slow'

/** A node that reads so much of each stream, and no more. */
async function reading(t: ExecutionContext, most: number, node: Record<string, string | readonly string[]> = {}): Promise<OnlineNode> {
  const made = await onlineNode(t, { node: { 'Routing.Type': 'none', ...node } })
  await made.network.handle(
    SLOW,
    async stream => {
      let read = 0
      for await (const part of stream) {
        read += part.length
        if (read > most) await new Promise(() => {})
      }
    },
    { maxInbound: 1_000 }
  )
  return made
}

/** A muxer that answers pings late: the library lets windows grow by how long the peer says that a round trip takes. */
function late(factory: StreamMuxerFactory): StreamMuxerFactory {
  const create = factory.createStreamMuxer.bind(factory)
  factory.createStreamMuxer = connection => {
    const muxer = create(connection) as ReturnType<typeof create> & { sendPing(id: number, flag?: number): void }
    const send = muxer.sendPing.bind(muxer)
    muxer.sendPing = (id, flag) => void setTimeout(() => muxer.status === 'open' && send(id, flag), flag === 2 ? 1_000 : 0)
    return muxer
  }
  return factory
}

const attacker = (t: ExecutionContext, overQuic = false): Promise<Libp2p> =>
  libp2pNode(t, {
    addresses: { listen: [] },
    connectionMonitor: { enabled: false },
    transports: [overQuic ? quic() : tcp()],
    connectionEncrypters: [noise()],
    streamMuxers: [() => late(yamux({ maxOutboundStreams: 20_000 })())]
  })

/** Writes to streams without end, each as fast as it takes it. */
function flood(streams: readonly Stream[], piece: Uint8Array): { sent: number; stop(): void } {
  const state = {
    sent: 0,
    isOver: false,
    stop() {
      state.isOver = true
    }
  }
  const write = async (stream: Stream) => {
    while (!state.isOver && stream.writeStatus === 'writable') {
      if (!stream.writableNeedsDrain) {
        stream.send(piece)
        state.sent += piece.length
      }
      await new Promise(resolve => (stream.writableNeedsDrain ? setTimeout(resolve, 5) : setImmediate(resolve)))
    }
  }
  for (const stream of streams) void write(stream).catch(() => {})
  return state
}

/** A connection with so many streams. */
async function opened(node: OnlineNode, peer: Libp2p, count = 32): Promise<[Connection, Stream[]]> {
  const connection = await peer.dial(multiaddr(node.addresses()[0]!))
  await until('the node has it', () => node.network.connections(peer.peerId.toString()).length === 1)
  const open = () => connection.newStream(SLOW, { maxOutboundStreams: 1_000, signal: AbortSignal.timeout(60_000) })
  return [connection, await Promise.all(Array.from({ length: count }, open))]
}

const usage = ({ host }: OnlineNode) => host.service(NetworkLimits)!.system.usage.memory

/** Waits until nothing is taken any more. */
async function standing(what: string, written: () => number): Promise<void> {
  let [before, since] = [-1, Date.now()]
  await until(
    what,
    () => {
      if (written() !== before) since = Date.now()
      before = written()
      return Date.now() - since > 2_000
    },
    120_000
  )
}

for (const [kind, address, count, most] of [
  ['yamux', '/ip4/127.0.0.1/tcp/0', 32, 4 * MIB],
  ['QUIC', '/ip4/127.0.0.1/udp/0/quic-v1', 200, MIB / 4]
] as const) {
  test.serial(
    `${count} streams of ${kind} of which nobody reads any more hold no more than the share of a connection, and resources tell it`,
    async t => {
      const node = await reading(t, most, { 'Addresses.Swarm': [address] })
      const peer = await attacker(t, kind === 'QUIC')
      const [connection, streams] = await opened(node, peer, count)
      const writing = flood(streams, new Uint8Array(65_536))
      await standing('the peer has to wait', () => writing.sent)
      t.true(writing.sent > count * most, 'what is read is read')
      t.log(`${Math.round(usage(node) / MIB)} MiB`)
      t.true(usage(node) > 4 * MIB)
      t.true(usage(node) < 96 * MIB, `${usage(node)} bytes`)
      writing.stop()
      await connection.close().catch(() => connection.abort(new Error('over')))
      await until('all of it is given back', () => usage(node) === 0)
    }
  )
}

test.serial(
  'with a small MaxMemory windows stay small, and a stream that brings more than may lie unread is torn with a line in the log',
  async t => {
    const node = await reading(t, 0, { 'Swarm.ResourceMgr.MaxMemory': '32MiB' })
    const peer = await attacker(t)
    const [connection, streams] = await opened(node, peer)
    const writing = flood(streams, new Uint8Array(65_536))
    await until('some are torn', () => streams.some(({ status }) => status === 'reset'))
    await standing('the others have to wait', () => writing.sent)
    t.true(usage(node) < 12 * MIB, `${usage(node)} bytes`)
    t.is(connection.status, 'open')
    writing.stop()
  }
)

test('a connection, a peer and the node have their shares of the memory, and give back what they had', t => {
  const memory = new StreamMemory(() => ({ memory: 160 * MIB }))
  const [one, two] = [{}, {}].map(muxer => [muxer, memory.connection(muxer)] as const) as [
    readonly [object, ReturnType<StreamMemory['connection']>],
    readonly [object, ReturnType<StreamMemory['connection']>]
  ]
  const [a, b, c] = [{}, {}, {}]
  t.true(one[1].grow(a, 8 * MIB))
  t.false(one[1].grow(b, 3 * MIB), 'a sixteenth of it is the share of a connection')
  t.true(one[1].grow(b, 2 * MIB))
  for (const [muxer] of [one, two]) memory.belongs(muxer, 'peer')
  t.true(two[1].grow(c, 10 * MIB))
  t.false(two[1].grow(c, MIB))
  const third = memory.connection({})
  t.true(third.grow({}, 10 * MIB), 'another peer has its own')
  one[1].end(a)
  t.true(one[1].grow(b, 8 * MIB))
  const stream = { readBuffer: { byteLength: 21 * MIB } }
  t.false(two[1].count(stream), 'twice the share may lie unread')
  stream.readBuffer.byteLength = 19 * MIB
  t.true(two[1].count(stream))
  t.false(two[1].count({}, 2 * MIB), 'with what cannot be seen')
  memory.over(two[0])
  t.true(two[1].count({}, 19 * MIB))
})

test('streams of a protocol of requests, and those that have none yet, do not get larger windows', async t => {
  const node = await onlineNode(t, { node: { 'Routing.Type': 'none' } })
  const seen = Promise.withResolvers<void>()
  let read = 0
  await node.network.handle(
    '/x/requests',
    async stream => {
      for await (const part of stream) read += part.length
      seen.resolve()
    },
    { maxRequest: 65_536 }
  )
  const peer = await attacker(t)
  const connection = await peer.dial(multiaddr(node.addresses()[0]!))
  const stream = await connection.newStream('/x/requests')
  const size = 4 * MIB
  for (let sent = 0; sent < size; sent += 65_536) {
    stream.send(new Uint8Array(65_536))
    while (stream.writableNeedsDrain) await new Promise(resolve => setTimeout(resolve, 1))
    t.true(usage(node) < 2 * MIB)
  }
  await stream.close()
  await seen.promise
  t.is(read, size, 'but all that is sent is read')
})
