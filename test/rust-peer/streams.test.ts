/** rust-libp2p alone, as it comes, and this node: secure channels, what each says of itself, ping, streams, relays and messages. */
import { randomBytes } from 'node:crypto'
import type { Libp2p } from '@libp2p/interface'
import { Pubsub } from '../../core/index.ts'
import { type OnlineNode, onlineNode } from '../helpers/online.ts'
import { until } from '../helpers/until.ts'
import { ECHO, RustPeer, withRust } from './peer.ts'

/** More than a stream's windows hold. */
const LONG = randomBytes(1_000_000)

/** Protocols of the node of rust-libp2p; it takes those of pubsub back once it has met a peer that does not speak them. */
const SERVED = [
  '/ipfs/id/1.0.0',
  '/ipfs/id/push/1.0.0',
  '/ipfs/lan/kad/1.0.0',
  '/ipfs/ping/1.0.0',
  '/libp2p/circuit/relay/0.2.0/stop',
  ECHO
]

/** The address at which a peer says that it has seen the node. */
function seenBy(node: OnlineNode, peer: string): Promise<string | undefined> {
  return new Promise(resolve =>
    node.network.libp2p<Libp2p>().addEventListener('peer:identify', ({ detail }) => {
      if (detail.peerId.toString() === peer) resolve(detail.observedAddr?.toString())
    })
  )
}

async function all(stream: AsyncIterable<Uint8Array>): Promise<Buffer> {
  const parts: Uint8Array[] = []
  for await (const part of stream) parts.push(part)
  return Buffer.concat(parts)
}

for (const security of ['noise', 'tls'] as const) {
  for (const dialler of ['this node', 'rust-libp2p']) {
    withRust(`what each says of itself is known to the other, and both ping, over ${security} when ${dialler} dials`, async t => {
      const [node, rust] = await Promise.all([onlineNode(t), RustPeer.start(t, security)])
      const seen = seenBy(node, rust.id)
      if (dialler === 'this node') await node.network.dial(rust.id, [rust.address])
      else t.is(await rust.ask('dial', node.addresses()[0]!), node.network.self)
      const told = await rust.hears('identified')
      t.like(told, { peer: node.network.self, agent: node.network.agent, version: '' })
      t.deepEqual([...told.protocols].sort(), [...node.network.protocols()])
      t.deepEqual(told.addresses, [...node.network.announced()])
      t.is(told.observed, node.network.connections(rust.id)[0]!.address)
      t.is(await seen, (dialler === 'this node' ? await rust.hears('connected') : { address: node.network.announced()[0] }).address)
      t.like(await node.network.peer(rust.id), { agent: 'rust-peer', addresses: [rust.address] })
      await until('its protocols are known', async () => (await node.network.peer(rust.id))!.protocols.toSorted().join() === SERVED.join())
      t.true((await node.network.ping(rust.id)) >= 0)
      t.true((await rust.hears('ping', ({ peer }) => peer === node.network.self)).ms > 0)
      // what changes is told
      await node.network.handle('/x/new', () => {})
      await rust.hears('identified', ({ protocols }) => protocols.includes('/x/new'))
      await rust.ask('listen', '/ip4/127.0.0.1/tcp/0')
      await until('the node is told of a new address', async () => (await node.network.peer(rust.id))!.addresses.length === 2)
    })
  }

  withRust(`a stream of rust-libp2p that one side has ended still brings what the other writes, over ${security}`, async t => {
    const [node, rust] = await Promise.all([onlineNode(t), RustPeer.start(t, security)])
    await node.network.handle('/x/echo', async stream => {
      const got = await all(stream)
      await stream.write(got)
      await stream.end()
    })
    await node.network.dial(rust.id, [rust.address])
    // one that says nothing holds up nobody
    const silent = await node.network.open(rust.id, ECHO)
    const stream = await node.network.open(rust.id, ECHO)
    await stream.write(LONG)
    await stream.end()
    t.true(LONG.equals(await all(stream)))
    t.is(await rust.ask('ask', node.network.self, '/x/echo', LONG), LONG.toString('hex'))
    await silent.end()
    t.is((await all(silent)).length, 0)
  })
}

