/** What peers see on the wire, octet by octet, read by hand: what other implementations of the network rely on. */
import { createHash } from 'node:crypto'
import { publicKeyToProtobuf } from '@libp2p/crypto/keys'
import test, { type ExecutionContext } from 'ava'
import { base58btc } from 'multiformats/bases/base58'
import { Blocks, Repo } from '../../../core/index.ts'
import { varint } from '../../core/cid/encoded-varint.ts'
import { dhtNode } from '../../helpers/dht.ts'
import { makeRecord } from '../../helpers/ipns.ts'
import { libp2pNode } from '../../helpers/libp2p.ts'
import { type OnlineNode, onlineNode } from '../../helpers/online.ts'
import { until } from '../../helpers/until.ts'
import { sample } from '../storage/samples.ts'
import { field, framed } from './libp2p/messages.ts'

const hex = (bytes: Uint8Array) => Buffer.from(bytes).toString('hex')
const idOf = (peer: string) => Buffer.from(base58btc.decode(`z${peer}`))

/** The fields of a message by their numbers, in the order in which they came. */
function fieldsOf(bytes: Uint8Array): Array<readonly [number: number, value: Buffer | number]> {
  const found: Array<readonly [number, Buffer | number]> = []
  let at = 0
  const number = () => {
    let value = 0
    for (let scale = 1; ; scale *= 128) {
      const byte = bytes[at++]!
      value += (byte & 127) * scale
      if (byte < 128) return value
    }
  }
  while (at < bytes.length) {
    const tag = number()
    if (tag % 8 === 0) found.push([tag >> 3, number()])
    else {
      const size = number()
      found.push([tag >> 3, Buffer.from(bytes.subarray(at, at + size))])
      at += size
    }
  }
  return found
}

/** The first message that comes of what is written to a stream. */
async function exchange(from: OnlineNode, to: OnlineNode, protocol: string, request?: Uint8Array): Promise<Buffer> {
  const stream = await from.network.open(to.network.self, protocol)
  if (request !== undefined) await stream.write(framed(request))
  let held = Buffer.alloc(0)
  for await (const part of stream) {
    held = Buffer.concat([held, part])
    const end = held.findIndex(byte => byte < 128)
    if (end < 0) continue
    const size = held.subarray(0, end + 1).reduce((sum, byte, i) => sum + (byte & 127) * 128 ** i, 0)
    if (held.length >= end + 1 + size) {
      stream.abort()
      return held.subarray(end + 1, end + 1 + size)
    }
  }
  throw new Error('no whole message came')
}

async function pair(t: ExecutionContext): Promise<[OnlineNode, OnlineNode]> {
  const [node, peer] = await Promise.all([dhtNode(t), onlineNode(t, { node: { 'Routing.Type': 'none' }, on: { bitswap: 'off' } })])
  await peer.network.dial(node.network.self, node.network.announced())
  return [node, peer]
}

test('a node speaks the protocols of the reference, by their names', async t => {
  const { network } = await dhtNode(t)
  t.deepEqual(network.protocols(), [
    '/ipfs/bitswap',
    '/ipfs/bitswap/1.0.0',
    '/ipfs/bitswap/1.1.0',
    '/ipfs/bitswap/1.2.0',
    '/ipfs/id/1.0.0',
    '/ipfs/id/push/1.0.0',
    '/ipfs/lan/kad/1.0.0',
    '/ipfs/ping/1.0.0',
    '/libp2p/autonat/1.0.0',
    '/libp2p/autonat/2/dial-back',
    '/libp2p/autonat/2/dial-request',
    '/libp2p/circuit/relay/0.2.0/stop',
    '/x/'
  ])
  const server = await dhtNode(t, { node: { 'Routing.Type': 'dhtserver', 'Internal.Libp2pForceReachability': 'public' } })
  await until('it is a relay', () => server.network.protocols().includes('/libp2p/circuit/relay/0.2.0/hop'))
  t.true(server.network.protocols().includes('/ipfs/kad/1.0.0'))
})

