import { createHash, randomBytes } from 'node:crypto'
import test from 'ava'
import { base58btc } from 'multiformats/bases/base58'
import type { PeerStream } from '../../../core/index.ts'
import { itemsOf } from '../../../host/testing.ts'
import { frames } from '../../../plugins/routing/dht/wire.ts'
import { dhtNode, file } from '../../helpers/dht.ts'
import { makeRecord } from '../../helpers/ipns.ts'
import { linesOf } from '../../helpers/log.ts'
import { type OnlineNode, onlineNode } from '../../helpers/online.ts'
import { until } from '../../helpers/until.ts'

const LAN = '/ipfs/lan/kad/1.0.0'
/** The address /ip4/127.0.0.1/tcp/4001 in octets. */
const ADDRESS = Buffer.from('047f000001060fa1', 'hex')

const idOf = (peer: string) => Buffer.from(base58btc.decode(`z${peer}`))
const field = (number: number, bytes: Uint8Array) => Buffer.concat([Buffer.from([number * 8 + 2, ...lengthOf(bytes)]), bytes])
const lengthOf = ({ length }: Uint8Array) => (length < 128 ? [length] : [(length & 127) | 128, length >> 7])
const multihash = () => Buffer.concat([Buffer.from([0x12, 32]), createHash('sha256').update(randomBytes(8)).digest()])

/** Sends one message and reads the answer; undefined where the stream is torn instead. */
async function ask({ network }: OnlineNode, to: OnlineNode, message: Uint8Array): Promise<Buffer | undefined> {
  const stream = await network.open(to.network.self, LAN)
  try {
    await stream.write(Buffer.concat([Buffer.from(lengthOf(message)), message]))
    await stream.end()
    return await answer(stream)
  } catch {
    return undefined
  } finally {
    stream.abort()
  }
}

async function answer(stream: PeerStream): Promise<Buffer | undefined> {
  let held = Buffer.alloc(0)
  for await (const part of stream) {
    held = Buffer.concat([held, part])
    const [size, start] = held.length > 1 && held[0]! >= 128 ? [(held[0]! & 127) + held[1]! * 128, 2] : [held[0]!, 1]
    if (held.length >= start + size) return held.subarray(start)
  }
  return undefined
}

/** A server, and a peer of it that speaks by hand. */
async function pair(t: Parameters<typeof dhtNode>[0], routing = {}): Promise<[OnlineNode, OnlineNode]> {
  const server = await dhtNode(t, { routing })
  const peer = await onlineNode(t, { node: { 'Routing.Type': 'none' } })
  await peer.network.dial(server.network.self, server.network.announced())
  return [server, peer]
}

/** A message that says that `provider` has a block. */
const addProvider = (key: Uint8Array, provider: Uint8Array) =>
  Buffer.concat([Buffer.from([0x08, 2]), field(2, key), field(9, Buffer.concat([field(1, provider), field(2, ADDRESS)]))])
const getProviders = (key: Uint8Array) => Buffer.concat([Buffer.from([0x08, 3]), field(2, key)])
/** A message that hands over a record. Type 0 is not written. */
const putValue = (key: Uint8Array, value: Uint8Array, recordKey = key) =>
  Buffer.concat([field(2, key), field(3, Buffer.concat([field(1, recordKey), field(2, value)]))])

test('a provider record is kept, and given back to the octet', async t => {
  const [server, peer] = await pair(t)
  const [key, id] = [multihash(), idOf(peer.network.self)]
  const stream = await peer.network.open(server.network.self, LAN)
  const add = addProvider(key, id)
  const get = getProviders(key)
  // both on one stream: the second is answered when the first is done
  await stream.write(Buffer.concat([Buffer.from(lengthOf(add)), add, Buffer.from(lengthOf(get)), get]))
  t.deepEqual(
    (await answer(stream))?.toString('hex'),
    Buffer.concat([Buffer.from([0x08, 3]), field(2, key), field(9, Buffer.concat([field(1, id), field(2, ADDRESS)]))]).toString('hex')
  )
  stream.abort()
})

test('a peer cannot make others providers, nor use a key that is none', async t => {
  const [server, peer] = await pair(t)
  const key = multihash()
  t.is(await ask(peer, server, addProvider(key, idOf('12D3KooWHLYxZ2f7Uoe6gZ1YwRhcEppr4AXH4wsGDeTdcvfhvpcG'))), undefined)
  t.deepEqual((await ask(peer, server, getProviders(key)))?.toString('hex'), getProviders(key).toString('hex'), 'nobody is told')
  t.is(await ask(peer, server, addProvider(Buffer.from('key'), idOf(peer.network.self))), undefined)
})

test('what is of no known kind tears its stream, what is malformed or too long the connection as well, and the node goes on', async t => {
  const [server, peer] = await pair(t)
  const lines = linesOf(server.host, 'routing')
  const ping = Buffer.from([0x08, 5])
  t.is(await ask(peer, server, Buffer.from([0x08, 9, 0x12, 1, 1])), undefined, 'type 9')
  t.deepEqual(await ask(peer, server, ping), ping)
  for (const [what, octets] of [
    ['a number without end', '0bffffffffffffffffffffff'],
    ['a field beyond the end', '021240'],
    ['a message of 256 MiB', 'ffffff7f']
  ] as const) {
    const [before] = peer.network.connections(server.network.self)
    const stream = await peer.network.open(server.network.self, LAN)
    await stream.write(Buffer.from(octets, 'hex'))
    t.is(await answer(stream).catch(() => undefined), undefined, what)
    await until('it is dropped', () => !peer.network.connections(server.network.self).some(({ id }) => id === before?.id))
    await peer.network.dial(server.network.self, server.network.announced())
    t.deepEqual(await ask(peer, server, ping), ping)
  }
  await until(
    'the log says why',
    () => lines.filter(line => line.includes(`refused the peer ${peer.network.self}: malformed`)).length === 3
  )
})

