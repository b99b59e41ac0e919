import test from 'ava'
import { dhtNode, tableOf } from '../../helpers/dht.ts'

test('nodes that know one peer find the rest of their network by it, and each other', async t => {
  const hub = await dhtNode(t)
  const others = await Promise.all(Array.from({ length: 4 }, () => dhtNode(t)))
  for (const { network } of others) await network.dial(hub.network.self, hub.network.announced())
  const all = [hub, ...others]
  for (const { host, network } of all) {
    const table = await tableOf(host, 4)
    const known = table.buckets().flatMap(({ peers }) => peers.map(({ id }) => id))
    const rest = all.map(one => one.network.self).filter(id => id !== network.self)
    t.deepEqual(known.sort(), rest.sort())
    for (const id of rest) t.true(network.connections(id).length > 0, 'and is connected with it')
  }
})