test('identify says who a node is in the fields that others read, and no version of the protocol', async t => {
  const [node, peer] = await pair(t)
  const fields = fieldsOf(await exchange(peer, node, '/ipfs/id/1.0.0'))
  const all = (number: number) => fields.filter(([one]) => one === number).map(([, value]) => value as Buffer)
  t.deepEqual(
    [...new Set(fields.map(([number]) => number))].sort((a, b) => a - b),
    [1, 2, 3, 4, 5, 6, 8],
    'publicKey, listenAddrs, protocols, observedAddr, protocolVersion, agentVersion, signedPeerRecord'
  )
  t.deepEqual(all(5).map(String), [''], 'as the reference sends it')
  const { publicKey } = node.host.service(Repo)!.identity
  t.deepEqual(all(1).map(hex), [hex(publicKey)])
  const port = Number(/\/tcp\/(\d+)/.exec(node.network.announced().join())?.[1])
  t.deepEqual(all(2).map(hex), [`047f00000106${port.toString(16).padStart(4, '0')}`])
  t.deepEqual(all(3).map(String).sort(), [...node.network.protocols()])
  const from = Number(/\/tcp\/(\d+)/.exec(node.network.connections(peer.network.self)[0]!.address)?.[1])
  t.is(hex(all(4)[0]!), `047f00000106${from.toString(16).padStart(4, '0')}`, 'where it is seen, without who it is')
  t.is(String(all(6)[0]), node.network.agent)
  // an envelope: the key, the type of a peer record, the record, the signature
  const envelope = new Map(fieldsOf(all(8)[0]!))
  t.is(hex(envelope.get(1) as Buffer), hex(publicKey))
  t.is(hex(envelope.get(2) as Buffer), '0301')
  t.is(hex(new Map(fieldsOf(envelope.get(3) as Buffer)).get(1) as Buffer), hex(idOf(node.network.self)))
  t.is((envelope.get(5) as Buffer).length, 64)
})

test('a peer that has seen a node at no address of a network, as over a relay, is known by all else that it says', async t => {
  const node = await onlineNode(t, { node: { 'Routing.Type': 'none' } })
  const peer = await libp2pNode(t)
  const self = idOf(node.network.self)
  // `/p2p/12D3KooW…`, as rust-libp2p says
  const observed = Buffer.concat([varint(421), varint(self.length), self])
  const said = [field(1, publicKeyToProtobuf(peer.peerId.publicKey!)), field(4, observed), field(6, Buffer.from('other'))]
  await peer.handle('/ipfs/id/1.0.0', async stream => {
    stream.send(framed(Buffer.concat(said)))
    await stream.close()
  })
  const id = peer.peerId.toString()
  const announced = node.network.announced()
  await node.network.dial(
    id,
    peer.getMultiaddrs().map(address => `${address}`.replace(/\/p2p\/.*/, ''))
  )
  t.is((await node.network.peer(id))?.agent, 'other')
  t.is(node.network.connections(id).length, 1)
  t.deepEqual(node.network.announced(), announced)
})

test('ping sends 32 octets back, as often as they come on one stream', async t => {
  const [node, peer] = await pair(t)
  const stream = await peer.network.open(node.network.self, '/ipfs/ping/1.0.0')
  const parts = stream[Symbol.asyncIterator]()
  for (let round = 0; round < 3; round++) {
    const sent = createHash('sha256').update(String(round)).digest()
    await stream.write(sent)
    let back = Buffer.alloc(0)
    while (back.length < 32) back = Buffer.concat([back, (await parts.next()).value!])
    t.deepEqual(back, sent)
  }
  stream.abort()
})

