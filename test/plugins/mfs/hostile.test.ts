/** Graphs that are made to harm the tree: each is an error of its own, and everything else goes on. */
import { join } from 'node:path'
import test from 'ava'
import { CID } from 'multiformats/cid'
import { sha256 } from 'multiformats/hashes/sha2'
import { openPb, writePb } from '../../../core/dag/index.ts'
import { Blocks, Datastore, type FastBlocks, Key } from '../../../core/index.ts'
import { encodeHamtData, NO_NAME } from '../../../core/unixfs/index.ts'
import { testHost } from '../../../host/testing.ts'
import { Journal, type JournalParts } from '../../../plugins/mfs/journal.ts'
import { MemoryDatastore } from '../../../plugins/storage-memory/datastore.ts'
import { temporaryFolder } from '../../helpers/folder.ts'
import { openTree, type Tree, treeOf } from './helpers.ts'

const MURMUR3 = 0x22

async function hostileTree(t: {
  teardown(fn: () => Promise<unknown>): void
}): Promise<{ tree: Tree; put: (bytes: Uint8Array) => Promise<CID> }> {
  const host = await testHost({ configuration: { plugins: { mfs: { maxStatBlocks: 100 } } } })
  t.teardown(() => host.stop())
  const blocks = host.service(Blocks)!
  const put = async (bytes: Uint8Array) => {
    const cid = CID.createV1(0x70, await sha256.digest(bytes))
    await blocks.put(cid, bytes)
    return cid
  }
  return { tree: treeOf(host), put }
}

const link = (cid: CID, name: string | Uint8Array = NO_NAME, size = 1) => ({ cid: cid.bytes, name: Buffer.from(name), size })

test('how much of a graph is stored is told of one whose blocks are linked to 2^60 times', async t => {
  const { tree, put } = await hostileTree(t)
  let cid = await put(writePb([], Uint8Array.of(0x08, 0x02, 0x18, 0x00)))
  const leaf = 6n
  let size = leaf
  for (let level = 0; level < 60; level++) {
    const block = writePb([link(cid), link(cid)], Uint8Array.of(0x08, 0x02, 0x18, 0x00))
    cid = await put(block)
    size = BigInt(block.length) + 2n * size
  }
  const stat = await tree.call<{ Local: boolean; SizeLocal: bigint }>('files/stat', [`/ipfs/${cid}`], { withLocal: true })
  t.true(stat.Local)
  t.is(BigInt(stat.SizeLocal), size)
})

test('a graph of too many blocks to look for is an error that names the limit', async t => {
  const { tree, put } = await hostileTree(t)
  const leaves = await Promise.all(
    Array.from({ length: 101 }, (_, i) => put(writePb([], Uint8Array.of(0x08, 0x02, 0x12, 0x01, i, 0x18, 0x01))))
  )
  const root = await put(
    writePb(
      leaves.map(cid => link(cid)),
      Uint8Array.of(0x08, 0x02)
    )
  )
  await t.throwsAsync(tree.call('files/stat', [`/ipfs/${root}`], { withLocal: true }), {
    message: /more than 100 blocks .*plugins\.mfs\.maxStatBlocks/
  })
})

test('a sharded directory that is broken is an error where it is used, and can be removed', async t => {
  const { tree, put } = await hostileTree(t)
  const empty = await put(writePb([], Uint8Array.of(0x08, 0x01)))
  const shards = [
    encodeHamtData(Uint8Array.of(1), MURMUR3, 1 << 30),
    encodeHamtData(Uint8Array.of(1), MURMUR3, 48),
    encodeHamtData(Uint8Array.of(1), 0x12, 256)
  ].map(data => writePb([link(empty, '00x')], data))
  for (const [i, block] of shards.entries()) {
    const cid = await put(block)
    await tree.call('files/cp', [`/ipfs/${cid}`, `/broken${i}`], { flush: false })
    await t.throwsAsync(tree.write(`/broken${i}/f`, 'x'), { message: /hamt|murmur3/ })
    await t.throwsAsync(tree.call('files/ls', [`/broken${i}`]), { message: /hamt|murmur3/ })
    for await (const line of await tree.call<AsyncIterable<string>>('files/rm', [`/broken${i}`], { force: true })) t.fail(line)
  }
  t.deepEqual(await tree.names('/'), [])
})

test('a shard that leads to itself is followed no further than names have bits', async t => {
  const { tree, put } = await hostileTree(t)
  // No block can link to itself; a chain of them that is longer than a hash stands for it.
  let cid = await put(writePb([], Uint8Array.of(0x08, 0x01)))
  for (let level = 0; level < 12; level++) {
    const everySlot = Array.from({ length: 256 }, (_, slot) => link(cid, slot.toString(16).toUpperCase().padStart(2, '0')))
    cid = await put(writePb(everySlot, encodeHamtData(new Uint8Array(32).fill(255), MURMUR3, 256)))
  }
  await tree.call('files/cp', [`/ipfs/${cid}`, '/deep'], { flush: false })
  await t.throwsAsync(tree.write('/deep/name', 'x'), { message: 'sharded directory too deep' })
  await tree.write('/fine', 'x')
  t.deepEqual((await tree.names('/')).sort(), ['deep', 'fine'])
})

test('a directory of two entries with one name keeps one of them', async t => {
  const { tree, put } = await hostileTree(t)
  const file = await put(writePb([], Uint8Array.of(0x08, 0x02, 0x18, 0x00)))
  const twice = await put(writePb([link(file, 'a', 6), link(file, 'a', 6)], Uint8Array.of(0x08, 0x01)))
  await tree.call('files/cp', [`/ipfs/${twice}`, '/d'])
  await tree.write('/d/b', 'b')
  t.deepEqual(await tree.names('/d'), ['a', 'b'])
})

