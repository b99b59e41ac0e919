import test from 'ava'
import { Pubsub, type PubsubMessage, type PubsubSubscription } from '../../../core/index.ts'
import { upload } from '../../../host/testing.ts'
import { SeenMessages } from '../../../plugins/gossipsub/seen.ts'
import { Subscription } from '../../../plugins/gossipsub/subscription.ts'
import { type OnlineNode, onlineNode } from '../../helpers/online.ts'
import { until } from '../../helpers/until.ts'

const on = { gossipsub: { enabled: true } }
const inTopic = (text: string) => `u${Buffer.from(text).toString('base64url')}`
const service = (node: OnlineNode) => node.host.service(Pubsub)!

async function next(subscription: PubsubSubscription): Promise<PubsubMessage> {
  const { value } = await subscription[Symbol.asyncIterator]().next()
  return value as PubsubMessage
}

/** Two nodes of which the second knows that the first listens to the topic. */
async function listening(t: Parameters<typeof onlineNode>[0], options: Parameters<typeof onlineNode>[1], topic: string) {
  const [a, b] = await Promise.all([onlineNode(t, options), onlineNode(t, options)])
  await a.network.dial(b.network.self, b.network.announced())
  const subscription = service(a).subscribe(topic)
  await until('the peer knows who listens', () => service(b).peers(topic).includes(a.network.self))
  return { a, b, subscription }
}

for (const router of ['gossipsub', 'floodsub']) {
  test(`with ${router}, a message goes to the peers that listen, and to subscribers of the node itself`, async t => {
    const topic = 'news \u00fc\n'
    const { a, b, subscription } = await listening(t, { on, node: { 'Pubsub.Router': router } }, topic)
    const publisher = service(b).subscribe(topic)
    const data = Buffer.from([0, 255, 10, 13])
    await b.host.call('pubsub/pub', { args: [inTopic(topic)], body: upload(data) })
    for (const message of [await next(subscription), await next(publisher)]) {
      t.is(message.from, b.network.self)
      t.is(message.topic, topic)
      t.deepEqual(Buffer.from(message.data), data)
      t.is(message.sequence.length, 8)
    }
    t.deepEqual(await b.host.call('pubsub/peers', { args: [inTopic(topic)] }), { Strings: [a.network.self] })
    t.deepEqual(await b.host.call('pubsub/ls'), { Strings: [inTopic(topic)] })
    t.is(a.network.protocols().includes('/meshsub/1.1.0'), router === 'gossipsub')
    publisher.close()
    t.deepEqual(await b.host.call('pubsub/ls'), { Strings: null })
  })
}

test('messages without signatures go between nodes that sign none, and others drop them', async t => {
  const { b, subscription } = await listening(t, { on, node: { 'Pubsub.DisableSigning': true } }, 'quiet')
  const signing = await onlineNode(t, { on })
  await signing.network.dial(b.network.self, b.network.announced())
  const theirs = service(signing).subscribe('quiet')
  await until('the peer knows who listens', () => service(b).peers('quiet').includes(signing.network.self))
  await service(b).publish('quiet', Buffer.from('unsigned'))
  const message = await next(subscription)
  t.is(message.from, '')
  t.is(message.sequence.length, 0)
  await service(signing).publish('quiet', Buffer.from('signed'))
  t.is(Buffer.from((await next(theirs)).data).toString(), 'signed', 'its own message is the first that it gets')
})

test('a message that is too large is refused', async t => {
  const node = await onlineNode(t, { on: { gossipsub: { enabled: true, maxMessage: 2000 } } })
  const pub = (topic: string, size: number) => node.host.call('pubsub/pub', { args: [topic], body: upload(Buffer.alloc(size)) })
  await t.throwsAsync(pub('uYQ', 2001), { code: 'E_PUBSUB_TOO_LARGE' })
  await t.notThrowsAsync(pub('uYQ', 2000))
})

