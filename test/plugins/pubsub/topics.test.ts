/** Topics that are any bytes: what the wire, signatures and answers have of those that are no UTF-8. */
import { RPC } from '@libp2p/gossipsub/message'
import test, { type ExecutionContext } from 'ava'
import fc from 'fast-check'
import { decodeUtf8, encodeUtf8 } from '../../../core/go/utf8.ts'
import { Pubsub } from '../../../core/index.ts'
import { inlinePublicKey, parsePeerId, verify } from '../../../core/keys/index.ts'
import { type Field, readFields, writeFields } from '../../../core/network/index.ts'
import { upload } from '../../../host/testing.ts'
import { keepTopicBytes } from '../../../plugins/gossipsub/topics.ts'
import { type OnlineNode, onlineNode } from '../../helpers/online.ts'
import { until } from '../../helpers/until.ts'
import { hear, RawPeer } from './raw.ts'

const on = { gossipsub: { enabled: true } }
const inBase64url = (bytes: Uint8Array) => `u${Buffer.from(bytes).toString('base64url')}`
const service = (node: OnlineNode) => node.host.service(Pubsub)!
const wrong = (why: string) => new Error(why)

/** Bytes that are no UTF-8, and others that a reader who does not look takes for the same text. */
const TOPICS: readonly Uint8Array[] = [
  Buffer.alloc(0),
  Buffer.from([0xff]),
  Buffer.from([0xfe, 0x00, 0xc3]),
  Buffer.from([0xc0, 0x80]),
  Buffer.from([0x00]),
  Buffer.from([0xed, 0xb3, 0xbf]),
  Buffer.from([0xef, 0xbf, 0xbd]),
  Buffer.concat([Buffer.from('news \u{1f30d}'), Buffer.from([0xf0, 0x9f, 0x8c])])
]

/** A message as `pubsub/sub` answers it. */
interface Answer {
  readonly data: string
  readonly topicIDs: readonly string[]
}

async function listen(node: OnlineNode, topic: Uint8Array): Promise<AsyncIterator<Answer>> {
  const answers = (await node.host.call('pubsub/sub', { args: [inBase64url(topic)] })) as AsyncIterable<Answer>
  return answers[Symbol.asyncIterator]()
}

const peersOf = async (node: OnlineNode, topic: Uint8Array) =>
  ((await node.host.call('pubsub/peers', { args: [inBase64url(topic)] })) as { Strings: string[] }).Strings

const topicsOf = async (node: OnlineNode) => ((await node.host.call('pubsub/ls')) as { Strings: string[] | null }).Strings

const publish = (node: OnlineNode, topic: Uint8Array, data: string) =>
  node.host.call('pubsub/pub', { args: [inBase64url(topic)], body: upload(Buffer.from(data)) })

async function pair(t: ExecutionContext, node = {}): Promise<[OnlineNode, OnlineNode]> {
  const [a, b] = await Promise.all([onlineNode(t, { on, node }), onlineNode(t, { on, node })])
  await a.network.dial(b.network.self, b.network.announced())
  return [a, b]
}

for (const router of ['gossipsub', 'floodsub']) {
  test(`with ${router}, topics of any bytes go both ways, each to its own listeners, and are listed byte for byte`, async t => {
    const [a, b] = await pair(t, { 'Pubsub.Router': router })
    for (const [here, there] of [
      [a, b],
      [b, a]
    ] as const) {
      const subscriptions = await Promise.all(TOPICS.map(topic => listen(here, topic)))
      t.deepEqual([...(await topicsOf(here))!].sort(), TOPICS.map(inBase64url).sort())
      await until('the peer knows all topics', async () =>
        (await Promise.all(TOPICS.map(topic => peersOf(there, topic)))).every(peers => peers.includes(here.network.self))
      )
      for (const [i, topic] of TOPICS.entries()) await publish(there, topic, `${i}`)
      for (const [i, subscription] of subscriptions.entries()) {
        const { value } = await subscription.next()
        t.deepEqual([value.data, value.topicIDs], [inBase64url(Buffer.from(`${i}`)), [inBase64url(TOPICS[i]!)]])
        await subscription.return?.()
      }
      t.is(await topicsOf(here), null)
      await until('the peer knows that nobody listens', async () => (await peersOf(there, TOPICS[0]!)).length === 0)
    }
  })
}