test('a link that says that there are 2^64 - 1 bytes below it costs nothing else, in directories of any form, also after a start', async t => {
  const sizes = [2n ** 53n + 1n, 2n ** 63n, 2n ** 64n - 1n]
  for (const threshold of ['256kiB', '1B']) {
    const repo = join(await temporaryFolder(t), 'repo')
    const tree = await openTree(repo, { threshold })
    const blocks = tree.host.service(Blocks)!
    const put = async (bytes: Uint8Array) => {
      const cid = CID.createV1(0x70, await sha256.digest(bytes))
      await blocks.put(cid, bytes)
      return cid
    }
    const sizesIn = async ({ host }: Tree, path: string) => {
      const { Hash } = await treeOf(host).stat(path)
      const node = openPb(await host.service(Blocks)!.get(CID.parse(Hash)))
      return Array.from({ length: node.length }, (_, i) => node.size(i))
        .filter(size => typeof size === 'bigint')
        .sort((a, b) => (a < b ? -1 : 1))
    }
    const file = await put(writePb([], Uint8Array.of(0x08, 0x02, 0x18, 0x00)))
    const links = sizes.map((size, i) => ({ cid: file.bytes, name: Buffer.from(`${i}`), size }))
    await tree.write('/before', 'x')
    await tree.call('files/cp', [`/ipfs/${await put(writePb(links, Uint8Array.of(0x08, 0x01)))}`, '/d'])
    await tree.write('/d/new', 'x')
    t.deepEqual(await sizesIn(tree, '/d'), sizes)
    await tree.host.stop()
    const again = await openTree(repo, { threshold })
    t.is(await again.read('/before'), 'x')
    t.deepEqual(await sizesIn(again, '/d'), sizes)
    for await (const line of await again.call<AsyncIterable<string>>('files/rm', ['/d/2'])) t.fail(line)
    t.deepEqual(await sizesIn(again, '/d'), sizes.slice(0, 2))
    // what the directory above says of it is what it says itself
    const { CumulativeSize } = await again.stat('/d')
    t.deepEqual(await sizesIn(again, '/'), [CumulativeSize])
    await again.host.stop()
  }
})

test('a tree whose root nobody has keeps neither a caller who leaves nor the end of the node waiting', async t => {
  const host = await testHost()
  const tree = treeOf(host)
  const blocks = host.service(Blocks)!
  const root = CID.createV1(0x70, await sha256.digest(Uint8Array.of(1, 2, 3)))
  await host.service(Datastore)!.put(new Key('/local/filesroot'), root.bytes)
  const asked = Promise.withResolvers<void>()
  let wasLeft = false
  const { get } = blocks
  // As an exchange does that finds nobody.
  blocks.get = (cid, options) => {
    if (!cid.equals(root)) return get.call(blocks, cid, options)
    asked.resolve()
    return new Promise((_, reject) => {
      const leave = () => {
        wasLeft = true
        reject(options!.signal!.reason)
      }
      options?.signal?.addEventListener('abort', leave, { once: true })
    })
  }
  const caller = new AbortController()
  const listing = host.call('files/stat', { args: ['/'], signal: caller.signal })
  await asked.promise
  caller.abort(new Error('the caller left'))
  await t.throwsAsync(listing)
  const other = t.throwsAsync(tree.stat('/'))
  await host.stop()
  t.true(wasLeft, 'the end of the node ends the search')
  await other
})

test('nothing is collected while a record of changes cannot be read, as nobody knows what it refers to', async t => {
  const { tree, put } = await hostileTree(t)
  const datastore = tree.host.service(Datastore)!
  const blocks = tree.host.service(Blocks)!
  const file = await put(writePb([], Uint8Array.of(0x08, 0x02, 0x12, 0x01, 0x61, 0x18, 0x01)))
  const record = (number: number, text: string) =>
    datastore.put(new Key(`/local/mfs/${String(number).padStart(16, '0')}`), Buffer.from(text))
  await record(0, JSON.stringify([{ path: ['f'], cid: file.toString(), size: 9 }]))
  await record(1, '[{"path":')
  const collect = async () => {
    for await (const line of await tree.call<AsyncIterable<{ Error?: string }>>('repo/gc')) if (line.Error) throw new Error(line.Error)
  }
  await t.throwsAsync(collect(), { message: /0000000000000001 of the mutable tree's journal cannot be read/ })
  t.true(await blocks.has(file))
  await record(1, '[]')
  await collect()
  t.is(await tree.read('/f'), 'a')
})

test('a change whose record is being written is among those that a collection keeps', async t => {
  const memory = new MemoryDatastore()
  const begun = Promise.withResolvers<void>()
  const goOn = Promise.withResolvers<void>()
  const put = async (key: Key, value: Uint8Array) => {
    begun.resolve()
    await goOn.promise
    return memory.put(key, value)
  }
  const slow = Object.assign(new MemoryDatastore(), { put, query: memory.query.bind(memory) })
  const journal = new Journal(slow, { sync: async () => {} } as FastBlocks, { storeMade: async () => {} } as JournalParts)
  const file = CID.createV1(0x55, await sha256.digest(Uint8Array.of(1)))
  journal.add({ path: ['f'], cid: file, size: 1 })
  const flushed = journal.flush()
  await begun.promise
  const changes = journal.changes()
  // What does not wait for the record has looked for it by then.
  await new Promise(resolve => setImmediate(resolve))
  goOn.resolve()
  t.like(await changes, [{ path: ['f'] }])
  await flushed
})