test('a record is kept and given back; one that is older, forged or under another name is not', async t => {
  const [server, peer] = await pair(t)
  const { name, record } = await makeRecord()
  const other = await makeRecord()
  const key = Buffer.concat([Buffer.from('/ipns/'), idOf(name)])
  const otherKey = Buffer.concat([Buffer.from('/ipns/'), idOf(other.name)])
  const [first, second] = [await record(1n), await record(2n)]
  t.deepEqual(await ask(peer, server, putValue(key, second)), putValue(key, second), 'what was taken comes back')
  t.is(await ask(peer, server, putValue(key, first)), undefined, 'older')
  t.is(await ask(peer, server, putValue(key, await other.record(9n))), undefined, 'signed by another')
  t.is(await ask(peer, server, putValue(otherKey, second, key)), undefined, 'the record is of another key')
  t.is(await ask(peer, server, putValue(Buffer.from('/other/x'), second)), undefined, 'of no namespace')
  t.is(await ask(peer, server, putValue(key, randomBytes(12_000))), undefined, 'too long')
  const got = await ask(peer, server, Buffer.concat([Buffer.from([0x08, 1]), field(2, key)]))
  t.true(got?.includes(Buffer.from(second)))
  t.is(
    (await itemsOf<{ Extra: string }>(await server.host.call('routing/get', { args: [`/ipns/${name}`] })))[0]?.Extra,
    Buffer.from(second).toString('base64')
  )
})

test('a public key is told that is known, and one is kept only under its own hash', async t => {
  const [server, peer] = await pair(t)
  const id = idOf(peer.network.self)
  const key = Buffer.concat([Buffer.from('/pk/'), id])
  const got = await ask(peer, server, Buffer.concat([Buffer.from([0x08, 1]), field(2, key)]))
  t.true(got?.includes(id.subarray(2)), 'an ID that carries its key in itself')
  const wrong = Buffer.concat([Buffer.from('/pk/'), multihash()])
  t.is(await ask(peer, server, putValue(wrong, id.subarray(2))), undefined)
})

test('what one peer may have kept is bounded', async t => {
  const [server, peer] = await pair(t, { maxRecordsOfPeer: 3 })
  const id = idOf(peer.network.self)
  const keys = Array.from({ length: 5 }, multihash)
  for (const key of keys) await ask(peer, server, addProvider(key, id))
  const found = await Promise.all(keys.map(async key => (await ask(peer, server, getProviders(key)))?.includes(id)))
  t.deepEqual(found, [true, true, true, false, false])
  // the same again is no more than there is
  await ask(peer, server, addProvider(keys[0]!, id))
  t.true((await ask(peer, server, getProviders(keys[0]!)))?.includes(id))
})

test('the node’s own content is told to whoever asks, with its addresses', async t => {
  const [server, peer] = await pair(t)
  const [{ Hash }] = (await itemsOf(await server.host.call('add', { body: file() }))) as [{ Hash: string }]
  // nobody is there to be told, but the node knows it itself
  const events = await itemsOf<{ Type: number }>(await server.host.call('routing/provide', { args: [Hash] }))
  t.is(events.at(-1)?.Type, 3)
  const got = await ask(peer, server, getProviders(base58btc.decode(`z${Hash}`)))
  t.true(got?.includes(idOf(server.network.self)))
})

test('messages are read whatever pieces they come in, and one that is too long or not whole ends them', async t => {
  const messages = [Buffer.alloc(300, 1), Buffer.alloc(0), Buffer.alloc(5, 2), Buffer.alloc(1000, 3)]
  const wire = Buffer.concat(messages.flatMap(message => [Buffer.from(lengthOf(message)), message]))
  const cut = async function* (bytes: Uint8Array, size: number) {
    for (let at = 0; at < bytes.length; at += size) yield bytes.subarray(at, at + size)
  }
  const read = async (bytes: Uint8Array, size: number) => {
    const found: Buffer[] = []
    for await (const frame of frames(cut(bytes, size), 1000)) found.push(Buffer.from(frame))
    return found
  }
  for (const size of [1, 2, 7, 305, wire.length]) {
    t.deepEqual(await read(wire, size), messages, `in pieces of ${size}`)
    await t.throwsAsync(read(wire.subarray(0, -1), size), { code: 'E_DHT_MESSAGE', message: /ends within it/ })
    await t.throwsAsync(read(Buffer.from([0xe9, 0x07, 1]), size), { code: 'E_DHT_MESSAGE', message: /1001 bytes/ })
  }
})

test('a peer that hands over more than is kept keeps no other from handing over its own', async t => {
  const [server, greedy] = await pair(t, { maxRecords: 20, maxRecordsOfPeer: 20 })
  for (let i = 0; i < 25; i++) await ask(greedy, server, addProvider(multihash(), idOf(greedy.network.self)))
  const honest = await onlineNode(t, { node: { 'Routing.Type': 'none' } })
  await honest.network.dial(server.network.self, server.network.announced())
  const key = multihash()
  await ask(honest, server, addProvider(key, idOf(honest.network.self)))
  t.true((await ask(honest, server, getProviders(key)))?.includes(idOf(honest.network.self)))
})
