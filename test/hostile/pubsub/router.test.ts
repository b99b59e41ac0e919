/** Peers that say to the router of pubsub what no honest peer says: the node keeps little of it, and serves others meanwhile. */
import type { Connection, PeerId } from '@libp2p/interface'
import { multiaddr } from '@multiformats/multiaddr'
import test, { type ExecutionContext } from 'ava'
import type { Libp2p } from 'libp2p'
import { Pubsub, type PubsubSubscription } from '../../../core/index.ts'
import { type Field, frames, readFields, writeFields } from '../../../core/network/index.ts'
import { readInTurns } from '../../../plugins/gossipsub/guard.ts'
import { libp2pNode } from '../../helpers/libp2p.ts'
import { linesOf } from '../../helpers/log.ts'
import { MiB, settledMemory } from '../../helpers/memory.ts'
import { type OnlineNode, onlineNode } from '../../helpers/online.ts'
import { turnsOf } from '../../helpers/turns.ts'
import { until } from '../../helpers/until.ts'
import { droppedOf, RawPeer } from '../../plugins/pubsub/raw.ts'

const on = (settings: Readonly<Record<string, unknown>> = {}) => ({ on: { gossipsub: { enabled: true, ...settings } } })
const pubsubOf = ({ host }: OnlineNode) => host.service(Pubsub)!

/** The next message of a subscription, as text. */
async function next(subscription: PubsubSubscription): Promise<string> {
  const { value } = await subscription[Symbol.asyncIterator]().next()
  return Buffer.from(value.data).toString()
}

/** A friend comes, listens to a topic, and gets what the node sends. */
async function isUseful(t: ExecutionContext, node: OnlineNode): Promise<void> {
  const friend = await onlineNode(t, on())
  await friend.network.dial(node.network.self, node.network.announced())
  const messages = pubsubOf(friend).subscribe('of friends')
  await until('the node knows who listens', () => pubsubOf(node).peers('of friends').includes(friend.network.self))
  await pubsubOf(node).publish('of friends', Buffer.from('hello'))
  t.is(await next(messages), 'hello')
  await friend.host.stop()
}

/** One control message of an RPC: IHAVE 1, IWANT 2, GRAFT 3, PRUNE 4, IDONTWANT 5 (go-libp2p-pubsub, pb/rpc.proto). */
const control = (messages: readonly Field[]): Field => [3, writeFields(messages)]

test.serial('a peer that answers nothing when a stream is opened to it keeps messages from nobody else', async t => {
  const node = await onlineNode(t, { ...on(), network: { negotiationTimeout: 10_000 } })
  for (let i = 0; i < 4; i++) {
    const mute = await libp2pNode(t, { addresses: { listen: [] } })
    const connection = (await mute.dial(multiaddr(node.addresses()[0]!))) as Connection & {
      muxer: EventTarget
      onIncomingStream: (event: Event) => void
    }
    connection.muxer.removeEventListener('stream', connection.onIncomingStream)
    for (let stream = 0; stream < 8; stream++) await connection.newStream('/meshsub/1.1.0')
  }
  await isUseful(t, node)
})

test.serial('messages as fast as a peer can send them, of a topic that is listened to and of others, are kept up to a bound', async t => {
  const node = await onlineNode(t, on({ maxCached: 8 * MiB }))
  const messages = pubsubOf(node).subscribe('news')
  void (async () => {
    for await (const _ of messages);
  })()
  const peer = await RawPeer.open(await onlineNode(t), node)
  const before = await settledMemory()
  for (let i = 0; i < 80; i++) {
    await peer.publish({ topic: i % 2 === 0 ? 'news' : `other-${i}`, data: Buffer.alloc(MiB, i), sequence: BigInt(i) })
  }
  await until('what nobody has asked for is counted', async () => (await droppedOf(node, 'no subscription')) === 40)
  const growth = (await settledMemory()) - before
  t.log(`${growth.toFixed(1)} MiB`)
  t.true(growth < 20, `${growth.toFixed(1)} MiB of 80`)
  await isUseful(t, node)
})

