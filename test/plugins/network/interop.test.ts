/** js-libp2p alone, as it comes, and this node: what each says of itself, ping, and relays both ways. */
import { noise } from '@chainsafe/libp2p-noise'
import { circuitRelayServer, circuitRelayTransport } from '@libp2p/circuit-relay-v2'
import { identify, identifyPush } from '@libp2p/identify'
import { ping } from '@libp2p/ping'
import { tcp } from '@libp2p/tcp'
import { tls } from '@libp2p/tls'
import { multiaddr } from '@multiformats/multiaddr'
import test, { type ExecutionContext } from 'ava'
import { libp2pNode } from '../../helpers/libp2p.ts'
import { onlineNode } from '../../helpers/online.ts'
import { until } from '../../helpers/until.ts'

function plainNode(t: ExecutionContext, { listen = ['/ip4/127.0.0.1/tcp/0'], relay = false, security = noise() } = {}) {
  return libp2pNode(t, {
    addresses: { listen },
    transports: [tcp(), circuitRelayTransport()],
    connectionEncrypters: [security],
    services: {
      identify: identify(),
      identifyPush: identifyPush(),
      ping: ping(),
      ...(relay ? { relay: circuitRelayServer() } : {})
    }
  })
}

type Plain = Awaited<ReturnType<typeof plainNode>>

const addressesOf = (plain: Plain) => plain.getMultiaddrs().map(address => `${address}`.replace(/\/p2p\/[^/]+$/, ''))

for (const [name, security] of [
  ['Noise', noise()],
  ['TLS', tls()]
] as const) {
  test(`js-libp2p and this node know of each other what each says of itself, and ping each other, over ${name}`, async t => {
    const [node, plain] = await Promise.all([onlineNode(t), plainNode(t, { security: security as never })])
    const id = plain.peerId.toString()
    await node.network.dial(id, addressesOf(plain))
    const known = await node.network.peer(id)
    t.deepEqual([...(known?.protocols ?? [])].sort(), plain.getProtocols().sort())
    t.deepEqual(known?.addresses, addressesOf(plain))
    const seen = await until('it knows the node', async () => {
      const peer = await plain.peerStore.get(plain.getConnections()[0]!.remotePeer)
      return peer.metadata.has('AgentVersion') && peer
    })
    t.is(Buffer.from(seen.metadata.get('AgentVersion')!).toString(), node.network.agent)
    t.deepEqual([...seen.protocols].sort(), [...node.network.protocols()])
    t.deepEqual(
      seen.addresses.map(one => `${one.multiaddr}`),
      [...node.network.announced()]
    )
    t.true((await node.network.ping(id)) >= 0)
    t.true((await (plain.services as unknown as { ping: { ping(peer: unknown): Promise<number> } }).ping.ping(seen.id)) >= 0)
    // what changes is told
    await node.network.handle('/x/new', () => {})
    await until('it is told of a new protocol', async () => (await plain.peerStore.get(seen.id)).protocols.includes('/x/new'))
  })
}

test('a relay of js-libp2p carries to this node', async t => {
  const relay = await plainNode(t, { relay: true })
  const hidden = await onlineNode(t, {
    node: { 'Addresses.Swarm': [], 'Swarm.RelayClient.StaticRelays': relay.getMultiaddrs().map(String) }
  })
  const place = await until('it has a place', () => hidden.network.announced().find(address => address.includes('/p2p-circuit')))
  const other = await plainNode(t)
  const connection = await other.dial(multiaddr(`${place}/p2p/${hidden.network.self}`))
  t.is(connection.remotePeer.toString(), hidden.network.self)
  t.not(connection.limits, undefined)
})

test('a relay of this node carries to js-libp2p', async t => {
  const relay = await onlineNode(t, { node: { 'Internal.Libp2pForceReachability': 'public' } })
  await until('the relay takes nodes in', () => relay.network.protocols().includes('/libp2p/circuit/relay/0.2.0/hop'))
  const hidden = await plainNode(t, { listen: [`${relay.addresses()[0]}/p2p-circuit`] })
  const place = await until('it has a place', () => addressesOf(hidden).find(address => address.includes('/p2p-circuit')))
  const other = await onlineNode(t)
  const { limited } = await other.network.dial(hidden.peerId.toString(), [place])
  t.true(limited)
  t.true((await other.network.peer(hidden.peerId.toString()))?.protocols.includes('/ipfs/ping/1.0.0'))
})
