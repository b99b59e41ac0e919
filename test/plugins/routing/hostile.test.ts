/** Answers of the DHT that mean harm. */
import { identify } from '@libp2p/identify'
import { multiaddr } from '@multiformats/multiaddr'
import test from 'ava'
import { type Field, varintAt, writeFields } from '../../../core/network/index.ts'
import { itemsOf } from '../../../host/testing.ts'
import { MESSAGE, readMessage } from '../../../plugins/routing/dht/message.ts'
import { writeRecord } from '../../../plugins/routing/dht/records/record.ts'
import { loadLibraries } from '../../../plugins/routing/libraries.ts'
import { varint } from '../../core/cid/encoded-varint.ts'
import { dhtNode, file, tableOf } from '../../helpers/dht.ts'
import { makeRecord } from '../../helpers/ipns.ts'
import { libp2pNode } from '../../helpers/libp2p.ts'

const LAN = '/ipfs/lan/kad/1.0.0'
const [KEY, RECORD, CLOSER, PROVIDERS] = [2, 3, 8, 9]
const PEER = '12D3KooWHLYxZ2f7Uoe6gZ1YwRhcEppr4AXH4wsGDeTdcvfhvpcG'
const NONE = new Uint8Array()

/** IDs that are none: nothing, noise, a multihash with no digest, the CID of content. */
const ids = [NONE, Buffer.alloc(40, 0x99), Buffer.from([0x12, 0x20]), Buffer.from([0, 200, 1, 2]), Buffer.alloc(3000, 0x99)]

interface Event {
  readonly Type: number
  readonly ID: string
  readonly Responses: ReadonlyArray<{ readonly ID: string }> | null
}

test('a peer that names providers and peers that can be none keeps no content from being found', async t => {
  const libraries = await loadLibraries()
  const [node, honest] = await Promise.all([dhtNode(t), dhtNode(t, { provide: { provideNew: false } })])
  const liar = await libp2pNode(t, { services: { identify: identify() } })
  let asked = 0
  await liar.handle(LAN, async stream => {
    for await (const data of stream) {
      const bytes = data.subarray()
      const { type, key } = readMessage(bytes.subarray(varintAt(bytes, 0, why => new Error(why))![1]), libraries, 20)
      if (type === MESSAGE.GET_PROVIDERS) asked++
      const address = multiaddr('/ip4/127.0.0.1/tcp/9').bytes
      const peers = ids.map(id =>
        writeFields([
          [1, id],
          [2, address]
        ])
      )
      const all: Field[] = [
        [1, type],
        [KEY, key],
        ...peers.flatMap((peer): Field[] => [
          [CLOSER, peer],
          [PROVIDERS, peer]
        ])
      ]
      const answer = writeFields(all)
      stream.send(Buffer.concat([Buffer.from([(answer.length & 127) | 128, answer.length >> 7]), answer]))
    }
  })
  await node.network.dial(
    liar.peerId.toString(),
    liar.getMultiaddrs().map(address => `${address}`.replace(/\/p2p\/.*/, ''))
  )
  await tableOf(node.host, 1)
  const [{ Hash }] = (await itemsOf(await honest.host.call('add', { body: file() }))) as [{ Hash: string }]
  await node.network.dial(honest.network.self, honest.network.announced())
  await Promise.all([tableOf(node.host, 2), tableOf(honest.host, 1)])
  await itemsOf(await honest.host.call('routing/provide', { args: [Hash] }))
  // not known here by itself
  const found = await itemsOf<Event>(await node.host.call('routing/findprovs', { args: [Hash] }))
  t.true(asked > 0)
  t.deepEqual(
    found.filter(({ Type }) => Type === 4).flatMap(({ Responses }) => (Responses ?? []).map(({ ID }) => ID)),
    [honest.network.self]
  )
  const events = await itemsOf<Event>(await node.host.call('routing/findpeer', { args: [honest.network.self] }))
  t.is(events.at(-1)?.Type, 2)
})

test('IDs and addresses of peers that are as long as an answer may be are left out: base58 takes time by the square of a length', async t => {
  const libraries = await loadLibraries()
  const long = Buffer.alloc(2_000_000, 0x99)
  const address = Buffer.concat([Buffer.from([0xa5, 0x03]), varint(long.length), long])
  const peers = [
    writeFields([[1, long]]),
    writeFields([
      [1, libraries.idBytes(PEER)],
      [2, address]
    ])
  ]
  const { closer } = readMessage(writeFields([[1, MESSAGE.FIND_NODE], ...peers.map((peer): Field => [CLOSER, peer])]), libraries, 1000)
  t.deepEqual(closer, [{ id: PEER, addresses: [] }])
})

test('a peer that has an older record and does not say whether it takes the newer one holds up no look-up', async t => {
  const libraries = await loadLibraries()
  const [node, honest] = await Promise.all([dhtNode(t, { routing: { requestTimeout: 604_800_000 } }), dhtNode(t)])
  const { name, record } = await makeRecord()
  const [older, newer] = [await record(1n), await record(2n)]
  const old = await libp2pNode(t, { services: { identify: identify() } })
  const told = Promise.withResolvers<void>()
  await old.handle(LAN, async stream => {
    for await (const data of stream) {
      const bytes = data.subarray()
      const { type, key } = readMessage(bytes.subarray(varintAt(bytes, 0, why => new Error(why))![1]), libraries, 20)
      if (type === MESSAGE.PUT_VALUE) told.resolve()
      else {
        const fields: Field[] = type === MESSAGE.GET_VALUE ? [[RECORD, writeRecord({ key, value: older }, new Date())]] : []
        const answer = writeFields([[1, type], [KEY, key], ...fields])
        stream.send(Buffer.concat([varint(answer.length), answer]))
      }
    }
  })
  await itemsOf(
    await honest.host.call('routing/put', { args: [`/ipns/${name}`], options: { offline: true, allowOffline: true }, body: file(newer) })
  )
  await node.network.dial(
    old.peerId.toString(),
    old.getMultiaddrs().map(address => `${address}`.replace(/\/p2p\/.*/, ''))
  )
  await node.network.dial(honest.network.self, honest.network.announced())
  await tableOf(node.host, 2)
  const [{ Extra }] = (await itemsOf(await node.host.call('routing/get', { args: [`/ipns/${name}`] }))) as [{ Extra: string }]
  t.is(Extra, Buffer.from(newer).toString('base64'))
  await t.notThrowsAsync(told.promise)
})
