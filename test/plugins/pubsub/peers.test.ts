import { gossipsub, type Message } from '@libp2p/gossipsub'
import { identify } from '@libp2p/identify'
import { multiaddr } from '@multiformats/multiaddr'
import test, { type ExecutionContext } from 'ava'
import { Pubsub } from '../../../core/index.ts'
import { libp2pNode } from '../../helpers/libp2p.ts'
import { type OnlineNode, onlineNode } from '../../helpers/online.ts'
import { until } from '../../helpers/until.ts'

const service = (node: OnlineNode) => node.host.service(Pubsub)!

/** The published implementation on plain libp2p, connected with the node and listening to the topic, as the node knows. */
async function plain(t: ExecutionContext, node: OnlineNode, topic: string) {
  const libp2p = await libp2pNode(t, {
    services: { identify: identify(), pubsub: gossipsub({ allowPublishToZeroTopicPeers: true }) }
  })
  const { pubsub } = libp2p.services
  const received: Message[] = []
  pubsub.addEventListener('message', ({ detail }) => received.push(detail))
  pubsub.subscribe(topic)
  const [address] = node.network.announced()
  await libp2p.dial(multiaddr(`${address}/p2p/${node.network.self}`))
  const id = libp2p.peerId.toString()
  await until('the node knows who listens', () => service(node).peers(topic).includes(id))
  return { pubsub, received, id, libp2p }
}

test('messages go to the published implementation of gossipsub and come from it', async t => {
  const node = await onlineNode(t, { on: { gossipsub: { enabled: true } } })
  const { pubsub, received, id } = await plain(t, node, 'news')
  await service(node).publish('news', Buffer.from('there'))
  await until('the message is there', () => received.length > 0)
  const [message] = received
  t.is(Buffer.from(message!.data).toString(), 'there')
  t.is(message!.type === 'signed' ? message!.from.toString() : '', node.network.self)
  const subscription = service(node).subscribe('news')[Symbol.asyncIterator]()
  await until('the peer knows who listens', () => pubsub.getSubscribers('news').some(peer => peer.toString() === node.network.self))
  await pubsub.publish('news', Buffer.from('and back'))
  const { value } = await subscription.next()
  t.is(value.from, id)
  t.is(Buffer.from(value.data).toString(), 'and back')
  await subscription.return?.()
})

test('a peer whose message is too large is listened to no more', async t => {
  const node = await onlineNode(t, { on: { gossipsub: { enabled: true, maxMessage: 1024 } } })
  const { pubsub, id } = await plain(t, node, 'news')
  service(node).subscribe('news')
  await until('the peer knows who listens', () => pubsub.getSubscribers('news').some(peer => peer.toString() === node.network.self))
  await pubsub.publish('news', Buffer.alloc(200_000))
  await until('the peer is left', () => !service(node).peers().includes(id))
  t.pass()
})

test('a peer that reads nothing is left when too much waits for it, and others get their messages', async t => {
  const node = await onlineNode(t, { on: { gossipsub: { enabled: true, maxUnsent: 1_500_000 } } })
  const { received } = await plain(t, node, 'news')
  const slow = await plain(t, node, 'news')
  // its end of the node's stream takes nothing any more
  for (const connection of slow.libp2p.getConnections()) {
    for (const stream of connection.streams) if (stream.protocol.startsWith('/meshsub/')) stream.pause()
  }
  let sent = 0
  await until('the peer is left', async () => {
    await service(node).publish('news', Buffer.alloc(500_000))
    sent++
    await until('the other has it', () => received.length === sent)
    return !service(node).peers().includes(slow.id)
  })
  t.true(sent > 1, 'not for one message')
  t.true(slow.received.length < sent)
})
