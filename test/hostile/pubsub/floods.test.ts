/** Peers that flood what travels over pubsub, and leave streams of services half open: the node serves others meanwhile, and keeps nothing for ever. */
import { once } from 'node:events'
import { connect } from 'node:net'
import test from 'ava'
import { NameSubscriptions, Names, Pubsub } from '../../../core/index.ts'
import { formatName, parseName, routingKey } from '../../../core/ipns/index.ts'
import { topicOf } from '../../../plugins/name-pubsub/topic.ts'
import { settledMemory } from '../../helpers/memory.ts'
import { onlineNode } from '../../helpers/online.ts'
import { until } from '../../helpers/until.ts'
import { recordOf, signer } from '../../plugins/name/helpers.ts'
import { client, forwarded, mountingNode, pair, tcpService, textUntilEnd } from '../../plugins/p2p/helpers.ts'
import { droppedOf, RawPeer } from '../../plugins/pubsub/raw.ts'

test.serial('a peer that subscribes to topics without end is remembered with so many, and others get their messages', async t => {
  const [node, friend] = await Promise.all([1, 2].map(() => onlineNode(t, { on: { gossipsub: { enabled: true } } })))
  const pubsub = node!.host.service(Pubsub)!
  const flooding = await RawPeer.open(await onlineNode(t), node!)
  let next = 0
  const before = await settledMemory()
  for (let round = 0; round < 40; round++) await flooding.subscribe(Array.from({ length: 2_500 }, () => `${'flood'.repeat(20)}-${next++}`))
  const messages = pubsub.subscribe('news')[Symbol.asyncIterator]()
  await friend!.network.dial(node!.network.self, node!.network.announced())
  const there = friend!.host.service(Pubsub)!
  await until('the friend knows who listens', () => there.peers('news').includes(node!.network.self))
  await there.publish('news', Buffer.from('hello'))
  t.is(Buffer.from((await messages.next()).value.data).toString(), 'hello')
  // the flood is read to its end
  await flooding.publish({ topic: 'news', data: Buffer.from('the last word') })
  t.is(Buffer.from((await messages.next()).value.data).toString(), 'the last word')
  // a million bytes of topics, with what is around each
  const growth = (await settledMemory()) - before
  t.true(growth < 16, `${growth.toFixed(1)} MiB for ${next} topics`)
})

test('records without end, junk and good ones, are judged one by one: the node keeps one of each name, and no more than so many names', async t => {
  const node = await onlineNode(t, {
    node: { 'Routing.Type': 'none', 'Ipns.UsePubsub': true },
    on: { 'name-pubsub': { maxNames: 50 } }
  })
  const names = node.host.service(Names)!
  const by = await signer()
  const name = formatName(parseName(by.peerId))
  await t.throwsAsync(names.resolve(`/ipns/${name}`))
  const topic = topicOf(routingKey(parseName(name)))
  const flooding = await RawPeer.open(await onlineNode(t), node)
  let number = 1n
  const send = (data: Uint8Array) => flooding.publish({ topic, data, sequence: number++ })
  for (let i = 0; i < 500; i++) {
    await send(Buffer.alloc(10_000, i))
    await send(await recordOf(by, { sequence: BigInt(i), path: `/ipfs/bafkqaaa/${i}` }))
  }
  await until(
    'the last one is there',
    async () => (await names.resolve(`/ipns/${name}`).catch(() => undefined))?.path === '/ipfs/bafkqaaa/499'
  )
  t.is(await droppedOf(node, 'invalid'), 500)
  for (let i = 0; i < 200; i++) await names.resolve(`/ipns/${formatName(parseName((await signer()).peerId))}`).catch(() => {})
  t.is(node.host.service(NameSubscriptions)!.list().length, 50)
})

test('questions of the fetch protocol that are never asked, never end or are too large are given up, and others are answered', async t => {
  const node = await onlineNode(t, {
    node: { 'Routing.Type': 'none', 'Ipns.UsePubsub': true },
    on: { 'name-pubsub': { fetchTimeout: 1_000, maxInbound: 4 } }
  })
  const [{ name }, bad] = [await node.host.service(Names)!.publish('/ipfs/bafkqaaa', { allowOffline: true }), await onlineNode(t)]
  await bad.network.dial(node.network.self, node.network.announced())
  const open = () => bad.network.open(node.network.self, '/libp2p/fetch/0.0.1')
  const beginnings = [Buffer.alloc(0), Buffer.from([0xff, 0xff, 0xff, 0xff, 0x7f]), Buffer.from([50, 1, 2]), Buffer.from([2, 0x0f, 0])]
  for (let round = 0; round < 5; round++) {
    const streams = await Promise.all(beginnings.map(open))
    await Promise.all(
      streams.map(async (stream, i) => {
        try {
          await stream.write(beginnings[i]!)
          for await (const _ of stream);
        } catch {
          // torn, as it should be
        }
      })
    )
  }
  const other = await onlineNode(t, { node: { 'Routing.Type': 'none', 'Ipns.UsePubsub': true } })
  await other.network.dial(node.network.self, node.network.announced())
  await until('another gets its answer', () =>
    other.host
      .service(Names)!
      .resolve(`/ipns/${name}`)
      .catch(() => undefined)
  )
  t.pass()
})

test('streams of a service whose peer ends one side, and is silent then, are torn in time, and their places are free again', async t => {
  const { near, far } = await pair(t, { p2p: { maxStreams: 16, halfOpenTimeout: 1_000 } })
  const service = await tcpService(t, socket => void socket.resume())
  await far.host.call('p2p/listen', { args: ['/x/silent', service] })
  const port = await forwarded(near, far, '/x/silent')
  for (let round = 0; round < 3; round++) {
    const sockets = Array.from({ length: 8 }, () => connect({ port, host: '127.0.0.1', allowHalfOpen: true }))
    t.teardown(() => sockets.forEach(socket => void socket.destroy()))
    const closed = sockets.map(
      socket =>
        new Promise(
          resolve =>
            void socket
              .on('error', () => {})
              .on('close', resolve)
              .resume()
        )
    )
    await Promise.all(sockets.map(socket => once(socket, 'connect')))
    for (const socket of sockets) socket.end('that is all')
    await Promise.all(closed)
    for (const { host } of [near, far]) {
      await until('none is open', async () => ((await host.call('p2p/stream/ls')) as { Streams: unknown[] | null }).Streams === null)
    }
  }
  t.pass()
})

test('a peer that opens all the streams of a service that it can, and reads none, leaves places to others', async t => {
  const { near, far } = await pair(t, { p2p: { maxStreams: 8 } })
  const service = await tcpService(t, socket => {
    socket.write(Buffer.alloc(100_000))
    socket.on('error', () => {}).end()
  })
  await far.host.call('p2p/listen', { args: ['/x/files', service] })
  const streams = await Promise.all(
    Array.from({ length: 20 }, () => near.network.open(far.network.self, '/x/files').catch(() => undefined))
  )
  t.teardown(() => streams.forEach(stream => void stream?.abort()))
  const listing = async () => ((await far.host.call('p2p/stream/ls')) as { Streams: unknown[] | null }).Streams?.length ?? 0
  await until('it has its share', async () => (await listing()) === 7)
  const friend = await mountingNode(t)
  await friend.network.dial(far.network.self, far.network.announced())
  const socket = await client(t, await forwarded(friend, far, '/x/files'))
  socket.end()
  t.is((await textUntilEnd(socket)).length, 100_000)
  t.is(await listing(), 7)
})