test('bitswap 1.2.0: wants, blocks and what is here or not, to the octet', async t => {
  const [node, peer] = await pair(t)
  const [small, large, missing, wanted] = [sample(1, 100), sample(2, 2000), sample(3), sample(4)]
  await node.host.service(Blocks)!.putAll([small, large])
  const received: Buffer[] = []
  await peer.network.handle('/ipfs/bitswap/1.2.0', async stream => {
    for await (const part of stream) received.push(Buffer.from(part))
  })
  const wantOf = (cid: Uint8Array, have: boolean) =>
    field(
      1,
      Buffer.concat([field(1, cid), Buffer.from([0x10, 1]), have ? Buffer.from([0x20, 1]) : Buffer.alloc(0), Buffer.from([0x28, 1])])
    )
  const wantlist = field(1, Buffer.concat([wantOf(small.cid.bytes, true), wantOf(large.cid.bytes, true), wantOf(missing.cid.bytes, false)]))
  const stream = await peer.network.open(node.network.self, '/ipfs/bitswap/1.2.0')
  await stream.write(framed(wantlist))
  const payload = field(3, Buffer.concat([field(1, Buffer.from('01551220', 'hex')), field(2, small.bytes)]))
  const here = field(4, field(1, large.cid.bytes))
  const notHere = field(4, Buffer.concat([field(1, missing.cid.bytes), Buffer.from([0x10, 1])]))
  const expected = Buffer.concat([payload, here, notHere])
  const all = () => Buffer.concat(received)
  await until('it is answered', () => all().length >= expected.length + 2)
  // in one message or in more: the order of its parts is the node's
  const parts = messagesOf(all()).flatMap(message => fieldsOf(message))
  t.deepEqual(
    parts.map(([number, value]) => hex(field(number, value as Buffer))).sort(),
    [payload, here, notHere].map(hex).sort(),
    'a small block at once though only asked for, a large one named, a missing one denied'
  )
  received.length = 0
  const fetching = node.host.service(Blocks)!.get(wanted.cid)
  await until('the node asks', () => all().length > 0)
  const [asked] = messagesOf(all()).flatMap(message => fieldsOf(message))
  t.is(asked![0], 1)
  const [entry] = fieldsOf(asked![1] as Buffer)
  const want = new Map(fieldsOf(entry![1] as Buffer))
  t.is(hex(want.get(1) as Buffer), hex(wanted.cid.bytes))
  t.is(want.get(5), 1, 'it wants to be told where the block is not there')
  await stream.write(framed(field(3, Buffer.concat([field(1, Buffer.from('01551220', 'hex')), field(2, wanted.bytes)]))))
  t.is(hex(await fetching), hex(wanted.bytes))
})

/** The whole messages in a run of octets. */
function messagesOf(bytes: Buffer): Buffer[] {
  const found: Buffer[] = []
  for (let at = 0; at < bytes.length; ) {
    let size = 0
    for (let scale = 1; ; scale *= 128) {
      const byte = bytes[at++]!
      size += (byte & 127) * scale
      if (byte < 128) break
    }
    if (at + size > bytes.length) break
    found.push(bytes.subarray(at, at + size))
    at += size
  }
  return found
}

const LAN = '/ipfs/lan/kad/1.0.0'

test('the DHT answers a ping by itself, and FIND_NODE by peers with their addresses, to the octet', async t => {
  const [node, peer] = await pair(t)
  t.is(hex(await exchange(peer, node, LAN, Buffer.from([0x08, 5]))), '0805')
  const other = await dhtNode(t)
  await other.network.dial(node.network.self, node.network.announced())
  // the key of a record, which is no peer's ID
  const key = Buffer.concat([Buffer.from('/ipns/'), idOf(peer.network.self)])
  const port = Number(/\/tcp\/(\d+)/.exec(other.network.announced().join())?.[1])
  const address = Buffer.from(`047f00000106${port.toString(16).padStart(4, '0')}`, 'hex')
  const expected = Buffer.concat([
    Buffer.from([0x08, 4]),
    field(2, key),
    field(8, Buffer.concat([field(1, idOf(other.network.self)), field(2, address)]))
  ])
  await until('the other is in the table', async () => {
    const answer = await exchange(peer, node, LAN, Buffer.concat([Buffer.from([0x08, 4]), field(2, key)]))
    return hex(answer) === hex(expected)
  })
  t.pass()
})

test('the DHT gives a record back under its key with the time at which it came, to the octet', async t => {
  const [node, peer] = await pair(t)
  const { name, record } = await makeRecord()
  const [key, value] = [Buffer.concat([Buffer.from('/ipns/'), idOf(name)]), await record(1n)]
  await exchange(peer, node, LAN, Buffer.concat([field(2, key), field(3, Buffer.concat([field(1, key), field(2, value)]))]))
  const answer = fieldsOf(await exchange(peer, node, LAN, Buffer.concat([Buffer.from([0x08, 1]), field(2, key)])))
  t.deepEqual(
    answer.map(([number]) => number),
    [1, 2, 3]
  )
  t.is(answer[0]![1], 1)
  t.is(hex(answer[1]![1] as Buffer), hex(key))
  const [inner, time] = [fieldsOf(answer[2]![1] as Buffer), String(new Map(fieldsOf(answer[2]![1] as Buffer)).get(5))]
  t.deepEqual(
    inner.slice(0, 2).map(([number, one]) => [number, hex(one as Buffer)]),
    [
      [1, hex(key)],
      [2, hex(value)]
    ]
  )
  t.regex(time, /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{9}Z$/)
})
