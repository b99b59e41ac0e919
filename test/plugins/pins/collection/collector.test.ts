import test from 'ava'
import { CID } from 'multiformats/cid'
import { parseCid } from '../../../../core/cid/parse.ts'
import { Blocks, Blockstore, type Collected, Collector, Pins, type Root, ready } from '../../../../core/index.ts'
import { MemoryBlockstore } from '../../../../plugins/storage-memory/blockstore.ts'
import { all, itemsUntilError } from '../../../helpers/streams.ts'
import { put } from '../../blocks/host.ts'
import { collected, has, hashes, links, node, raw, started } from './host.ts'

test('a collection removes what no pin reaches, and says how large it was', async t => {
  const host = await started(t)
  const [kept, loose] = [await put(host, 'kept'), await put(host, 'loose one')]
  await host.service(Pins)!.add(parseCid(await node(host, kept)))
  const items = (await all(host.service(Collector)!.collect())) as Array<Extract<Collected, { cid: unknown }>>
  t.deepEqual(
    items.map(({ cid, bytes }) => [cid.toString(), bytes]),
    [[loose, 9]]
  )
  t.true(await has(host, kept))
})

test('a block that is pinned directly is kept, and what it links to is not, unless another graph goes through it', async t => {
  const host = await started(t)
  const leaf = await put(host, 'leaf')
  const inner = await node(host, leaf)
  const outer = await node(host, inner)
  await host.service(Pins)!.add(parseCid(inner), { recursive: false })
  await host.service(Pins)!.add(parseCid(outer))
  t.deepEqual(await collected(host), [])
  await host.service(Pins)!.remove(parseCid(outer))
  t.deepEqual(await collected(host), hashes(leaf, outer))
  t.true(await has(host, inner))
})

test('a node is followed under the codec that says what it links to, be it linked to as mere bytes before or after', async t => {
  const host = await started(t)
  const leaf = await put(host, 'leaf')
  const inner = await node(host, leaf)
  const bytes = CID.createV1(0x55, parseCid(inner).multihash).toString()
  const pins = host.service(Pins)!
  for (const link of [bytes, inner, bytes]) await pins.add(parseCid(await node(host, link, await put(host, `beside ${link}`))))
  t.deepEqual(await collected(host), [])
  for await (const { cid } of pins.list()) if ((await links(host, cid)).includes(inner)) await pins.remove(cid)
  t.true((await collected(host)).includes(raw(leaf)))
  t.true(await has(host, inner))
})

test('roots of others are kept for as long as they say so, with as much as there is of a graph that need not be whole', async t => {
  const host = await started(t)
  const leaf = await put(host, 'leaf')
  const gone = await put(host, 'gone')
  const root = await node(host, leaf, gone)
  await host.service(Blocks)!.delete(parseCid(gone))
  const roots: Root[] = [{ cid: parseCid(root), recursive: true, bestEffort: true }]
  const lease = host.service(Collector)!.addRoots({
    name: 'mine',
    async *roots() {
      yield* roots
    }
  })
  t.deepEqual(await collected(host), [])
  lease.release()
  t.deepEqual(await collected(host), hashes(leaf, root))
})

test('where a graph that has to be whole is broken, everything that is missing is named and nothing removed', async t => {
  const host = await started(t)
  const [one, two] = [await node(host, await put(host, 'a')), await node(host, await put(host, 'b'))]
  const root = await node(host, one, two)
  const loose = await put(host, 'loose')
  await host.service(Pins)!.add(parseCid(root))
  for (const cid of [one, two]) await host.service(Blocks)!.delete(parseCid(cid))
  const errors: string[] = []
  await t.throwsAsync(
    async () => {
      for await (const item of host.service(Collector)!.collect()) if ('error' in item) errors.push(item.error.message)
    },
    { code: 'E_COLLECTION_ABORTED' }
  )
  const missing = (cid: string) => `could not retrieve links for ${cid}: block was not found locally (offline): ipld: could not find ${cid}`
  t.deepEqual(errors.sort(), [one, two].map(missing).sort())
  t.true(await has(host, loose))
})

test('a damaged node stops a collection instead of hiding what it links to', async t => {
  const host = await started(t)
  const leaf = await put(host, 'leaf')
  const root = await node(host, leaf)
  await host.service(Pins)!.add(parseCid(root))
  const store = host.service(Blockstore)!
  await store.deleteMultihash!(parseCid(root).multihash.bytes)
  await store.putBytes!(parseCid(root).multihash.bytes, Uint8Array.of(0xa0))
  const loose = await put(host, 'loose')
  await t.throwsAsync(all(host.service(Collector)!.collect()), { code: 'E_COLLECTION_ABORTED' })
  t.true((await has(host, leaf)) && (await has(host, loose)))
})

test('a block that cannot be removed is named, and the others go', async t => {
  class Stubborn extends MemoryBlockstore {
    stubborn: Uint8Array | undefined
    override async deleteAll(multihashes: readonly Uint8Array[]): Promise<ReadonlyArray<number | undefined>> {
      if (multihashes.some(multihash => String(multihash) === String(this.stubborn))) throw new Error('no')
      return super.deleteAll(multihashes)
    }
  }
  const store = new Stubborn()
  const host = await started(t, [ready(Blockstore, store)])
  const [one, two] = [await put(host, 'one'), await put(host, 'two')]
  store.stubborn = parseCid(two).multihash.bytes
  const { items, error } = await itemsUntilError<{ Key: { '/': string } }>(host.call('repo/gc'))
  t.deepEqual(
    items.map(({ Key }) => Key['/']),
    [one]
  )
  t.is(error, `could not remove ${two}: no; garbage collection incomplete: could not delete some blocks`)
  const streamed = await itemsUntilError<unknown>(host.call('repo/gc', { options: { streamErrors: true, silent: true } }))
  t.deepEqual(streamed, {
    items: [
      { Key: null, Error: `could not remove ${two}: no` },
      { Key: null, Error: 'garbage collection incomplete: could not delete some blocks' }
    ],
    error: 'encountered errors during gc run'
  })
})

test('how much was removed is said at the end where it is asked for', async t => {
  const host = await started(t, [ready(Blockstore, new MemoryBlockstore())])
  await collected(host)
  for (const content of ['one', 'three']) await put(host, content)
  const { items } = await itemsUntilError<unknown>(host.call('repo/gc', { options: { silent: true, stats: true } }))
  t.deepEqual(items, [{ Stats: { BlockCount: 2, BlockBytesCount: 8 } }])
  const none = await itemsUntilError<unknown>(host.call('repo/gc', { options: { stats: true } }))
  t.deepEqual(none.items, [{ Stats: { BlockCount: 0, BlockBytesCount: 0 } }])
})

test('a store that fails says so, and no pin is lost', async t => {
  class Broken extends MemoryBlockstore {
    isBroken = false
    override async *listMultihashes(): AsyncGenerator<Uint8Array> {
      if (this.isBroken) throw new Error('the disk is gone')
      yield* super.listMultihashes()
    }
  }
  const store = new Broken()
  const host = await started(t, [ready(Blockstore, store)])
  const kept = await put(host, 'kept', { pin: true })
  store.isBroken = true
  t.is((await itemsUntilError(host.call('repo/gc'))).error, 'the disk is gone')
  store.isBroken = false
  t.deepEqual(await collected(host), [])
  t.is((await host.service(Pins)!.get(parseCid(kept)))?.text, kept)
})