test.serial('a message of few bytes in a large frame takes few bytes while it waits and while it is remembered', async t => {
  const node = await onlineNode(t, on())
  pubsubOf(node).subscribe('news')
  const reading = pubsubOf(node).subscribe('news')[Symbol.asyncIterator]()
  const peer = await RawPeer.open(await onlineNode(t), node)
  const before = await settledMemory()
  for (let i = 0; i < 60; i++) {
    const message = peer.message({ topic: 'news', data: Buffer.from('few'), sequence: BigInt(i) })
    // the field 9 is none that anybody knows
    await peer.write([
      [2, message],
      [9, Buffer.alloc(MiB, i)]
    ])
    await reading.next()
  }
  const growth = (await settledMemory()) - before
  t.log(`${growth.toFixed(1)} MiB`)
  t.true(growth < 16, `${growth.toFixed(1)} MiB`)
})

test.serial('what peers say that they do not want, of IDs as long as a message, is not remembered', async t => {
  const node = await onlineNode(t, on())
  const messages = pubsubOf(node).subscribe('news')
  const peer = await RawPeer.open(await onlineNode(t), node)
  const before = await settledMemory()
  for (let i = 0; i < 80; i++) {
    await peer.write([control([[5, writeFields([[1, Buffer.alloc(MiB, i)]])]])])
  }
  await peer.publish({ topic: 'news', data: Buffer.from('the last word') })
  t.is(await next(messages), 'the last word')
  const growth = (await settledMemory()) - before
  t.log(`${growth.toFixed(1)} MiB`)
  t.true(growth < 16, `${growth.toFixed(1)} MiB`)
})

test.serial('PRUNE, GRAFT, IHAVE and IWANT without end are answered or passed over, and nothing piles up', async t => {
  const node = await onlineNode(t, on())
  pubsubOf(node).subscribe('news')
  const peer = await RawPeer.open(await onlineNode(t), node)
  await peer.subscribe(['news'])
  const topic = (): Field[] => [[1, Buffer.from('news')]]
  const ids = (number: number, count: number) =>
    Array.from({ length: count }, (_, i) => [number, Buffer.from(`${i}-${Math.random()}`.padEnd(46))] as Field)
  let changes = 0
  const { peerStore } = node.network.libp2p<Libp2p>()
  const merge = peerStore.merge.bind(peerStore)
  peerStore.merge = (...of) => {
    changes++
    return merge(...of)
  }
  const many = (number: number) => control(Array.from({ length: 5_000 }, () => [number, writeFields(topic())] as Field))
  const before = await settledMemory()
  // GRAFT last: a peer that goes on with it is listened to no more
  const floods = [
    () => many(4),
    () => control([[1, writeFields([...topic(), ...ids(2, 5_000)])]]),
    () => control([[2, writeFields(ids(1, 5_000))]]),
    () => many(3)
  ]
  for (const flood of floods) {
    for (let round = 0; round < 30; round++) await peer.write([flood()])
    const growth = (await settledMemory()) - before
    t.log(`${growth.toFixed(1)} MiB`)
    t.true(growth < 16, `${growth.toFixed(1)} MiB`)
  }
  t.true(changes < 100, `what is known of the peer was written ${changes} times`)
  await isUseful(t, node)
})

test.serial('messages that a peer asks for again are given in frames that it reads, and no more of them at once than may wait', async t => {
  const node = await onlineNode(t, on())
  const bare = await onlineNode(t)
  const got: Uint8Array[] = []
  let largest = 0
  await bare.network.handle('/meshsub/1.1.0', async stream => {
    for await (const frame of frames(stream, 64 * MiB, why => new Error(why))) {
      largest = Math.max(largest, frame.length)
      for (const [number, value] of readFields(frame, why => new Error(why))) if (number === 2) got.push(value as Uint8Array)
    }
  })
  const messages = pubsubOf(node).subscribe('news')
  const peer = await RawPeer.open(bare, node)
  const sent = Array.from({ length: 20 }, (_, i) => i)
  for (const i of sent) {
    await peer.publish({ topic: 'news', data: Buffer.alloc(900_000, i), sequence: BigInt(i + 1) })
    await messages[Symbol.asyncIterator]().next()
  }
  await peer.write([control([[2, writeFields(sent.map(i => [1, peer.id(BigInt(i + 1))] as Field))]])])
  await until('some are given', () => got.length >= 3)
  await peer.publish({ topic: 'news', data: Buffer.from('the last word'), sequence: 99n })
  t.is(await next(messages), 'the last word')
  t.true(largest <= MiB + 64 * 1024, `a frame of ${largest} bytes`)
  await until('the node still talks to it', () => pubsubOf(node).peers().includes(bare.network.self))
})

