import test, { type ExecutionContext } from 'ava'
import { CID } from 'multiformats/cid'
import { parseCid } from '../../../core/cid/parse.ts'
import {
  type AnyProvision,
  Blocks,
  Blockstore,
  type Collected,
  Collector,
  Dag,
  Exchange,
  Pins,
  type Root,
  ready
} from '../../../core/index.ts'
import { type NodeHost } from '../../../host/host.ts'
import { testHost } from '../../../host/testing.ts'
import { MemoryBlockstore } from '../../../plugins/storage-memory/blockstore.ts'
import { linesOf, put, upload } from '../blocks/host.ts'
import { all } from './world.ts'

async function started(t: ExecutionContext, services: readonly AnyProvision[] = []): Promise<NodeHost> {
  const host = await testHost({ services })
  t.teardown(() => host.stop())
  return host
}

/** Stores a node with these links, under the CID that is answered. */
async function node(host: NodeHost, ...links: string[]): Promise<string> {
  const data = JSON.stringify({ links: links.map(link => ({ '/': link })) })
  const { lines } = await linesOf<{ Cid: { '/': string } }>(host.call('dag/put', { body: upload({ data }) }))
  return lines[0]!.Cid['/']
}

const raw = (cid: string) => parseCid(cid).toV1().multihash.bytes.toString()

/** The multihashes of what a collection removes. */
async function collected(host: NodeHost): Promise<string[]> {
  const items = await all(host.service(Collector)!.collect())
  return items.map(item => ('cid' in item ? item.cid.multihash.bytes.toString() : item.error.message)).sort()
}

const links = async (host: NodeHost, cid: CID) =>
  host
    .service(Dag)!
    .links(cid, await host.service(Blocks)!.get(cid))
    .map(link => link.cid.toString())

const hashes = (...cids: string[]) => cids.map(raw).sort()
const has = (host: NodeHost, cid: string) => host.service(Blocks)!.has(parseCid(cid))

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

test('what is stored while a collection runs stays, also where it was there before', async t => {
  const host = await started(t)
  const cids: string[] = []
  for (let i = 0; i < 600; i++) cids.push(await put(host, `loose ${i}`))
  const removed = new Set<string>()
  let again: string[] | undefined
  for await (const item of host.service(Collector)!.collect()) {
    if (!('cid' in item)) continue
    removed.add(item.cid.toString())
    again ??= await Promise.all([599, 598, 597].map(i => put(host, `loose ${i}`)))
  }
  t.is(removed.size, 600 - again!.filter(cid => !removed.has(cid)).length)
  for (const cid of again!) t.true(await has(host, cid))
  t.deepEqual(
    await collected(host),
    hashes(...again!).filter((hash, i, all) => all.indexOf(hash) === i)
  )
})

