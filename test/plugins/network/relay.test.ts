/** Nodes that cannot dial each other, by real relays on this machine. */
import { randomBytes } from 'node:crypto'
import { once } from 'node:events'
import { createServer } from 'node:net'
import type { Libp2p } from '@libp2p/interface'
import type { AddressManager } from '@libp2p/interface-internal'
import { peerIdFromString } from '@libp2p/peer-id'
import { multiaddr } from '@multiformats/multiaddr'
import test, { type ExecutionContext } from 'ava'
import { linesOf } from '../../helpers/log.ts'
import { type OnlineNode, onlineNode } from '../../helpers/online.ts'
import { until } from '../../helpers/until.ts'
import { added, bytesOf, statOf } from '../bitswap/nodes.ts'

const HOP = '/libp2p/circuit/relay/0.2.0/hop'
const DCUTR = '/libp2p/dcutr'

async function relayNode(t: ExecutionContext, node = {}): Promise<OnlineNode> {
  const relay = await onlineNode(t, { node: { 'Internal.Libp2pForceReachability': 'public', ...node } })
  await until('the relay takes nodes in', () => relay.network.protocols().includes(HOP))
  return relay
}

/** A node that nobody can dial, with a place on the relay, and the address of that. */
async function hiddenNode(t: ExecutionContext, relay: OnlineNode, node = {}): Promise<[OnlineNode, string]> {
  const hidden = await onlineNode(t, { node: { 'Addresses.Swarm': [], 'Swarm.RelayClient.StaticRelays': relay.addresses(), ...node } })
  const place = await until('it has a place on the relay', () =>
    hidden.network.announced().find(address => address.includes('/p2p-circuit'))
  )
  return [hidden, place]
}

test('two nodes that nobody can dial fetch content of each other over a relay, which has none of it', async t => {
  const relay = await relayNode(t)
  const [[a], [b, place]] = await Promise.all([hiddenNode(t, relay), hiddenNode(t, relay)])
  const { limited } = await a.network.dial(b.network.self, [place])
  t.true(limited)
  t.is((await a.network.peer(b.network.self))?.agent, b.network.agent)
  t.deepEqual((await a.network.peer(b.network.self))?.addresses, [place], 'it says itself that it is reached there, and nowhere else')
  await until('they exchange blocks', () => statOf(a).peers.includes(b.network.self) && statOf(b).peers.includes(a.network.self))
  const [there, back] = [randomBytes(40_000), randomBytes(30_000)]
  t.true(there.equals(await bytesOf(b, 'cat', await added(a, there))))
  t.true(back.equals(await bytesOf(a, 'cat', await added(b, back))))
  t.true(a.network.connections(b.network.self).every(connection => connection.limited))
  t.is(Number(statOf(relay).blocksSent), 0)
})

test('a relayed connection is secured by TLS where one of its ends has no Noise', async t => {
  const relay = await relayNode(t)
  const [hidden, place] = await hiddenNode(t, relay, { 'Swarm.Transports.Security.Noise': false })
  const a = await onlineNode(t)
  const { limited } = await a.network.dial(hidden.network.self, [place])
  t.true(limited)
  t.is(a.network.libp2p<Libp2p>().getConnections(peerIdFromString(hidden.network.self))[0]?.encryption, '/tls/1.0.0')
  const sent = randomBytes(40_000)
  t.true(sent.equals(await bytesOf(a, 'cat', await added(hidden, sent))))
})

test('a relayed connection carries what Swarm.RelayService allows and ends with that', async t => {
  const relay = await relayNode(t, { 'Swarm.RelayService.ConnectionDataLimit': 20_000 })
  const [hidden, place] = await hiddenNode(t, relay)
  await hidden.network.handle(
    '/x/sink',
    async stream => {
      for await (const _ of stream);
    },
    { onLimited: true }
  )
  const a = await onlineNode(t)
  await a.network.dial(hidden.network.self, [place])
  const stream = await a.network.open(hidden.network.self, '/x/sink')
  await t.throwsAsync(async () => {
    for (let sent = 0; sent < 10_000_000; sent += 10_000) await stream.write(randomBytes(10_000))
  })
  await until('the relayed connection is over', () => a.network.connections(hidden.network.self).length === 0)
})

