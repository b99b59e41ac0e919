/** Peers without end, each of an identity of its own: what is remembered of them is bounded, and nobody who is there is forgotten for them. */
import { randomBytes } from 'node:crypto'
import { noise } from '@chainsafe/libp2p-noise'
import { yamux } from '@chainsafe/libp2p-yamux'
import { identify } from '@libp2p/identify'
import { peerIdFromString } from '@libp2p/peer-id'
import { tcp } from '@libp2p/tcp'
import { multiaddr } from '@multiformats/multiaddr'
import test from 'ava'
import { createLibp2p, type Libp2p } from 'libp2p'
import { onlineNode } from '../helpers/online.ts'
import { until } from '../helpers/until.ts'

/** Bytes that are remembered of peers, and how many peers come of whom each says so much. */
const [MOST, PEERS, SAID] = [65_536, 100, 3_000]

test('of peers that come and go without end the oldest are forgotten, and none that is connected', async t => {
  const node = await onlineNode(t, { node: { 'Routing.Type': 'none' }, network: { maxRemembered: MOST, inboundPerSecond: 10_000 } })
  const friend = await onlineNode(t, { node: { 'Routing.Type': 'none' } })
  await friend.network.dial(node.network.self, node.network.announced())
  await until('it is known', async () => (await node.network.peer(friend.network.self))?.agent === friend.network.agent)
  let last = ''
  for (let count = 0; count < PEERS; count++) {
    const stranger = await createLibp2p({
      transports: [tcp()],
      connectionEncrypters: [noise()],
      streamMuxers: [yamux()],
      nodeInfo: { userAgent: 'x'.repeat(SAID) },
      services: { identify: identify() }
    })
    last = stranger.peerId.toString()
    await stranger.dial(multiaddr(node.addresses()[0]!))
    await until('it has said what it is', async () => ((await node.network.peer(last))?.agent.length ?? 0) === SAID)
    await stranger.stop()
  }
  const known = await node.network.peers()
  t.true(known.length < MOST / SAID + 2, `${known.length} peers`)
  t.true(known.some(({ id }) => id === last))
  t.is((await node.network.peer(friend.network.self))?.agent, friend.network.agent)
})

test('a peer of which others tell ever more addresses is remembered with a bounded part of them', async t => {
  const node = await onlineNode(t, { node: { 'Routing.Type': 'none' } })
  const { peerStore } = node.network.libp2p<Libp2p>()
  const peer = '12D3KooWHLYxZ2f7Uoe6gZ1YwRhcEppr4AXH4wsGDeTdcvfhvpcG'
  for (let round = 0; round < 40; round++) {
    const name = () => `/dns4/${randomBytes(30).toString('hex')}.example/tcp/1`
    await peerStore.merge(peerIdFromString(peer), { multiaddrs: Array.from({ length: 100 }, () => multiaddr(name())) })
  }
  const { addresses } = (await node.network.peer(peer))!
  t.true(addresses.length > 0 && addresses.length < 2_000, `${addresses.length} addresses`)
})
