import test from 'ava'
import type { CID } from 'multiformats/cid'
import { type Block, Blocks, Dag, Datastore } from '../../../core/index.ts'
import { hashOfName } from '../../../core/unixfs/hash-of-name.ts'
import { DIRECTORY_DATA } from '../../../core/unixfs/import/encode.ts'
import { testHost } from '../../../host/testing.ts'
import { FileNode } from '../../../plugins/mfs/file/node.ts'
import { V0 } from '../../../plugins/mfs/naming.ts'
import { Nodes } from '../../../plugins/mfs/tree/nodes.ts'
import { Below, Shard } from '../../../plugins/mfs/tree/shard.ts'
import { openTree } from '../../../plugins/mfs/tree/tree.ts'
import { dataOf, newTree, treeOf } from './helpers.ts'

const DAG_PB = 0x70
const RAW_TYPE = 0
const FILE_TYPE = 2
const LEAF = 262_144
const GIB = 1024 ** 3

interface Part {
  readonly cid: CID
  readonly size: number
  readonly share: number
}

/** A node over parts, many of which are the same: a file of any size takes as many blocks as it has levels. */
async function over(blocks: Blocks, nodes: Nodes, children: Part[]): Promise<Part> {
  const node = new FileNode(V0, { type: FILE_TYPE, children })
  const bytes = node.encode()
  const cid = nodes.name(V0, DAG_PB, bytes)
  await blocks.putAll([{ cid, bytes }])
  return { cid, size: node.sizeOf(bytes), share: node.fileSize }
}

async function leafOf(blocks: Blocks, nodes: Nodes): Promise<Part> {
  const leaf = new FileNode(V0, { type: RAW_TYPE, data: new Uint8Array(LEAF) })
  const bytes = leaf.encode()
  const cid = nodes.name(V0, DAG_PB, bytes)
  await blocks.putAll([{ cid, bytes }])
  return { cid, size: bytes.length, share: LEAF }
}

const times = (part: Part, count: number): Part[] => Array.from({ length: count }, () => part)

async function balanced(blocks: Blocks, nodes: Nodes): Promise<{ file: Part; levels: number }> {
  const leaf = await leafOf(blocks, nodes)
  const second = await over(blocks, nodes, times(leaf, 174))
  const third = await over(blocks, nodes, times(second, 174))
  return { file: await over(blocks, nodes, times(third, 2)), levels: 4 }
}

async function trickle(blocks: Blocks, nodes: Nodes): Promise<{ file: Part; levels: number }> {
  const leaf = await leafOf(blocks, nodes)
  const subtrees: Part[] = []
  for (let depth = 0; depth < 5; depth++)
    subtrees.push(await over(blocks, nodes, [...times(leaf, 174), ...subtrees.flatMap(subtree => times(subtree, 4))]))
  return { file: subtrees.at(-1)!, levels: 6 }
}

/** Blocks that are read, and stored, while some work is done. */
async function counted(blocks: Blocks, work: () => Promise<unknown>): Promise<{ read: number; stored: number }> {
  const counts = { read: 0, stored: 0 }
  const { get, putAll } = blocks
  blocks.get = (cid, options) => {
    counts.read++
    return get.call(blocks, cid, options)
  }
  blocks.putAll = (all: readonly Block[], options) => {
    counts.stored += all.length
    return putAll.call(blocks, all, options)
  }
  await work()
  Object.assign(blocks, { get, putAll })
  return counts
}

for (const [layout, make] of Object.entries({ balanced, trickle }))
  test(`1 KiB into the middle of a ${layout} file of more than 10 GiB touches the blocks on the way there, and no more`, async t => {
    const host = await testHost()
    t.teardown(() => host.stop())
    const tree = treeOf(host)
    const blocks = host.service(Blocks)!
    const { file, levels } = await make(blocks, new Nodes(blocks, host.service(Dag)!))
    t.true(file.share > 10 * GIB)
    await tree.call('files/cp', [`/ipfs/${file.cid}`, '/large'])
    const offset = BigInt(5 * GIB + 1000)
    const { read, stored } = await counted(blocks, () => tree.write('/large', 'x'.repeat(1024), { offset }))
    t.true(read <= levels, `${read} read`)
    t.true(stored <= levels && stored > 1, `${stored} stored`)
    t.is(await tree.read('/large', { offset: offset - 2n, count: 4n }), '\0\0xx')
    t.is((await tree.stat('/large')).Size, BigInt(file.share))
  })

