import { Hash } from 'node:crypto'
import test from 'ava'
import { CID } from 'multiformats/cid'
import { create } from 'multiformats/hashes/digest'
import { type Blocks, type Exchange, messageOf, type Repo } from '../../../core/index.ts'
import { Barrier } from '../../../plugins/blocks/barrier.ts'
import { BlockService } from '../../../plugins/blocks/block-service.ts'
import { blockSettings } from '../../../plugins/blocks/settings.ts'
import { SourceList } from '../../../plugins/blocks/sources.ts'
import { MemoryBlockstore } from '../../../plugins/storage-memory/blockstore.ts'
import { all } from '../../helpers/streams.ts'
import { sample } from '../storage/samples.ts'

const { cid, bytes } = sample(1, 5000)
const wrong = sample(2, 5000).bytes

interface Parts {
  readonly exchange?: Exchange
  readonly verifyOnRead?: 'once' | 'asked' | 'all' | 'none'
  readonly hashOnRead?: boolean
}

function service({ exchange, verifyOnRead, hashOnRead = false }: Parts = {}): { blocks: Blocks; store: MemoryBlockstore } {
  const store = new MemoryBlockstore()
  const repo = { get: (key: string) => (key === 'Datastore.HashOnRead' ? hashOnRead : undefined) } as unknown as Repo
  const settings = blockSettings.parse(verifyOnRead === undefined ? {} : { verifyOnRead })
  const sources = new SourceList()
  if (exchange !== undefined) sources.add(exchange)
  const blocks = new BlockService({ store, sources, repo, barrier: new Barrier(), references: undefined, settings })
  blocks.start()
  return { blocks, store }
}

/** A peer that has these bytes for every CID, and counts who asks. */
function peer(answer: Uint8Array): Exchange & { asked: number } {
  return {
    asked: 0,
    async get() {
      this.asked++
      return answer
    }
  }
}

test('a block that other peers have is fetched once and kept', async t => {
  const exchange = peer(bytes)
  const { blocks, store } = service({ exchange })
  t.deepEqual(await blocks.get(cid), bytes)
  t.deepEqual(await blocks.get(cid), bytes)
  t.is(await blocks.size(cid), 5000)
  t.is(exchange.asked, 1)
  t.true(await store.has(cid))
})

test('a block is not fetched for a call that works with what is there', async t => {
  const exchange = peer(bytes)
  const { blocks } = service({ exchange })
  await t.throwsAsync(blocks.get(cid, { offline: true }), { code: 'E_BLOCK_NOT_FOUND' })
  await t.throwsAsync(blocks.size(cid, { offline: true }), { code: 'E_BLOCK_NOT_FOUND' })
  t.false(await blocks.has(cid))
  t.is(exchange.asked, 0)
})

test('bytes from a peer that are not those of the CID are refused and not kept', async t => {
  const { blocks, store } = service({ exchange: peer(wrong) })
  await t.throwsAsync(blocks.get(cid), { code: 'E_BLOCK_CORRUPT' })
  t.false(await store.has(cid))
})

test('what a caller asked for by its CID is hashed again, and the rest unless a setting says otherwise', async t => {
  for (const [parts, asked, others] of [
    [{}, true, true],
    [{ verifyOnRead: 'asked' }, true, false],
    [{ hashOnRead: true }, true, true],
    [{ verifyOnRead: 'all' }, true, true],
    [{ verifyOnRead: 'none' }, false, false],
    [{ hashOnRead: true, verifyOnRead: 'asked' }, true, false]
  ] as const) {
    const { blocks, store } = service(parts)
    await store.put(cid, wrong)
    const outcome = (options: { asked?: boolean }) => blocks.get(cid, options).then(() => 'given', messageOf)
    const refused = `block in storage has different hash than requested: ${cid}`
    t.is(await outcome({ asked: true }), asked ? refused : 'given')
    t.is(await outcome({}), others ? refused : 'given')
    t.is(blocks.atHand!(cid, { asked: true }) === undefined, asked)
    t.is(blocks.atHand!(cid) === undefined, others)
    t.is(blocks.atHand!(cid, { checked: true }), undefined)
  }
})

test('a block that was whole once is not hashed again, but where a caller asks for it or a setting says so', async t => {
  for (const [parts, asked, others] of [
    [{}, true, false],
    [{ hashOnRead: true }, true, true]
  ] as const) {
    for (const first of ['get', 'readAll', 'atHand'] as const) {
      const { blocks, store } = service(parts)
      await store.put(cid, bytes)
      if (first === 'get') await blocks.get(cid)
      if (first === 'readAll') await Promise.all(await blocks.readAll!([cid]))
      if (first === 'atHand') blocks.atHand!(cid)
      await store.delete(cid)
      await store.put(cid, wrong)
      const isRefused = (options?: { asked: boolean }) =>
        blocks.get(cid, options).then(
          () => false,
          () => true
        )
      t.is(await isRefused(), others, first)
      t.is(blocks.atHand!(cid) === undefined, others, first)
      t.is(await isRefused({ asked: true }), asked, first)
      t.true(await isRefused(), 'once it was found damaged, it is damaged')
    }
  }
})

