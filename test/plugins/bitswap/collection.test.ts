import { randomBytes } from 'node:crypto'
import test from 'ava'
import { Blocks, CID, Pins } from '../../../core/index.ts'
import { itemsOf } from '../../../host/testing.ts'
import type { OnlineNode } from '../../helpers/online.ts'
import { until } from '../../helpers/until.ts'
import { samples } from '../storage/samples.ts'
import { added, connected, nodes, statOf } from './nodes.ts'

const collected = async ({ host }: OnlineNode) => (await itemsOf(await host.call('repo/gc'))).length

test('of what a pin has fetched so far nothing goes with a collection, and nothing is fetched twice', async t => {
  const [a, b] = await nodes(t, 2)
  const files = Object.fromEntries(Array.from({ length: 1500 }, (_, i) => [`many/${i}`, `content of ${i}`]))
  const root = CID.parse(await added(b, files))
  for (const { cid, bytes } of samples(10)) await a.host.service(Blocks)!.put(cid, bytes)
  let reached = 0
  const adding = a.host.service(Pins)!.add(root, {
    onProgress(nodes) {
      reached = nodes
      if (nodes === 300) for (const connection of a.network.connections(b.network.self)) connection.abort(new Error('cut off'))
    }
  })
  await until('the peer is gone in the middle', () => reached >= 300 && statOf(a).peers.length === 0)
  t.true(reached < 1501, `${reached} of 1,501 nodes`)
  t.is(await collected(a), 10, 'what nothing keeps')
  await connected(a, b)
  await adding
  t.is(await collected(a), 0)
  const kept = await itemsOf(await a.host.call('refs', { args: [String(root)], options: { offline: true } }))
  t.is(kept.length, 1500)
  t.is(statOf(a).blocksReceived - Number(statOf(a).duplicateBlocksReceived), 1501)
})

test('a file that is being read from a peer comes whole, also when a collection takes what has come', async t => {
  const [a, b] = await nodes(t, 2)
  const content = randomBytes(20_000_000)
  const hash = await added(b, content)
  const pieces: Uint8Array[] = []
  for await (const piece of (await a.host.call('cat', { args: [hash] })) as AsyncIterable<Uint8Array>) {
    if (pieces.length === 0) t.true((await collected(a)) > 0)
    pieces.push(piece)
  }
  t.true(content.equals(Buffer.concat(pieces)))
})
