import test from 'ava'
import { Pubsub } from '../../../core/index.ts'
import { writeFields } from '../../../core/network/index.ts'
import { onlineNode } from '../../helpers/online.ts'
import { until } from '../../helpers/until.ts'
import { droppedOf, hear, RawPeer } from './raw.ts'

const nanoseconds = (milliseconds: number) => BigInt(milliseconds) * 1_000_000n

test('a message that is unsigned, changed, from the future, seen before or too large is dropped and counted, and all others arrive', async t => {
  const node = await onlineNode(t, { on: { gossipsub: { enabled: true, maxMessage: 1024, maxAhead: 60_000 } } })
  const peer = await RawPeer.open(await onlineNode(t), node)
  const got: string[] = []
  const read = async () => {
    for await (const { data } of node.host.service(Pubsub)!.subscribe('news')) got.push(Buffer.from(data).toString())
  }
  read().catch(() => {})
  const message = (text: string, more = {}) => ({ topic: 'news', data: Buffer.from(text), ...more })
  const now = nanoseconds(Date.now())
  await peer.publish(message('unsigned', { signed: false }))
  await peer.publish(message('far ahead', { sequence: now + nanoseconds(3_600_000) }))
  await peer.publish(message('a little ahead', { sequence: now + nanoseconds(1_000) }))
  await peer.publish(message('once', { sequence: now }), message('once', { sequence: now }))
  await until('what is good is there', () => got.length === 2)
  t.deepEqual(got, ['a little ahead', 'once'])
  await until('what is seen again is counted', async () => (await droppedOf(node, 'seen')) === 1)
  t.deepEqual(await Promise.all(['unsigned', 'future', 'invalid', 'too large'].map(reason => droppedOf(node, reason))), [1, 1, 0, 0])
  await peer.publish({ ...message(''), data: Buffer.alloc(200_000), sequence: now + 1n })
  await until('what is too large is counted', async () => (await droppedOf(node, 'too large')) === 1)
  t.is(got.length, 2)
})

test('without a limit, senders may number as they like', async t => {
  const node = await onlineNode(t, { on: { gossipsub: { enabled: true } } })
  const peer = await RawPeer.open(await onlineNode(t), node)
  const messages = node.host.service(Pubsub)!.subscribe('news')[Symbol.asyncIterator]()
  await peer.publish({ topic: 'news', data: Buffer.from('from afar'), sequence: 2n ** 64n - 1n })
  t.is(Buffer.from((await messages.next()).value.data).toString(), 'from afar')
})

test('who judges the messages of a topic decides who gets them', async t => {
  const node = await onlineNode(t, { on: { gossipsub: { enabled: true } } })
  const pubsub = node.host.service(Pubsub)!
  const peer = await RawPeer.open(await onlineNode(t), node)
  const messages = pubsub.subscribe('news')[Symbol.asyncIterator]()
  const check = pubsub.check('news', ({ data }) => (['accept', 'ignore', 'reject'] as const)[data[0]!]!)
  t.throws(() => pubsub.check('news', () => 'accept'), { code: 'E_PUBSUB_CHECKED' })
  const send = (verdict: number, sequence: bigint) => peer.publish({ topic: 'news', data: Buffer.from([verdict]), sequence })
  await send(1, 1n)
  await send(2, 2n)
  await send(0, 3n)
  t.deepEqual([...(await messages.next()).value.data], [0])
  t.is(await droppedOf(node, 'invalid'), 1, 'what is ignored is not invalid')
  check.release()
  await send(2, 4n)
  t.deepEqual([...(await messages.next()).value.data], [2])
})

test('a message of the node itself that a peer sends back is not given again, also when it is not remembered any more', async t => {
  const [node, bare] = await Promise.all([onlineNode(t, { on: { gossipsub: { enabled: true } } }), onlineNode(t)])
  const pubsub = node.host.service(Pubsub)!
  const sent: Uint8Array[] = []
  await hear(bare, ([number, value]) => void (number === 2 && sent.push(Uint8Array.from(value as Uint8Array))))
  const peer = await RawPeer.open(bare, node)
  await peer.subscribe(['news'])
  await until('the node knows who listens', () => pubsub.peers('news').includes(bare.network.self))
  const messages = pubsub.subscribe('news')[Symbol.asyncIterator]()
  await pubsub.publish('news', Buffer.from('of the node'))
  t.is(Buffer.from((await messages.next()).value.data).toString(), 'of the node')
  await until('the peer has it', () => sent.length === 1)
  pubsub.forgetSeen()
  await peer.write([[2, sent[0]!]])
  await peer.publish({ topic: 'news', data: Buffer.from('of the peer') })
  t.is(Buffer.from((await messages.next()).value.data).toString(), 'of the peer')
  t.is(await droppedOf(node, 'seen'), 1)
})

test('where messages are not signed, one that names its sender, its number or a key is dropped', async t => {
  const node = await onlineNode(t, { on: { gossipsub: { enabled: true } }, node: { 'Pubsub.DisableSigning': true } })
  const peer = await RawPeer.open(await onlineNode(t), node)
  const messages = node.host.service(Pubsub)!.subscribe('news')[Symbol.asyncIterator]()
  const plain = (text: string) => [[2, Buffer.from(text)] as const, [4, Buffer.from('news')] as const] as const
  for (const number of [1, 3, 5, 6]) await peer.write([[2, writeFields([...plain(`with ${number}`), [number, Buffer.alloc(8)]])]])
  await peer.write([[2, writeFields(plain('bare'))]])
  t.is(Buffer.from((await messages.next()).value.data).toString(), 'bare')
  t.is(await droppedOf(node, 'invalid'), 4)
})
