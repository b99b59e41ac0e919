import { identify } from '@libp2p/identify'
import { kadDHT, passthroughMapper } from '@libp2p/kad-dht'
import { ping } from '@libp2p/ping'
import test, { type ExecutionContext } from 'ava'
import { ipnsSelector } from 'ipns/selector'
import { ipnsValidator } from 'ipns/validator'
import { base58btc } from 'multiformats/bases/base58'
import { CID } from 'multiformats/cid'
import { itemsOf } from '../../../host/testing.ts'
import { dhtNode, file, tableOf } from '../../helpers/dht.ts'
import { makeRecord } from '../../helpers/ipns.ts'
import { libp2pNode } from '../../helpers/libp2p.ts'
import type { OnlineNode } from '../../helpers/online.ts'
import { until } from '../../helpers/until.ts'

/** A node of js-libp2p with its DHT as it comes, on this machine. */
function plainNode(t: ExecutionContext) {
  return libp2pNode(t, {
    services: {
      identify: identify(),
      ping: ping(),
      dht: kadDHT({
        protocol: '/ipfs/lan/kad/1.0.0',
        clientMode: false,
        allowQueryWithZeroPeers: true,
        peerInfoMapper: passthroughMapper,
        validators: { ipns: ipnsValidator },
        selectors: { ipns: ipnsSelector }
      })
    }
  })
}

type Plain = Awaited<ReturnType<typeof plainNode>>

/** Both, connected and in each other's tables, and another of this project's behind it. */
async function three(t: ExecutionContext): Promise<[Plain, OnlineNode, OnlineNode]> {
  const [plain, middle, far] = [await plainNode(t), await dhtNode(t), await dhtNode(t)]
  const addresses = plain.getMultiaddrs().map(address => address.toString().replace(/\/p2p\/.*/, ''))
  await middle.network.dial(plain.peerId.toString(), addresses)
  await far.network.dial(middle.network.self, middle.network.announced())
  await tableOf(middle.host, 2)
  await tableOf(far.host, 1)
  const { dht } = plain.services as { dht: { routingTable?: { size: number } } }
  await until('the other has it in its table', () => (dht.routingTable?.size ?? 0) > 0)
  return [plain, middle, far]
}

/** Why none of several ways of js-libp2p led anywhere. */
const causes = (error: unknown) => (error instanceof AggregateError ? error.errors.map(String).join('; ') : String(error))

test('content is found both ways between this node and js-libp2p', async t => {
  const [plain, , far] = await three(t)
  const [{ Hash }] = (await itemsOf(await far.host.call('add', { body: file() }))) as [{ Hash: string }]
  const cid = CID.parse(Hash)
  await until('js-libp2p finds what this node provides', async () => {
    for await (const { id } of plain.contentRouting.findProviders(cid)) if (id.toString() === far.network.self) return true
    return false
  })
  const other = CID.parse('bafkreifrv5u3d6kipdadv3hoah6vq3k7cjrrvm6ohdmuilkz2rry72w6ku')
  await plain.contentRouting.provide(other)
  await until('this node finds what js-libp2p provides', async () => {
    const events = await itemsOf<{ Type: number; Responses: Array<{ ID: string }> }>(
      await far.host.call('routing/findprovs', { args: [other.toString()] })
    )
    return events.some(({ Type, Responses }) => Type === 4 && Responses[0]?.ID === plain.peerId.toString())
  })
  t.pass()
})

test('records are found both ways between this node and js-libp2p', async t => {
  const [plain, , far] = await three(t)
  const [ours, theirs] = [await makeRecord(), await makeRecord()]
  const key = (name: string) => Buffer.concat([Buffer.from('/ipns/'), base58btc.decode(`z${name}`)])
  const record = await ours.record(1n)
  await itemsOf(await far.host.call('routing/put', { args: [`/ipns/${ours.name}`], body: file(record) }))
  const got = await until('js-libp2p finds it', () => plain.contentRouting.get(key(ours.name)).catch(error => void t.log(causes(error))))
  t.deepEqual(Buffer.from(got), Buffer.from(record))
  const value = await theirs.record(1n)
  await plain.contentRouting.put(key(theirs.name), value)
  const [found] = await until('this node finds it', () =>
    itemsOf<{ Extra: string }>(far.host.call('routing/get', { args: [`/ipns/${theirs.name}`] })).catch(() => undefined)
  )
  t.is(found!.Extra, Buffer.from(value).toString('base64'))
})