test('while one upload stands still, others write, list, move and stat', async t => {
  const tree = await newTree(t)
  await tree.call('files/mkdir', ['/d'])
  await tree.write('/d/there', 'there')
  let goOn = () => {}
  const stalled = new Promise<void>(resolve => {
    goOn = resolve
  })
  let begin = () => {}
  const begun = new Promise<void>(resolve => {
    begin = resolve
  })
  const body = (async function* () {
    for await (const part of dataOf('first')) {
      const { bytes } = part
      yield {
        ...part,
        async *bytes() {
          yield* bytes()
          begin()
          await stalled
        }
      }
    }
  })()
  const slow = tree.host.call('files/write', { args: ['/d/slow'], options: { create: true }, body })
  await begun
  await tree.write('/d/other', 'other')
  await tree.call('files/mv', ['/d/there', '/moved'])
  t.deepEqual(await tree.names('/d'), ['other'])
  t.is((await tree.stat('/moved')).Size, 5n)
  t.is(await tree.read('/d/other'), 'other')
  await tree.call('files/flush')
  goOn()
  await slow
  t.deepEqual(await tree.names('/d'), ['other', 'slow'])
})

test('the journal keeps a path that mkdir makes once, however many parts it has', async t => {
  const tree = await newTree(t)
  const sizes: number[] = []
  const datastore = tree.host.service(Datastore)!
  const { put } = datastore
  datastore.put = (key, value, options) => {
    if (key.toString().startsWith('/local/mfs/')) sizes.push(value.length)
    return put.call(datastore, key, value, options)
  }
  const path = (parts: number, name: string) => `/${name}${'/d'.repeat(parts - 1)}`
  await tree.call('files/mkdir', [path(100, 'a')], { parents: true })
  await tree.call('files/mkdir', [path(1000, 'b')], { parents: true })
  t.is(sizes.length, 2)
  t.true(sizes[1]! < 12 * sizes[0]!, `${sizes}`)
  t.is((await tree.stat(path(1000, 'b'))).Type, 'directory')
})

test('what is used again and again stays in memory, whatever else is read', async t => {
  const host = await testHost()
  t.teardown(() => host.stop())
  const blocks = host.service(Blocks)!
  const nodes = new Nodes(blocks, host.service(Dag)!)
  const tree = await openTree(nodes.make(V0, [], DIRECTORY_DATA).cid, nodes, { threshold: 2000, held: 400 })
  for (let d = 0; d < 12; d++) {
    const directory = await tree.run(() => tree.mkdir(tree.root, `d${d}`, V0))
    for (let i = 0; i < 100; i++) await tree.run(() => tree.mkdir(directory, `entry-${i}`, V0))
  }
  tree.fold(tree.root)
  await nodes.store()
  tree.trim()
  const look = (d: number) =>
    tree.run(() => {
      const at = tree.lookup([`d${d}`])
      for (let i = 0; i < 100; i++) if ('entries' in at) at.entries.get(`entry-${i}`)
    })
  const { read } = await counted(blocks, async () => {
    for (let round = 0; round < 40; round++) {
      await look(0)
      await look(1 + (round % 11))
      tree.trim()
    }
  })
  const { read: alone } = await counted(blocks, async () => {
    for (let round = 0; round < 40; round++) {
      await look(1 + (round % 11))
      tree.trim()
    }
  })
  t.true(read < 1.3 * alone, `${read} against ${alone}`)
})

test('a trie whose shards are of different widths is found in, changed and listed', async t => {
  const tree = await newTree(t)
  const blocks = tree.host.service(Blocks)!
  const nodes = new Nodes(blocks, tree.host.service(Dag)!)
  const [one, other] = namesWithOneFirstByte()
  const leaf = nodes.make(V0, [], DIRECTORY_DATA)
  const narrow = new Shard(V0, { fanout: 16, bits: 4, padding: 1 })
  for (const name of [one, other]) narrow.set(narrow.slot(hashOfName(name), 8), { name, cid: leaf.cid.bytes, size: leaf.size })
  const root = new Shard(V0)
  root.set(root.slot(hashOfName(one), 0), new Below({ shard: narrow }))
  const { cid } = root.make(nodes)
  await nodes.store()
  await tree.call('files/cp', [`/ipfs/${cid}`, '/mixed'])
  t.deepEqual((await tree.names('/mixed')).sort(), [one, other].sort())
  for (const name of [one, other]) {
    t.is((await tree.stat(`/mixed/${name}`)).Hash, leaf.cid.toString())
    t.is((await tree.stat(`/ipfs/${cid}/${name}`)).Hash, leaf.cid.toString())
  }
  await tree.write(`/mixed/${one}/f`, 'f')
  t.deepEqual(await tree.names(`/mixed/${one}`), ['f'])
})

/** Two names whose hashes have the same first byte, and differ in the four bits that follow. */
function namesWithOneFirstByte(): [string, string] {
  const first = new Map<number, string>()
  for (let i = 0; ; i++) {
    const name = `name-${i}`
    const [byte, next] = hashOfName(name) as Uint8Array & [number, number]
    const before = first.get(byte)
    if (before !== undefined && hashOfName(before)[1]! >> 4 !== next >> 4) return [before, name]
    first.set(byte, name)
  }
}
