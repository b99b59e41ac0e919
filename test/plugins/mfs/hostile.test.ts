/** Graphs that are made to harm the tree: each is an error of its own, and everything else goes on. */
import test from 'ava'
import { CID } from 'multiformats/cid'
import { sha256 } from 'multiformats/hashes/sha2'
import { writePb } from '../../../core/dag/index.ts'
import { Blocks, Datastore, Key } from '../../../core/index.ts'
import { encodeHamtData, NO_NAME } from '../../../core/unixfs/index.ts'
import { testHost } from '../../../host/testing.ts'
import { type Tree, treeOf } from './helpers.ts'

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