test('a node on which pubsub is off says how to switch it on', async t => {
  const node = await onlineNode(t)
  t.false(service(node).enabled)
  await t.throwsAsync(async () => node.host.call('pubsub/ls'), { code: 'E_PUBSUB_OFF' })
  await t.throwsAsync(async () => node.host.call('pubsub/sub', { args: ['uYQ'] }), { code: 'E_PUBSUB_OFF' })
})

test('a subscriber that takes nothing misses what there is no room for, and gets what waited', async t => {
  let dropped = 0
  let closed = 0
  const controller = new AbortController()
  const subscription = new Subscription({
    most: 3000,
    signal: controller.signal,
    onDropped: () => dropped++,
    onClosed: () => closed++
  })
  const message = (first: number) => ({ from: '', topic: 'a', data: Buffer.alloc(1000, first), sequence: new Uint8Array() })
  for (const first of [1, 2, 3, 4]) subscription.push(message(first))
  t.is(dropped, 2)
  t.is((await next(subscription)).data[0], 1)
  subscription.push(message(5))
  t.is((await next(subscription)).data[0], 2)
  t.is((await next(subscription)).data[0], 5)
  const waiting = subscription.next()
  controller.abort(new Error('the caller has left'))
  await t.throwsAsync(waiting, { message: 'the caller has left' })
  t.is(closed, 1)
})

test('messages that are asked for before they come are given in their order, and who still asks at the end is told', async t => {
  const subscription = new Subscription({ most: 3000, signal: undefined, onDropped: () => {}, onClosed: () => {} })
  const asked = [1, 2, 3, 4].map(() => subscription.next())
  for (const first of [1, 2]) subscription.push({ from: '', topic: 'a', data: Buffer.of(first), sequence: new Uint8Array() })
  const got = await Promise.all(asked.slice(0, 2))
  t.deepEqual(
    got.map(({ value }) => value.data[0]),
    [1, 2]
  )
  subscription.close()
  t.deepEqual(
    (await Promise.all(asked.slice(2))).map(({ done }) => done),
    [true, true]
  )
})

test('a message counts as seen for its time, which begins anew where the strategy says so, and so many are remembered', t => {
  let now = 0
  const first = new SeenMessages({ ttl: 10, renews: false, most: 2 }, () => now)
  const last = new SeenMessages({ ttl: 10, renews: true, most: 2 }, () => now)
  for (const seen of [first, last]) seen.put('a')
  now = 6
  t.true(first.has('a') && last.has('a'))
  now = 12
  t.false(first.has('a'))
  t.true(last.has('a'))
  for (const id of ['b', 'c']) last.put(id)
  t.deepEqual(
    ['a', 'b', 'c'].map(id => last.has(id)),
    [false, true, true]
  )
  now = 30
  last.prune()
  t.is(last.size, 0)
})

test('messages of a peer are forgotten, or those of all, and the peers counted', async t => {
  const { a, b, subscription } = await listening(t, { on }, 'news')
  const reset = async (peer?: string) => ((await a.host.call('pubsub/reset', { options: { peer } })) as { deleted: number }).deleted
  t.is(await reset(), 0)
  await service(b).publish('news', Buffer.from('1'))
  await next(subscription)
  t.is(await reset('12D3KooWHLYxZ2f7Uoe6gZ1YwRhcEppr4AXH4wsGDeTdcvfhvpcG'), 0)
  t.is(await reset(b.network.self), 1)
  t.is(await reset(b.network.self), 0)
  await service(b).publish('news', Buffer.from('2'))
  await next(subscription)
  t.is(await reset(), 1)
  await t.throwsAsync(reset('nonsense'), {
    message: 'invalid peer ID: failed to parse peer ID: invalid cid: selected encoding not supported'
  })
  const off = await onlineNode(t)
  t.deepEqual(await off.host.call('pubsub/reset'), { deleted: 0 })
})

test('what was forgotten is taken as new', t => {
  const seen = new SeenMessages({ ttl: 1000, renews: false, most: 10 })
  for (const id of ['a1', 'a2', 'b1']) seen.put(id)
  t.deepEqual(
    seen.forget(id => id.startsWith('a')),
    ['a1', 'a2']
  )
  t.deepEqual([seen.put('a1'), seen.put('b1')], [false, true])
})