test('a block that is fetched for a pin while a collection runs brings with it what it links to', async t => {
  const exchange: Exchange & { bytes?: Uint8Array; until?: Promise<void> } = {
    async get() {
      await this.until
      return this.bytes!
    }
  }
  const host = await started(t, [ready(Exchange, exchange)])
  const blocks = host.service(Blocks)!
  for (let i = 0; i < 600; i++) await put(host, `loose ${i}`)
  const leaf = await put(host, 'leaf')
  const inner = await node(host, leaf)
  const root = await node(host, inner)
  exchange.bytes = await blocks.get(parseCid(inner))
  await blocks.delete(parseCid(inner))
  let arrive = () => {}
  exchange.until = new Promise(resolve => {
    arrive = resolve
  })
  const adding = host.service(Pins)!.add(parseCid(root))
  for await (const _ of host.service(Collector)!.collect()) {
    arrive()
    await adding
  }
  for (const cid of [leaf, inner, root]) t.true(await has(host, cid))
  t.deepEqual(await collected(host), [])
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
  const { lines, error } = await linesOf<{ Key: { '/': string } }>(host.call('repo/gc'))
  t.deepEqual(
    lines.map(({ Key }) => Key['/']),
    [one]
  )
  t.is(error, `could not remove ${two}: no; garbage collection incomplete: could not delete some blocks`)
  const streamed = await linesOf<unknown>(host.call('repo/gc', { options: { streamErrors: true, silent: true } }))
  t.deepEqual(streamed, {
    lines: [
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
  const { lines } = await linesOf<unknown>(host.call('repo/gc', { options: { silent: true, stats: true } }))
  t.deepEqual(lines, [{ Stats: { BlockCount: 2, BlockBytesCount: 8 } }])
  const none = await linesOf<unknown>(host.call('repo/gc', { options: { stats: true } }))
  t.deepEqual(none.lines, [{ Stats: { BlockCount: 0, BlockBytesCount: 0 } }])
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
  t.is((await linesOf(host.call('repo/gc'))).error, 'the disk is gone')
  store.isBroken = false
  t.deepEqual(await collected(host), [])
  t.is((await host.service(Pins)!.get(parseCid(kept)))?.text, kept)
})

test('a second collection waits for the first', async t => {
  const host = await started(t)
  for (let i = 0; i < 300; i++) await put(host, `loose ${i}`)
  const first = host.service(Collector)!.collect()[Symbol.asyncIterator]()
  await first.next()
  let done = false
  const second = collected(host).finally(() => {
    done = true
  })
  for (let i = 0; i < 20; i++) await new Promise(resolve => setImmediate(resolve))
  t.false(done)
  await first.return?.()
  t.true((await second).length > 0)
})

test('who waits for a collection can leave, and the next still waits its turn', async t => {
  const host = await started(t)
  for (let i = 0; i < 300; i++) await put(host, `loose ${i}`)
  const collector = host.service(Collector)!
  const first = collector.collect()[Symbol.asyncIterator]()
  await first.next()
  const leave = new AbortController()
  const second = all(collector.collect({ signal: leave.signal }))
  const third = collected(host)
  leave.abort(new Error('left'))
  await t.throwsAsync(second, { message: 'left' })
  let done = false
  third.finally(() => {
    done = true
  })
  for (let i = 0; i < 20; i++) await new Promise(resolve => setImmediate(resolve))
  t.false(done)
  await first.return?.()
  t.true((await third).length > 0)
})

test('a collection that is left stops, and the next one removes the rest', async t => {
  const host = await started(t)
  for (let i = 0; i < 600; i++) await put(host, `loose ${i}`)
  const leave = new AbortController()
  let count = 0
  await t.throwsAsync(async () => {
    for await (const _ of (await host.call('repo/gc', { signal: leave.signal })) as AsyncIterable<unknown>)
      if (++count === 10) leave.abort()
  })
  t.is(count, 10)
  const rest = await collected(host)
  t.true(rest.length > 0 && rest.length < 600)
  t.deepEqual(await collected(host), [])
})

test('a pin that was interrupted does not count on blocks that a collection removed', async t => {
  const host = await started(t)
  const pins = host.service(Pins)!
  let forgotten = 0
  const forget = pins.forgetProgress.bind(pins)
  pins.forgetProgress = () => {
    forgotten++
    return forget()
  }
  await put(host, 'loose')
  t.is((await collected(host)).length, 1)
  t.is(forgotten, 1)
})

test('a put waits while blocks are removed, and stores what was removed under its hands', async t => {
  const host = await started(t)
  const cid = await put(host, 'garbage')
  const store = host.service(Blockstore)!
  const deleteAll = store.deleteAll!.bind(store)
  let storing: Promise<string> | undefined
  store.deleteAll = async multihashes => {
    storing ??= put(host, 'garbage')
    for (let i = 0; i < 20; i++) await new Promise(resolve => setImmediate(resolve))
    return deleteAll(multihashes)
  }
  t.deepEqual(await collected(host), hashes(cid))
  await storing
  t.true(await has(host, cid))
})
