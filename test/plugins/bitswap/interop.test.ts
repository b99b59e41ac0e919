import { randomBytes } from 'node:crypto'
import { createBitswap } from '@helia/bitswap'
import { identify } from '@libp2p/identify'
import { multiaddr } from '@multiformats/multiaddr'
import test, { type ExecutionContext } from 'ava'
import { Blocks, type CID } from '../../../core/index.ts'
import { itemsOf } from '../../../host/testing.ts'
import { MemoryBlockstore } from '../../../plugins/storage-memory/blockstore.ts'
import { libp2pNode } from '../../helpers/libp2p.ts'
import type { OnlineNode } from '../../helpers/online.ts'
import { until } from '../../helpers/until.ts'
import { samples } from '../storage/samples.ts'
import { added, bytesOf, nodes, statOf } from './nodes.ts'

/** The published implementation on plain libp2p, with a store of its own. */
async function helia(t: ExecutionContext, node: OnlineNode) {
  const libp2p = await libp2pNode(t, { services: { identify: identify() } })
  const store = new MemoryBlockstore()
  const nowhere = { async *findProviders() {} }
  const parts = { libp2p, blockstore: store, routing: nowhere, peerId: libp2p.peerId, logger: libp2p.logger }
  const bitswap = createBitswap(parts as unknown as Parameters<typeof createBitswap>[0])
  await bitswap.start()
  t.teardown(() => bitswap.stop())
  const [address] = node.network.announced()
  await libp2p.dial(multiaddr(`${address}/p2p/${node.network.self}`))
  await until('the node knows it', () => statOf(node).peers.includes(libp2p.peerId.toString()))
  return { bitswap, store, id: libp2p.peerId.toString() }
}

test('blocks come from the published implementation of bitswap', async t => {
  const [node, other] = await nodes(t, 2)
  const content = randomBytes(5_000_000)
  const hash = await added(other, content)
  const { store } = await helia(t, node)
  for await (const cid of other.host.service(Blocks)!.list()) {
    await store.putBytes(cid.multihash.bytes, await other.host.service(Blocks)!.get(cid))
  }
  for (const connection of node.network.connections(other.network.self)) await connection.close()
  await until('the other is gone', () => !statOf(node).peers.includes(other.network.self))
  t.true(content.equals(await bytesOf(node, 'cat', hash)))
  await itemsOf(await node.host.call('refs', { args: [hash], options: { recursive: true, offline: true } }))
})

test('blocks go to the published implementation of bitswap, also those that are stored later', async t => {
  const [node] = await nodes(t, 1)
  const blocks = node.host.service(Blocks)!
  const { bitswap, id } = await helia(t, node)
  const here = samples(50, 20_000)
  await blocks.putAll(here)
  const get = async (cid: CID) => Buffer.from(await bitswap.want(cid))
  const got = await Promise.all(here.map(({ cid }) => get(cid)))
  t.deepEqual(
    got,
    here.map(({ bytes }) => Buffer.from(bytes))
  )
  const later = samples(51, 3_000).at(-1)!
  const waiting = get(later.cid)
  await until('it is asked for', async () => {
    const { Keys } = (await node.host.call('bitswap/wantlist', { options: { peer: id } })) as { Keys: Array<{ '/': string }> }
    return Keys.some(key => key['/'] === later.cid.toString())
  })
  await blocks.put(later.cid, later.bytes)
  t.deepEqual(await waiting, Buffer.from(later.bytes))
})