test('a peer that speaks by hand reads and writes the bytes of a topic, in subscriptions, control and signed messages', async t => {
  const [node, bare] = await Promise.all([onlineNode(t, { on }), onlineNode(t)])
  const topic = Buffer.from([0x66, 0xff, 0x00, 0xfe])
  const got: Array<readonly [place: string, topic: string]> = []
  const messages: Uint8Array[] = []
  await hear(bare, ([number, value]) => {
    if (number === 1) got.push([`subscription ${fieldOf(value, 1)}`, hex(fieldOf(value, 2))])
    if (number === 2) messages.push(Buffer.from(value as Uint8Array))
    if (number === 3) for (const [kind, of] of readFields(value as Uint8Array, wrong)) got.push([`control ${kind}`, hex(fieldOf(of, 1))])
  })
  const peer = await RawPeer.open(bare, node)
  await peer.subscribe([topic])
  await until('the node knows who listens', async () => (await peersOf(node, topic)).includes(bare.network.self))
  await publish(node, topic, 'to a stranger')
  await until('the message is there', () => messages.length === 1)
  const fields = [...readFields(messages[0]!, wrong)]
  const of = (number: number) => fields.find(([one]) => one === number)![1] as Uint8Array
  t.is(hex(of(4)), topic.toString('hex'))
  const signed = Buffer.concat([Buffer.from('libp2p-pubsub:'), writeFields(fields.filter(([number]) => number < 5))])
  t.deepEqual(Buffer.from(of(1)), Buffer.from(parsePeerId(node.network.self)))
  t.true(verify(inlinePublicKey(of(1))!, signed, of(5)))

  const answers = await listen(node, topic)
  const read = answers.next()
  await until('the node says what it listens to', () => got.some(([place]) => place === 'subscription 1'))
  await until('the node takes the peer into its mesh', () => got.some(([place]) => place === 'control 3'))
  await peer.publish({ topic, data: Buffer.from('from a stranger'), sequence: 1n })
  t.deepEqual((await read).value.topicIDs, [inBase64url(topic)])
  // a peer that leaves the mesh is told of messages instead of getting them
  await peer.write([[3, writeFields([[4, writeFields([[1, topic]])]])]])
  await until('the node says what it has', () => got.some(([place]) => place === 'control 1'))
  await answers.return?.()
  await until('the node listens no more', () => got.some(([place]) => place === 'subscription 0'))
  t.deepEqual(new Set(got.map(([, name]) => name)), new Set([topic.toString('hex')]))
})

for (const [title, count, length] of [
  ['more topics than one frame may name', 6_000, 10],
  ['topics that are longer than one frame together', 1_200, 1_200]
] as const) {
  test(`peers that come to a node that listens to ${title} know what it listens to`, async t => {
    const [node, peer] = await Promise.all([onlineNode(t, { on }), onlineNode(t, { on })])
    for (let i = 0; i < count; i++) service(node).subscribe(`${i}`.padStart(length, '.'))
    await peer.network.dial(node.network.self, node.network.announced())
    await until('the peer knows who listens', () => service(peer).peers('0'.padStart(length, '.')).includes(node.network.self))
    await service(peer).publish('0'.padStart(length, '.'), Buffer.from('hello'))
    t.true(service(peer).peers().includes(node.network.self))
  })
}

test('a topic that a plugin names by a text that UTF-8 does not have is the one that the wire has of it', async t => {
  const [a, b] = await pair(t)
  const messages = service(a).subscribe('\ud800')[Symbol.asyncIterator]()
  t.deepEqual(await topicsOf(a), [inBase64url(encodeUtf8('\ufffd'))])
  await until('the peer knows who listens', () => service(b).peers('\ufffd').includes(a.network.self))
  await service(b).publish('\ud800', Buffer.from('here'))
  t.is(Buffer.from((await messages.next()).value.data).toString(), 'here')
})

test('in each place of an RPC, a topic of any bytes is written and read as it is', t => {
  keepTopicBytes(RPC)
  const topics = fc.oneof(
    fc.uint8Array({ maxLength: 60 }),
    fc.string({ unit: 'grapheme', maxLength: 40 }).map(text => Buffer.from(text))
  )
  const named = (field: number, topic: Uint8Array) => [field, writeFields([[1, topic]])] as Field
  fc.assert(
    fc.property(fc.array(topics, { minLength: 5, maxLength: 5 }), ([a, b, c, d, e]) => {
      const subscription = writeFields([
        [1, 1],
        [2, a!]
      ])
      // an empty topic of a message is its default, and not written
      const message = writeFields(b!.length === 0 ? [] : [[4, b!]])
      const wire = writeFields([
        [1, subscription],
        [2, message],
        [3, writeFields([named(1, c!), named(3, d!), named(4, e!)])]
      ])
      const rpc = RPC.decode(wire)
      const { ihave, graft, prune } = rpc.control!
      t.deepEqual(
        [rpc.subscriptions[0]!.topic, rpc.messages[0]!.topic, ihave[0]!.topicID, graft[0]!.topicID, prune[0]!.topicID],
        [a, b, c, d, e].map(topic => decodeUtf8(topic!))
      )
      t.deepEqual(Buffer.from(RPC.encode(rpc)), Buffer.from(wire))
      t.deepEqual(Buffer.from(RPC.Message.encode(rpc.messages[0]!)), Buffer.from(message))
    }),
    { numRuns: 300 }
  )
})

const hex = (value: Uint8Array | number | undefined) => (value instanceof Uint8Array ? Buffer.from(value).toString('hex') : `${value}`)

function fieldOf(message: Uint8Array | number, number: number): Uint8Array | number | undefined {
  return [...readFields(message as Uint8Array, wrong)].find(([one]) => one === number)?.[1]
}
