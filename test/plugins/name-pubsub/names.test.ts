import test, { type ExecutionContext } from 'ava'
import { Logs } from '../../../core/index.ts'
import { formatName, nowInNanoseconds, parseName } from '../../../core/ipns/index.ts'
import { dhtNode, tableOf } from '../../helpers/dht.ts'
import { type OnlineNode, onlineNode } from '../../helpers/online.ts'
import { until } from '../../helpers/until.ts'
import { EMPTY_FOLDER, HOUR, keysOf, recordOf, signer } from '../name/helpers.ts'
import { knowsOf, meet, namesOf, plainPeer, pubsubNode, subscriptionsOf, topicOfName } from './helpers.ts'

const at = (name: string) => `/ipns/${name}`

/** What the plugin logs from now on. */
function debugLines(t: ExecutionContext, { host }: OnlineNode): readonly string[] {
  const lines: string[] = []
  const over = new AbortController()
  t.teardown(() => over.abort())
  const read = async () => {
    for await (const line of host.service(Logs)!.tail(over.signal)) lines.push(line)
  }
  read().catch(() => {})
  host.service(Logs)!.setLevel('name-pubsub', 'debug')
  return lines
}

test('a name that is published at one node resolves at another over pubsub, and what is published next is there at once', async t => {
  const [one, other] = await Promise.all([pubsubNode(t), pubsubNode(t)])
  await meet(one, other)
  const { name } = await namesOf(one).publish(`${EMPTY_FOLDER}/1`)
  await knowsOf(other, one.network.self, name)
  t.is((await namesOf(other).resolve(at(name))).path, `${EMPTY_FOLDER}/1`)
  await knowsOf(one, other.network.self, name)
  await namesOf(one).publish(`${EMPTY_FOLDER}/2`)
  await until('the second one is there', async () => (await namesOf(other).resolve(at(name))).path === `${EMPTY_FOLDER}/2`)
  t.deepEqual(await other.host.call('name/pubsub/subs'), { Strings: [`/ipns/${name}`] })
  t.deepEqual(await other.host.call('name/pubsub/state'), { Enabled: true })
  t.true(one.network.protocols().includes('/libp2p/fetch/0.0.1'))
})

test('a node that was not there when a name was published gets it from whoever has subscribed, also where its publisher is gone', async t => {
  const [one, middle] = await Promise.all([pubsubNode(t), pubsubNode(t)])
  await meet(one, middle)
  const { name } = await namesOf(one).publish(`${EMPTY_FOLDER}/1`)
  await knowsOf(middle, one.network.self, name)
  await namesOf(middle).resolve(at(name))
  await one.host.stop()
  const late = await pubsubNode(t)
  // subscribed before it meets anybody: it asks those that join
  await t.throwsAsync(namesOf(late).resolve(at(name)), { message: 'could not resolve name' })
  await meet(late, middle)
  await until('it is there', async () => (await namesOf(late).record(name)) !== undefined)
  t.is((await namesOf(late).resolve(at(name))).path, `${EMPTY_FOLDER}/1`)
})

test('without pubsub, a name travels over the DHT', async t => {
  const [one, other] = await Promise.all([dhtNode(t), dhtNode(t)])
  await one.network.dial(other.network.self, other.network.announced())
  await Promise.all([tableOf(one.host, 1), tableOf(other.host, 1)])
  const { name } = await namesOf(one).publish(`${EMPTY_FOLDER}/1`)
  t.is((await namesOf(other).resolve(at(name))).path, `${EMPTY_FOLDER}/1`)
  t.false(subscriptionsOf(one).enabled)
  t.false(one.network.protocols().includes('/libp2p/fetch/0.0.1'))
  t.deepEqual(await one.host.call('name/pubsub/state'), { Enabled: false })
  await t.throwsAsync(async () => one.host.call('name/pubsub/subs'), { message: 'IPNS pubsub subsystem is not enabled' })
})

