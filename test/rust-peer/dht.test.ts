/** The DHT of rust-libp2p and that of this node: providers, records and peers that one puts the other finds, by a third between them. */
import { generateKeyPair, publicKeyToProtobuf } from '@libp2p/crypto/keys'
import { peerIdFromPrivateKey } from '@libp2p/peer-id'
import type { ExecutionContext } from 'ava'
import { base58btc } from 'multiformats/bases/base58'
import { CID } from 'multiformats/cid'
import { Routing } from '../../core/index.ts'
import { itemsOf } from '../../host/testing.ts'
import { dhtNode, file, tableOf } from '../helpers/dht.ts'
import { makeRecord } from '../helpers/ipns.ts'
import type { OnlineNode } from '../helpers/online.ts'
import { until } from '../helpers/until.ts'
import { RustPeer, withRust } from './peer.ts'

interface Event {
  readonly Type: number
  readonly Extra: string
  readonly Responses: ReadonlyArray<{ readonly ID: string; readonly Addrs: readonly string[] }> | null
}

/** rust-libp2p, a node that is connected with it, and another that is connected with that one alone. */
async function three(t: ExecutionContext): Promise<[RustPeer, OnlineNode, OnlineNode]> {
  const [rust, middle, far] = await Promise.all([RustPeer.start(t), dhtNode(t), dhtNode(t)])
  await middle.network.dial(rust.id, [rust.address])
  await rust.hears('identified')
  await tableOf(middle.host, 1)
  await far.network.dial(middle.network.self, middle.network.announced())
  await tableOf(far.host, 1)
  return [rust, middle, far]
}

const call = (node: OnlineNode, path: string, argument: string) => itemsOf<Event>(node.host.call(path, { args: [argument] }))
const put = async (node: OnlineNode, key: string, value: Uint8Array) =>
  itemsOf<Event>(node.host.call('routing/put', { args: [key], body: file(value) }))

/** The key of a record in the DHT: octets in the place of the ID's text. */
const keyOf = (kind: string, name: string) => Buffer.concat([Buffer.from(`/${kind}/`), base58btc.decode(`z${name}`)])

withRust('content is found both ways between the DHTs of this node and rust-libp2p', async t => {
  const [rust, , far] = await three(t)
  const [{ Hash }] = (await itemsOf(await far.host.call('add', { body: file() }))) as [{ Hash: string }]
  await until('rust-libp2p finds what this node provides', async () =>
    (await rust.ask<string[]>('providers', CID.parse(Hash).multihash.bytes)).includes(far.network.self)
  )
  const other = CID.parse('bafkreifrv5u3d6kipdadv3hoah6vq3k7cjrrvm6ohdmuilkz2rry72w6ku')
  await rust.ask('provide', other.multihash.bytes)
  const [found] = await until('this node finds what rust-libp2p provides', async () => {
    const events = await call(far, 'routing/findprovs', `${other}`)
    const providers = events.filter(({ Type }) => Type === 4).flatMap(({ Responses }) => Responses ?? [])
    return providers.some(({ ID }) => ID === rust.id) && providers
  })
  t.is(found!.ID, rust.id)
})

withRust('peers are found both ways between the DHTs of this node and rust-libp2p', async t => {
  const [rust, middle, far] = await three(t)
  const events = await call(far, 'routing/findpeer', rust.id)
  t.deepEqual(events.findLast(({ Type }) => Type === 2)?.Responses, [{ ID: rust.id, Addrs: [rust.address] }])
  const closest = await rust.ask<string[]>('closest', base58btc.decode(`z${far.network.self}`))
  t.deepEqual(closest.toSorted(), [middle.network.self, far.network.self].sort())
})

withRust('records of names are found both ways between the DHTs of this node and rust-libp2p', async t => {
  const [rust, , far] = await three(t)
  const [ours, theirs] = [await makeRecord(), await makeRecord()]
  const record = await ours.record(1n)
  await put(far, `/ipns/${ours.name}`, record)
  const got = await rust.ask<string[]>('get', keyOf('ipns', ours.name))
  t.deepEqual([...new Set(got)], [Buffer.from(record).toString('hex')])
  const value = await theirs.record(1n)
  await rust.ask('put', keyOf('ipns', theirs.name), value)
  const found = await call(far, 'routing/get', `/ipns/${theirs.name}`)
  t.is(found.at(-1)!.Extra, Buffer.from(value).toString('base64'))
})

withRust('public keys are found both ways between the DHTs of this node and rust-libp2p', async t => {
  const [rust, , far] = await three(t)
  for (const putter of ['this node', 'rust-libp2p']) {
    const key = await generateKeyPair('RSA', 2048)
    const [name, value] = [peerIdFromPrivateKey(key).toString(), publicKeyToProtobuf(key.publicKey)]
    if (putter === 'this node') {
      // by the service, as the command takes names alone
      await itemsOf(far.host.service(Routing)!.putValue(keyOf('pk', name), value))
      t.deepEqual([...new Set(await rust.ask<string[]>('get', keyOf('pk', name)))], [Buffer.from(value).toString('hex')])
    } else {
      await rust.ask('put', keyOf('pk', name), value)
      t.is((await call(far, 'routing/get', `/pk/${name}`)).at(-1)!.Extra, Buffer.from(value).toString('base64'))
    }
  }
})

withRust('records that hold nothing true are not kept by this node, and rust-libp2p is told', async t => {
  const [rust] = await three(t)
  const { name } = await makeRecord()
  const other = await (await makeRecord()).record(1n)
  for (const value of [other, Buffer.from('no record')])
    await t.throwsAsync(rust.ask('put', keyOf('ipns', name), value), { message: /quorum failed/ })
})