test.serial('a peer whose message is too large is dropped, with a line in the log', async t => {
  const node = await onlineNode(t, on({ maxMessage: 1024 }))
  const lines = linesOf(node.host, 'gossipsub')
  const from = await onlineNode(t)
  const peer = await RawPeer.open(from, node)
  await peer.publish({ topic: 'news', data: Buffer.alloc(200_000) })
  await until('it stands in the log', () => lines.some(line => line.includes(from.network.self) && line.includes('too large')))
  await isUseful(t, node)
})

for (const [what, why, rpcs, fields] of [
  ['RPCs that say nothing', '1025 in a row have nothing in them', 1_100, []],
  [
    'thousands of empty messages',
    'more than 64 of its parts have nothing in them',
    1,
    Array.from({ length: 5_000 }, () => [2, Buffer.alloc(0)] as Field)
  ],
  [
    'thousands of empty control messages',
    'more than 64 of its parts have nothing in them',
    1,
    [control(Array.from({ length: 20_000 }, (_, i) => [1 + (i % 4), Buffer.alloc(0)] as Field))]
  ],
  [
    'tens of thousands of IDs',
    'it has more than 16384 parts',
    1,
    [
      control(
        Array.from({ length: 10 }, () => [1, writeFields(Array.from({ length: 4_000 }, () => [2, Buffer.from('i')] as Field))] as Field)
      )
    ]
  ]
] as const) {
  test.serial(`a peer that sends ${what} is dropped with the reason, and one that sends a few empty ones is not`, async t => {
    const node = await onlineNode(t, on())
    const lines = linesOf(node.host, 'gossipsub')
    const messages = pubsubOf(node).subscribe('news')
    const [good, bad] = [await onlineNode(t), await onlineNode(t)]
    const honest = await RawPeer.open(good, node)
    for (let round = 1n; round <= 3n; round++) {
      for (let i = 0; i < 500; i++) await honest.write(i % 2 === 0 ? [] : [[2, Buffer.alloc(0)], control([])])
      await honest.publish({ topic: 'news', data: Buffer.from(`${round}`), sequence: round })
      t.is(await next(messages), `${round}`)
    }
    const peer = await RawPeer.open(bad, node)
    try {
      for (let i = 0; i < rpcs; i++) await peer.write(fields)
    } catch {
      // torn, as it should be
    }
    await until('it is dropped', () => node.network.connections(bad.network.self).length === 0)
    await until('the log says why', () => lines.some(line => line.includes(`dropped the peer ${bad.network.self}`) && line.includes(why)))
    await honest.publish({ topic: 'news', data: Buffer.from('the last word'), sequence: 4n })
    t.is(await next(messages), 'the last word')
    t.is(lines.length, 1)
  })
}

test('between the RPCs of a peer, and between the messages in one, others have their turn', async t => {
  const peer = {} as PeerId
  let [rpcs, messages] = [0, 0]
  const router: Parameters<typeof readInTurns>[0] = {
    async pipePeerReadStream(_, source) {
      for await (const rpc of source) {
        rpcs += rpc.byteLength
      }
    },
    async validateReceivedMessage() {
      messages++
      return { code: 'valid' }
    }
  }
  readInTurns(router)
  const rpc = writeFields([[2, Buffer.from('message')]])
  const source = async function* () {
    for (let i = 0; i < 2_000; i++) yield rpc
  }
  const betweenRpcs = await turnsOf(() => router.pipePeerReadStream(peer, source()))
  t.is(rpcs, 2_000 * rpc.length)
  t.true(betweenRpcs > 20, `${betweenRpcs} turns between RPCs`)
  const betweenMessages = await turnsOf(async () => {
    for (let i = 0; i < 2_000; i++) await router.validateReceivedMessage(peer, { topic: 'news' })
  })
  t.is(messages, 2_000)
  t.true(betweenMessages > 20, `${betweenMessages} turns between messages`)
})
