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

/** The pieces of an answer, and what `midway` does behind the first of them. */
async function readThrough(answer: unknown, midway: () => Promise<void>): Promise<Buffer> {
  const pieces: Uint8Array[] = []
  for await (const piece of answer as AsyncIterable<Uint8Array>) {
    if (pieces.length === 0) await midway()
    pieces.push(piece)
  }
  return Buffer.concat(pieces)
}

test('what is fetched and not pinned stays while it is being read, and goes afterwards', async t => {
  const [a, b] = await nodes(t, 2)
  const content = randomBytes(20_000_000)
  const hash = await added(b, content)
  const read = await readThrough(await a.host.call('cat', { args: [hash] }), async () => {
    t.is(await collected(a), 0)
  })
  t.true(content.equals(read))
  // 77 leaves and their root
  t.is(await collected(a), 78)
})

test('what was fetched before and is read again stays for the reader, when nobody else has it any more', async t => {
  const [a, b] = await nodes(t, 2)
  const content = randomBytes(20_000_000)
  const files = { 'd/large': content, 'd/small': 'text' }
  const folder = await added(b, files)
  const read = async (name: string, args: string[]) => Buffer.concat(await itemsOf<Uint8Array>(await a.host.call(name, { args })))
  const before = { file: await read('cat', [`${folder}/large`]), tar: await read('get', [folder]), car: await read('dag/export', [folder]) }
  for (const connection of a.network.connections(b.network.self)) connection.abort(new Error('gone'))
  await b.host.stop()
  const midway = async () => {
    t.is(await collected(a), 0)
  }
  t.is((await readThrough(await a.host.call('get', { args: [folder] }), midway)).length, before.tar.length)
  t.true(before.car.equals(await readThrough(await a.host.call('dag/export', { args: [folder] }), midway)))
  const last = await readThrough(await a.host.call('cat', { args: [`${folder}/large`] }), async () => {
    t.is(await collected(a), 2, 'the folder and its other file')
  })
  t.true(content.equals(last))
  t.is(await collected(a), 78)
})

test('a reader that is left early keeps nothing any longer', async t => {
  const [a, b] = await nodes(t, 2)
  const hash = await added(b, randomBytes(20_000_000))
  for await (const _ of (await a.host.call('cat', { args: [hash] })) as AsyncIterable<Uint8Array>) break
  t.true((await collected(a)) > 0)
  const { length } = await itemsOf(await a.host.call('refs/local', {}))
  t.true(length < 10, `${length} blocks are left, of which the empty folder is one`)
})
