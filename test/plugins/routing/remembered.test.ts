/** What is remembered so that answers take less: it is forgotten when it is not so any more. */
import { peerIdFromString } from '@libp2p/peer-id'
import { multiaddr } from '@multiformats/multiaddr'
import test from 'ava'
import type { Libp2p } from 'libp2p'
import { routingKey } from '../../../core/ipns/index.ts'
import { parsePeerId } from '../../../core/keys/index.ts'
import { itemsOf } from '../../../host/testing.ts'
import { ValueRecords } from '../../../plugins/routing/dht/records/records.ts'
import { routingSettings } from '../../../plugins/routing/settings.ts'
import { MemoryDatastore } from '../../../plugins/storage-memory/datastore.ts'
import { dhtNode, tableOf } from '../../helpers/dht.ts'
import { makeRecord } from '../../helpers/ipns.ts'
import { until } from '../../helpers/until.ts'

interface Event {
  readonly Type: number
  readonly ID: string
  readonly Responses: ReadonlyArray<{ readonly ID: string; readonly Addrs: readonly string[] }> | null
}

test('a server tells of the new addresses of a peer as soon as it knows them, and not of the old ones', async t => {
  const [server, known, asking] = [await dhtNode(t), await dhtNode(t), await dhtNode(t)]
  for (const { network } of [known, asking]) await network.dial(server.network.self, server.network.announced())
  await tableOf(server.host, 2)
  await tableOf(asking.host, 1)
  const told = async () => {
    const events = await itemsOf<Event>(await asking.host.call('dht/query', { args: [known.network.self] }))
    const answer = events.find(({ Type, ID }) => Type === 1 && ID === server.network.self)
    return answer?.Responses?.find(({ ID }) => ID === known.network.self)?.Addrs
  }
  await until('the peer is told of', async () => (await told())?.[0] === known.network.announced()[0])
  const elsewhere = '/ip4/127.0.0.1/tcp/9'
  const { peerStore } = server.network.libp2p<Libp2p>()
  const now = await until('the new address alone is told', async () => {
    // its own word may come in between
    await peerStore.patch(peerIdFromString(known.network.self), { multiaddrs: [multiaddr(elsewhere)] })
    const addresses = await told()
    return addresses?.includes(elsewhere) && addresses
  })
  t.deepEqual(now, [elsewhere])
})

test('a record that was good is given out no longer than its time', async t => {
  const values = new ValueRecords(new MemoryDatastore(), 'self', routingSettings.parse({}))
  const { name, record } = await makeRecord()
  const key = routingKey(parsePeerId(name))
  await values.put(key, await record(1n, 2_000), 'peer')
  t.truthy(await values.get(key))
  t.truthy(await values.get(key))
  await until('its time is over', async () => (await values.get(key)) === undefined)
})