test.serial('a long block in memory that is asked for by its CID is hashed once, by who waits for it', async t => {
  const long = sample(3, 3 << 20)
  const { blocks, store } = service()
  await store.put(long.cid, long.bytes)
  let hashed = 0
  const { update } = Hash.prototype
  t.teardown(() => {
    Hash.prototype.update = update
  })
  Hash.prototype.update = function (this: Hash, data: Uint8Array) {
    hashed += data.length
    return (update as (data: Uint8Array) => Hash).call(this, data)
  } as typeof update
  t.is(blocks.atHand!(long.cid, { asked: true }), undefined)
  t.is(Buffer.compare(await blocks.get(long.cid, { asked: true }), long.bytes), 0)
  t.is(hashed, long.bytes.length)
  t.is(Buffer.compare(blocks.atHand!(long.cid)!, long.bytes), 0)
})

test('what lies in memory is there at once, unless there is something to be said of it', async t => {
  const { blocks, store } = service({ exchange: peer(bytes) })
  t.is(blocks.atHand!(cid), undefined)
  await store.put(cid, bytes)
  t.deepEqual(blocks.atHand!(cid, { asked: true }), bytes)
  await blocks.delete(cid)
  t.is(blocks.atHand!(cid), undefined)
  const identity = CID.createV1(0x55, create(0, new Uint8Array(3)))
  t.deepEqual(blocks.atHand!(identity), new Uint8Array(3))
  const insecure = CID.createV1(0x55, create(0xd5, new Uint8Array(16)))
  await store.put(insecure, bytes)
  t.is(blocks.atHand!(insecure), undefined)
  await t.throwsAsync(blocks.get(insecure))
})

test('of several blocks those are read that are here and need no second look', async t => {
  const identity = CID.createV1(0x55, create(0, new Uint8Array(3)))
  const insecure = CID.createV1(0x55, create(0xd5, new Uint8Array(16)))
  const absent = sample(3, 10).cid
  const exchange = peer(bytes)
  const { blocks, store } = service({ exchange })
  await store.put(cid, bytes)
  t.deepEqual(await Promise.all(await blocks.readAll!([absent, cid, identity, insecure])), [undefined, bytes, undefined, undefined])
  t.is(exchange.asked, 0)
  const verifying = service({ verifyOnRead: 'all' })
  await verifying.store.put(cid, wrong)
  t.deepEqual(await Promise.all(await verifying.blocks.readAll!([cid])), [undefined], 'get() is asked, which looks at the hash')
})

test('of several blocks it says which are here, whatever the store can do', async t => {
  const identity = CID.createV1(0x55, create(0, new Uint8Array(3)))
  const others = Array.from({ length: 40 }, (_, i) => sample(i + 10, 10))
  const { blocks, store } = service()
  await store.put(cid, bytes)
  for (const { cid, bytes } of others.slice(1)) await store.put(cid, bytes)
  const asked = [others[0]!.cid, identity, cid, ...others.slice(1).map(({ cid }) => cid)]
  const answers = asked.map((_, i) => i > 0)
  t.deepEqual(await blocks.hasAll!(asked), answers)
  const seen: number[] = []
  const hasAll = async (multihashes: readonly Uint8Array[]) => {
    seen.push(multihashes.length)
    return Promise.all(multihashes.map(multihash => store.hasMultihash(multihash)))
  }
  Object.assign(store, { hasAll })
  t.deepEqual(await blocks.hasAll!(asked), answers)
  t.deepEqual(await blocks.hasAll!([cid]), [true])
  t.deepEqual(seen, [asked.length - 1, 1])
})

test('CIDs that a node must not touch are refused, to store and to read', async t => {
  const { blocks } = service()
  const of = (code: number, size: number) => CID.createV1(0x55, create(code, new Uint8Array(size)))
  const refused: Array<[CID, string]> = [
    [of(0xd5, 16), 'potentially insecure hash functions not allowed'],
    [of(0x12, 19), 'hashes must be at least 20 bytes long'],
    [of(0x1e, 129), 'hashes must be at most 128 bytes long']
  ]
  for (const [bad, message] of refused) {
    await t.throwsAsync(blocks.put(bad, bytes), { message })
    await t.throwsAsync(
      blocks.putAll([
        { cid, bytes },
        { cid: bad, bytes }
      ]),
      { message }
    )
    await t.throwsAsync(blocks.get(bad), { message })
    await t.throwsAsync(blocks.size(bad), { message })
  }
  t.false(await blocks.has(cid), 'nothing of a group with a bad CID is stored')
})

test('identity CIDs are never stored', async t => {
  const { blocks, store } = service()
  const identity = CID.createV1(0x55, create(0, new Uint8Array(300).fill(1)))
  await blocks.put(identity, identity.multihash.digest)
  await blocks.putAll([
    { cid: identity, bytes: identity.multihash.digest },
    { cid, bytes }
  ])
  t.true(await blocks.has(identity))
  t.is(await blocks.size(identity), 300)
  t.deepEqual(await blocks.get(identity), identity.multihash.digest)
  t.true(await blocks.delete(identity))
  t.is((await store.totals()).blocks, 1)
})

test('all stored blocks are listed as CIDs of version 1, codec raw', async t => {
  const { blocks } = service()
  await blocks.put(CID.createV0(cid.multihash as never), bytes)
  t.deepEqual((await all(blocks.list())).map(String), [String(cid)])
  t.true(await blocks.delete(cid))
  t.false(await blocks.delete(cid))
})