withRust('a stream that a side tears is torn for the other, between this node and rust-libp2p', async t => {
  const [node, rust] = await Promise.all([onlineNode(t), RustPeer.start(t)])
  const torn = Promise.withResolvers<{ got: string; error: unknown }>()
  await node.network.handle('/x/torn', async stream => {
    let got = ''
    try {
      for await (const part of stream) got += Buffer.from(part)
      torn.resolve({ got, error: undefined })
    } catch (error) {
      torn.resolve({ got, error })
    }
  })
  await node.network.dial(rust.id, [rust.address])
  await rust.ask('tear', node.network.self, '/x/torn', Buffer.from('half'))
  const { got, error } = await torn.promise
  t.is(got, 'half')
  t.true(error instanceof Error)
  const stream = await node.network.open(rust.id, ECHO)
  await stream.write(Buffer.from('half'))
  stream.abort(new Error('torn'))
  t.is((await rust.hears('torn')).peer, node.network.self)
  t.is(node.network.connections(rust.id).length, 1, 'the connection stays')
})

withRust('a protocol that a side does not speak is refused by it, between this node and rust-libp2p', async t => {
  const [node, rust] = await Promise.all([onlineNode(t), RustPeer.start(t)])
  await node.network.dial(rust.id, [rust.address])
  await t.throwsAsync(node.network.open(rust.id, '/x/none'), { code: 'E_PROTOCOL' })
  await t.throwsAsync(rust.ask('ask', node.network.self, '/x/none', Buffer.from('?')), { message: /does not support/ })
})

withRust('a relay of this node carries to rust-libp2p, and rust-libp2p comes by it to this node', async t => {
  const relay = await onlineNode(t, { node: { 'Internal.Libp2pForceReachability': 'public' } })
  await until('the relay takes nodes in', () => relay.network.protocols().includes('/libp2p/circuit/relay/0.2.0/hop'))
  const rust = await RustPeer.start(t)
  await rust.ask('listen', `${relay.addresses()[0]}/p2p-circuit`)
  t.is((await rust.hears('reserved')).peer, relay.network.self)
  const other = await onlineNode(t)
  const { limited } = await other.network.dial(rust.id, [`${relay.addresses()[0]}/p2p-circuit`])
  t.true(limited)
  t.is((await other.network.peer(rust.id))?.agent, 'rust-peer')
  const hidden = await onlineNode(t, { node: { 'Addresses.Swarm': [], 'Swarm.RelayClient.StaticRelays': relay.addresses() } })
  const place = await until('it has a place', () => hidden.network.announced().find(address => address.includes('/p2p-circuit')))
  t.is(await rust.ask('dial', `${place}/p2p/${hidden.network.self}`), hidden.network.self)
  t.is((await rust.hears('identified', ({ peer }) => peer === hidden.network.self)).agent, hidden.network.agent)
})

withRust('messages of a topic go both ways between this node and rust-libp2p', async t => {
  const [node, rust] = await Promise.all([onlineNode(t, { on: { gossipsub: { enabled: true } } }), RustPeer.start(t)])
  const pubsub = node.host.service(Pubsub)!
  await node.network.dial(rust.id, [rust.address])
  await rust.ask('subscribe', 'news')
  await until('the node knows who listens', () => pubsub.peers('news').includes(rust.id))
  await pubsub.publish('news', Buffer.from('there'))
  const message = await rust.hears('message')
  t.like(message, { topic: 'news', from: node.network.self, value: Buffer.from('there').toString('hex') })
  const subscription = pubsub.subscribe('news')[Symbol.asyncIterator]()
  await rust.hears('subscribed', ({ peer, topic }) => peer === node.network.self && topic === 'news')
  await rust.ask('publish', 'news', Buffer.from('and back'))
  const { value } = await subscription.next()
  t.is(value.from, rust.id)
  t.is(Buffer.from(value.data).toString(), 'and back')
  await subscription.return?.()
})