test('both sides of a relayed connection are told in seconds how long it lasts, and it ends then', async t => {
  const relay = await relayNode(t, { 'Swarm.RelayService.ConnectionDurationLimit': '20s' })
  const [[hidden, place], a] = [await hiddenNode(t, relay), await onlineNode(t)]
  await a.network.dial(hidden.network.self, [place])
  for (const [from, to] of [
    [a, hidden],
    [hidden, a]
  ] as const) {
    const [connection] = from.network.libp2p<Libp2p>().getConnections(peerIdFromString(to.network.self))
    const seconds = connection?.limits?.seconds ?? Number.NaN
    t.true(seconds > 0 && seconds <= 20, `${seconds} s`)
  }
  await until('it is over', () => a.network.connections(hidden.network.self).length === 0)
})

test('a relay has so many places as Swarm.RelayService says, and none where it is off', async t => {
  const relay = await relayNode(t, { 'Swarm.RelayService.MaxReservations': 1 })
  await hiddenNode(t, relay)
  const second = await onlineNode(t, { node: { 'Addresses.Swarm': [], 'Swarm.RelayClient.StaticRelays': relay.addresses() } })
  const lines = linesOf(second.host, 'network')
  const line = await until('it is refused', () => lines.find(one => one.includes('no place on the relay')))
  t.regex(line, /RESERVATION_REFUSED/, 'with the reason')
  t.false(second.network.announced().some(address => address.includes('/p2p-circuit')))
  const off = await onlineNode(t, {
    node: { 'Internal.Libp2pForceReachability': 'public', 'Swarm.RelayService.Enabled': false }
  })
  t.false(off.network.protocols().includes(HOP))
})

test('a relayed connection becomes a direct one where a side can be dialled (DCUtR), and no more where that is off', async t => {
  const relay = await relayNode(t)
  const [hidden, place] = await hiddenNode(t, relay)
  await until('it upgrades connections', () => hidden.network.protocols().includes(DCUTR))
  const port = await freePort()
  const node = { 'Addresses.Swarm': [`/ip4/127.0.0.1/tcp/${port}`], 'Addresses.Announce': [`/dns4/localhost/tcp/${port}`] }
  // by a name, as addresses of this machine are none that others could dial
  const a = await onlineNode(t, { node })
  t.false(a.network.protocols().includes(DCUTR), 'a node that knows of no public address does not')
  const { components } = a.network.libp2p<{ components: { addressManager: AddressManager } }>()
  components.addressManager.addObservedAddr(multiaddr('/ip4/8.8.8.8/udp/4001/quic-v1'))
  await a.network.dial(relay.network.self, relay.network.announced())
  await until('it upgrades connections', () => a.network.protocols().includes(DCUTR))
  await a.network.dial(hidden.network.self, [place])
  const direct = await until('they are connected directly, and no more over the relay', () => {
    const [first, ...others] = a.network.connections(hidden.network.self)
    return others.length === 0 && first !== undefined && !first.limited && first
  })
  t.is(direct.direction, 'inbound')
  t.false(direct.address.includes('/p2p-circuit'))
  const off = await onlineNode(t, {
    node: { 'Addresses.Swarm': [], 'Swarm.RelayClient.StaticRelays': relay.addresses(), 'Swarm.EnableHolePunching': false }
  })
  await until('it has a place', () => off.network.announced().some(address => address.includes('/p2p-circuit')))
  t.false(off.network.protocols().includes(DCUTR))
})

async function freePort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1')
  await once(server, 'listening')
  const { port } = server.address() as { port: number }
  server.close()
  await once(server, 'close')
  return port
}
