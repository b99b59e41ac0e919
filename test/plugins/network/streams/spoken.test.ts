import type { Libp2p } from '@libp2p/interface'
import { multiaddr } from '@multiformats/multiaddr'
import test from 'ava'
import { libp2pNode } from '../../../helpers/libp2p.ts'
import { onlineNode } from '../../../helpers/online.ts'
import { gathered } from '../../../helpers/streams.ts'
import { until } from '../../../helpers/until.ts'

test('what is known of a peer is not read anew for each of its streams, and the protocols that it speaks are known', async t => {
  const node = await onlineNode(t, { node: { 'Routing.Type': 'none' } })
  let served = 0
  await node.network.handle('/x/many', async stream => {
    await gathered(stream)
    served++
  })
  let reads = 0
  const libp2p = node.network.libp2p<Libp2p>()
  const { datastore } = (libp2p as Libp2p & { readonly components: { readonly datastore: { get(key: unknown): unknown } } }).components
  const get = datastore.get.bind(datastore)
  datastore.get = key => {
    reads++
    return get(key)
  }
  const peer = await libp2pNode(t)
  const openMany = async (times: number) => {
    await peer.dial(multiaddr(node.addresses()[0]!))
    for (let i = 0; i < times; i++) {
      const before = served
      const stream = await peer.dialProtocol(multiaddr(node.addresses()[0]!), '/x/many')
      await stream.close()
      await until('it is served', () => served > before)
    }
    return reads
  }
  const first = await openMany(2)
  t.true((await openMany(20)) - first < 20)
  await peer.hangUp(node.addresses().map(address => multiaddr(address))[0]!)
  await until('it is gone', () => node.network.connections().length === 0)
  t.true((await openMany(1)) > first)
  t.true((await node.network.peer(peer.peerId.toString()))!.protocols.includes('/x/many'))
})
