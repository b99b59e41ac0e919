/** What newer peers say of themselves and of this node: addresses of kinds that are not known here yet. */
import { publicKeyToProtobuf } from '@libp2p/crypto/keys'
import type { PrivateKey } from '@libp2p/interface'
import { PeerRecord, RecordEnvelope } from '@libp2p/peer-record'
import { type Multiaddr, multiaddr } from '@multiformats/multiaddr'
import test, { type ExecutionContext } from 'ava'
import type { Libp2p } from 'libp2p'
import type { DialOptions } from '../../../../core/index.ts'
import { varint } from '../../../core/cid/encoded-varint.ts'
import { libp2pNode } from '../../../helpers/libp2p.ts'
import { linesOf } from '../../../helpers/log.ts'
import { type OnlineNode, onlineNode } from '../../../helpers/online.ts'
import { until } from '../../../helpers/until.ts'
import { field, framed } from './messages.ts'

const [ID, PUSH, BITSWAP] = ['/ipfs/id/1.0.0', '/ipfs/id/push/1.0.0', '/ipfs/bitswap/1.2.0']

/** `/ip4/1.2.3.4`, and a part of a kind that is not in the table (multicodec keeps 0x300000 and above for private use). */
const unknown = Buffer.concat([Buffer.from('0401020304', 'hex'), varint(0x300042), Buffer.from([2, 7, 7])])
/** Longer than it is. */
const cut = Buffer.from('04010203', 'hex')
const known = multiaddr('/ip4/192.0.2.7/tcp/4001')

/** A record of such addresses, signed by the peer. */
async function signed({ peerId }: Libp2p, key: PrivateKey, addresses: readonly Uint8Array[]): Promise<Uint8Array> {
  const multiaddrs = addresses.map(bytes => ({ bytes }) as Multiaddr)
  return (await RecordEnvelope.seal(new PeerRecord({ peerId, multiaddrs }), key)).marshal().subarray()
}

/** A peer of plain libp2p that says of itself what the test has it say, besides its key and a protocol. */
async function peerThatSays(t: ExecutionContext, more: (peer: Libp2p, key: PrivateKey) => Promise<Uint8Array[]> | Uint8Array[]) {
  const peer = await libp2pNode(t)
  const { privateKey } = (peer as unknown as { components: { privateKey: PrivateKey } }).components
  const said = [
    field(1, publicKeyToProtobuf(peer.peerId.publicKey!)),
    field(2, known.bytes),
    field(3, Buffer.from(BITSWAP)),
    field(6, Buffer.from('newer')),
    ...(await more(peer, privateKey))
  ]
  await peer.handle(ID, async stream => {
    stream.send(framed(Buffer.concat(said)))
    await stream.close()
  })
  return { peer, said: framed(Buffer.concat(said)) }
}

async function meet(node: OnlineNode, peer: Libp2p, options?: DialOptions) {
  const bare = peer.getMultiaddrs().map(address => `${address}`.replace(/\/p2p\/.*/, ''))
  await node.network.dial(peer.peerId.toString(), bare, options)
}

const kinds: Readonly<Record<string, Parameters<typeof peerThatSays>[1]>> = {
  'has seen this node at an address of an unknown kind': () => [field(4, unknown)],
  'has seen this node at an address that is cut off': () => [field(4, cut)],
  'listens on an address of an unknown kind': () => [field(2, unknown)],
  'has signed addresses of which one is of an unknown kind': async (peer, key) => [
    field(8, await signed(peer, key, [unknown, known.bytes]))
  ]
}

for (const [what, more] of Object.entries(kinds)) {
  test(`a peer that ${what} stays, and plugins learn what it speaks`, async t => {
    const node = await onlineNode(t, { node: { 'Routing.Type': 'none' }, on: { bitswap: 'off' }, network: { negotiationTimeout: 5_000 } })
    const { peer } = await peerThatSays(t, more)
    const id = peer.peerId.toString()
    const identified: string[] = []
    node.network.onIdentify(({ id, protocols }) => void identified.push(id, ...protocols))
    await meet(node, peer)
    await until('it is identified', () => identified.length > 0)
    t.deepEqual(identified, [id, BITSWAP])
    const about = await node.network.peer(id)
    t.is(about?.agent, 'newer')
    t.deepEqual(about?.addresses, [`${known}`])
    t.is(node.network.connections(id).length, 1)
  })
}

for (const [what, more] of Object.entries(kinds)) {
  test(`a push of a peer that ${what} is heard`, async t => {
    const node = await onlineNode(t, { node: { 'Routing.Type': 'none' }, on: { bitswap: 'off' }, network: { negotiationTimeout: 5_000 } })
    const lines = linesOf(node.host, 'network')
    const { peer, said } = await peerThatSays(t, more)
    const id = peer.peerId.toString()
    await meet(node, peer)
    await until('it is identified', async () => (await node.network.peer(id))?.agent === 'newer')
    const identified: string[] = []
    node.network.onIdentify(({ id, protocols }) => void identified.push(id, ...protocols))
    const stream = await peer.dialProtocol(multiaddr(node.addresses()[0]!), PUSH)
    stream.send(said)
    await stream.close()
    await until('it is told of', () => identified.length > 0)
    t.deepEqual(identified, [id, BITSWAP])
    t.is(node.network.connections(id).length, 1)
    t.deepEqual(lines, [])
  })
}

test('a signed record of somebody else is still no message of identify', async t => {
  const node = await onlineNode(t, { node: { 'Routing.Type': 'none' }, on: { bitswap: 'off' }, network: { negotiationTimeout: 5_000 } })
  const lines = linesOf(node.host, 'network')
  const other = await peerThatSays(t, () => [])
  const { peer } = await peerThatSays(t, async (_, key) => [field(8, await signed(other.peer, key, [known.bytes]))])
  await meet(node, peer)
  await until('it is dropped', () => node.network.connections(peer.peerId.toString()).length === 0)
  await until('the log says why', () => lines.length > 0)
  t.regex(lines.join(), /no message of identify/)
})

/** Its dial would wait so long, in milliseconds, for what is not said: longer than a test runs. */
const LATE = 600_000

test('a dial does not wait for what a peer says of itself where it does not speak the protocol', async t => {
  const node = await onlineNode(t, { node: { 'Routing.Type': 'none' }, on: { bitswap: 'off' }, network: { negotiationTimeout: LATE } })
  const peer = await libp2pNode(t)
  await meet(node, peer)
  t.is(node.network.connections(peer.peerId.toString()).length, 1)
})

test('who need not know what a peer says of itself has the connection before', async t => {
  const node = await onlineNode(t, { node: { 'Routing.Type': 'none' }, on: { bitswap: 'off' }, network: { negotiationTimeout: LATE } })
  const peer = await libp2pNode(t)
  const asked = Promise.withResolvers<void>()
  await peer.handle(ID, () => asked.resolve())
  await meet(node, peer, { identified: false })
  await asked.promise
  t.is(node.network.connections(peer.peerId.toString()).length, 1)
})