test('a record that is expired, older, signed by another, changed or too large is refused, and says why', async t => {
  const node = await pubsubNode(t)
  const lines = debugLines(t, node)
  const { pubsub } = await plainPeer(t, node)
  const by = await signer()
  const name = formatName(parseName(by.peerId))
  await t.throwsAsync(namesOf(node).resolve(at(name)), { message: 'could not resolve name' })
  const topic = topicOfName(name)
  await until('the peer knows who listens', () => pubsub.getSubscribers(topic).length === 1)
  const good = await recordOf(by, { sequence: 5n })
  await pubsub.publish(topic, good)
  await until('the good one is there', async () => (await namesOf(node).record(name)) !== undefined)
  const changed = Uint8Array.from(good)
  changed[changed.length - 1] = changed.at(-1)! ^ 1
  const bad: ReadonlyArray<readonly [string, Uint8Array]> = [
    ['record is expired', await recordOf(by, { sequence: 9n, end: nowInNanoseconds() - HOUR })],
    ["can't replace a newer record with an older one", await recordOf(by, { sequence: 4n })],
    [
      'record public key does not match the expected public key|signature verification failed',
      await recordOf(await signer(), { sequence: 9n })
    ],
    ['record exceeds allowed size limit', Buffer.alloc(10_241)],
    ['record is malformed', Buffer.from('junk')]
  ]
  for (const [text, record] of bad) {
    await pubsub.publish(topic, record)
    await until(text, () => lines.some(line => new RegExp(text).test(line) && line.includes(name)))
  }
  t.deepEqual(Buffer.from((await namesOf(node).record(name))!), Buffer.from(good))
})

test('a subscription ends when it is cancelled, and all of them with the node', async t => {
  const node = await pubsubNode(t)
  const { name } = await namesOf(node).publish(EMPTY_FOLDER)
  t.deepEqual(await node.host.call('name/pubsub/cancel', { args: [name] }), { Canceled: true })
  t.deepEqual(await node.host.call('name/pubsub/cancel', { args: [at(name)] }), { Canceled: false })
  t.deepEqual(await node.host.call('name/pubsub/subs'), { Strings: null })
  await t.throwsAsync(async () => node.host.call('name/pubsub/cancel', { args: ['nope'] }), { message: /^failed to parse peer ID: / })
})

test('so many names are subscribed to: the one that was asked for the longest ago is given up, one that this node has published last', async t => {
  const node = await pubsubNode(t, { maxNames: 3 })
  const { name: published } = await namesOf(node).publish(EMPTY_FOLDER)
  const others: string[] = []
  for (let i = 0; i < 4; i++) {
    others.push(formatName(parseName((await signer()).peerId)))
    await t.throwsAsync(namesOf(node).resolve(at(others[i]!)))
  }
  t.deepEqual(subscriptionsOf(node).list().map(formatName), [published, others[2]!, others[3]!])
  for (const key of ['a', 'b', 'c']) {
    await keysOf(node.host).generate(key)
    await namesOf(node).publish(EMPTY_FOLDER, { key })
  }
  t.is(subscriptionsOf(node).list().length, 3)
  t.false(subscriptionsOf(node).list().map(formatName).includes(published))
})

test('records are sent again from time to time, to who has missed them', async t => {
  const [one, other] = await Promise.all([pubsubNode(t, { rebroadcastInterval: 1000 }), pubsubNode(t, { maxWaiting: 1 })])
  const { name } = await namesOf(one).publish(`${EMPTY_FOLDER}/1`)
  const { pubsub, id } = await plainPeer(t, one)
  const seen: string[] = []
  pubsub.addEventListener('message', ({ detail }) => seen.push(detail.topic))
  pubsub.subscribe(topicOfName(name))
  await knowsOf(one, id, name)
  await until('it is sent twice', () => seen.length >= 2)
  t.is(seen[0], topicOfName(name))
  t.deepEqual(subscriptionsOf(other).list(), [])
})

test('where pubsub is switched off in the host configuration, names do not travel over it', async t => {
  const node = await onlineNode(t, { node: { 'Ipns.UsePubsub': true }, on: { gossipsub: { enabled: false } } })
  t.false(subscriptionsOf(node).enabled)
  t.deepEqual(await node.host.call('name/pubsub/state'), { Enabled: false })
})
