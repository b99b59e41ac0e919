import test from 'ava'
import { importer } from 'ipfs-unixfs-importer'
import { fixedSize } from 'ipfs-unixfs-importer/chunker'
import { balanced, trickle } from 'ipfs-unixfs-importer/layout'
import type { CID } from 'multiformats/cid'
import { ReadAheadBudget } from '../../../../core/blocks/read-ahead.ts'
import { readFile } from '../../../../core/unixfs/export/file.ts'
import { type FileNode, openNode } from '../../../../core/unixfs/export/node.ts'
import { gathered } from '../../../helpers/streams.ts'
import { Blocks, noise, selfSimilar, sourcesOf, unixfs } from './blocks.ts'

const File = 2

async function store(blocks: Blocks, content: Uint8Array, options: Parameters<typeof importer>[2] = {}): Promise<CID> {
  let last: CID | undefined
  for await (const { cid } of importer([{ content }], blocks as never, options)) last = cid
  return last!
}

async function file(blocks: Blocks, cid: CID): Promise<FileNode> {
  const node = await openNode(cid, sourcesOf(blocks))
  if (node.type !== 'file') throw new TypeError(`a ${node.type}`)
  return node
}

async function read(blocks: Blocks, cid: CID, offset?: bigint, length?: bigint): Promise<Buffer> {
  return gathered(await readFile(await file(blocks, cid), sourcesOf(blocks), { offset, length }))
}

const layouts = {
  'a balanced file': { chunker: fixedSize({ chunkSize: 7 }), layout: balanced({ maxChildrenPerNode: 4 }) },
  'a trickle file': { chunker: fixedSize({ chunkSize: 7 }), layout: trickle() },
  'a file of raw leaves': { chunker: fixedSize({ chunkSize: 100 }), layout: balanced({ maxChildrenPerNode: 3 }), rawLeaves: true },
  'a single block': { rawLeaves: false },
  'a single raw block': { rawLeaves: true, reduceSingleLeafToSelf: true, cidVersion: 1 as const }
}

for (const [name, options] of Object.entries(layouts)) {
  test(`the bytes of ${name} come in order, whatever part of it is asked for`, async t => {
    const blocks = new Blocks()
    const content = noise(2500)
    const cid = await store(blocks, content, options)
    t.is((await file(blocks, cid)).size, 2500n)
    t.deepEqual(await read(blocks, cid), Buffer.from(content))
    for (const [offset, length] of [
      [0, 1],
      [0, 7],
      [6, 2],
      [7, 7],
      [13, 1000],
      [2499, 1],
      [2499, 100],
      [2500, 1],
      [1234, 0]
    ] as const) {
      const wanted = Buffer.from(content.subarray(offset, offset + length))
      t.deepEqual(await read(blocks, cid, BigInt(offset), BigInt(length)), wanted, `${length} bytes from ${offset}`)
    }
    t.deepEqual(await read(blocks, cid, 2000n), Buffer.from(content.subarray(2000)))
  })
}

/** A node over others. */
const over = (blocks: Blocks, node: Parameters<typeof unixfs>[0], ...children: CID[]) =>
  blocks.pb(
    unixfs(node),
    children.map(cid => ['', cid, 1] as const)
  )

test('large pieces are handed on as views of their blocks, small ones are put together', async t => {
  const blocks = new Blocks()
  const large = await store(blocks, noise(100_000), { chunker: fixedSize({ chunkSize: 40_000 }), rawLeaves: true })
  const pieces: Uint8Array[] = []
  for await (const piece of await readFile(await file(blocks, large), sourcesOf(blocks))) pieces.push(piece)
  t.deepEqual(
    pieces.map(piece => piece.length),
    [40_000, 40_000, 20_000]
  )
  t.true(pieces.every(piece => [...blocks.map.values()].some(block => block.buffer === piece.buffer)))
  const small = await store(blocks, noise(100_000), { chunker: fixedSize({ chunkSize: 100 }) })
  const lengths: number[] = []
  for await (const piece of await readFile(await file(blocks, small), sourcesOf(blocks))) lengths.push(piece.length)
  t.deepEqual(lengths, [65_500, 34_500])
})

test('several blocks are loaded ahead, but for a range none beyond its end', async t => {
  const blocks = new Blocks()
  const cid = await store(blocks, noise(10_000), { chunker: fixedSize({ chunkSize: 100 }), rawLeaves: true })
  await read(blocks, cid)
  t.true(blocks.mostOpen > 4, String(blocks.mostOpen))
  blocks.asked.length = 0
  await read(blocks, cid, 150n, 100n)
  const node = await file(blocks, cid)
  t.deepEqual(blocks.asked.slice(1, 3), [node.root.node.cid(1).toString(), node.root.node.cid(2).toString()])
  t.is(blocks.asked.length, 4)
})

test('a block that is missing ends the content there', async t => {
  const blocks = new Blocks()
  const cid = await store(blocks, noise(300_000), { chunker: fixedSize({ chunkSize: 100_000 }) })
  const node = await file(blocks, cid)
  blocks.delete(node.root.node.cid(1))
  const pieces: number[] = []
  const all = async () => {
    for await (const piece of await readFile(node, sourcesOf(blocks))) pieces.push(piece.length)
  }
  await t.throwsAsync(all, { code: 'E_NODES_MISSING', message: 'failed to fetch all nodes' })
  t.deepEqual(pieces, [100_000])
  await t.throwsAsync(readFile(node, sourcesOf(blocks), { offset: 150_000n }), { message: 'failed to fetch all nodes' })
  t.is((await read(blocks, cid, 200_000n, 10n)).length, 10)
})

test('leaving early gives up what was asked for ahead', async t => {
  const blocks = new Blocks()
  const cid = await store(blocks, noise(3_000_000), { chunker: fixedSize({ chunkSize: 100_000 }), rawLeaves: true })
  const node = await file(blocks, cid)
  let [hanging, given] = [0, 0]
  const slow = {
    get: (asked: CID, { signal }: { signal?: AbortSignal } = {}) => {
      if (blocks.asked.length < 5) return blocks.get(asked)
      hanging++
      return new Promise<Uint8Array>((_, reject) => signal?.addEventListener('abort', () => given++ || reject(signal.reason)))
    }
  }
  for await (const piece of await readFile(node, { ...sourcesOf(blocks), blocks: slow })) {
    t.is(piece.length, 100_000)
    if (hanging > 0) break
  }
  t.true(hanging > 0)
  t.is(given, hanging)
})

test('an aborted signal ends the reading with its reason', async t => {
  const blocks = new Blocks()
  const cid = await store(blocks, noise(10_000), { chunker: fixedSize({ chunkSize: 10 }), rawLeaves: true })
  const controller = new AbortController()
  const reason = new Error('enough')
  controller.abort(reason)
  const node = await file(blocks, cid)
  const pieces = await readFile(node, sourcesOf(blocks), { signal: controller.signal })
  t.is(await t.throwsAsync(gathered(pieces)), reason)
})

test('a node that declares 24 GB it does not have costs neither memory nor time, and gives no byte', async t => {
  const blocks = new Blocks()
  const leaf = await blocks.pb(unixfs({ type: File, data: noise(10), size: 24n << 30n }))
  const root = await blocks.pb(unixfs({ type: File, size: 24n << 30n, sizes: [12n << 30n, 12n << 30n] }), [
    ['', leaf, 1],
    ['', leaf, 1]
  ])
  t.is((await file(blocks, root)).size, 24n << 30n)
  const message = `the node ${leaf} of the file says that it has ${24n << 30n} bytes, and that its parts have 10`
  for (const offset of [0n, 5n, 13n << 30n]) await t.throwsAsync(read(blocks, root, offset), { message })
  t.is((await read(blocks, root, 24n << 30n)).length, 0)
  t.true(blocks.asked.length < 20)
})

test('a graph of 24 GB in 30 blocks is read at constant memory, as far as somebody wants to', async t => {
  const blocks = new Blocks()
  let [cid, size] = [await blocks.pb(unixfs({ type: File, data: noise(100_000), size: 100_000n })), 100_000n]
  for (let i = 0; i < 18; i++) {
    size *= 2n
    cid = await blocks.pb(unixfs({ type: File, size, sizes: [size / 2n, size / 2n] }), [
      ['', cid, 1],
      ['', cid, 1]
    ])
  }
  t.is((await file(blocks, cid)).size, size)
  let seen = 0
  for await (const piece of await readFile(await file(blocks, cid), sourcesOf(blocks), { offset: size / 2n })) {
    seen += piece.length
    if (seen > 5_000_000) break
  }
  t.true(seen > 5_000_000)
  t.true(blocks.mostOpen <= 32)
  t.deepEqual(await read(blocks, cid, size - 5n), Buffer.from(noise(100_000).subarray(-5)))
})

test('a range at the end of a file of 10^18 bytes is exact, where numbers are not', async t => {
  const blocks = new Blocks()
  const content = noise(97)
  const { cid, size } = await selfSimilar(blocks, content)
  const ends = [1n, 5n, 97n, 98n, 200n]
  const twice = Buffer.concat([content, content, content])
  for (const from of ends) t.deepEqual(await read(blocks, cid, size - from, from), twice.subarray(-Number(from)), `${from} from the end`)
  t.deepEqual(await read(blocks, cid, size / 3n, 97n), Buffer.from(content))
  t.is((await read(blocks, cid, size, 1n)).length, 0)
})

test('2^60 empty blocks end with an error, not with the night', async t => {
  const blocks = new Blocks()
  let cid = await blocks.pb(unixfs({ type: File, size: 0n }))
  for (let i = 0; i < 60; i++) cid = await over(blocks, { type: File, size: 0n, sizes: [0n, 0n] }, cid, cid)
  await t.throwsAsync(read(blocks, cid), { code: 'E_UNIXFS_HOLLOW' })
})

test('a chain of 20,000 nodes is read; one whose nodes cannot be dropped ends with an error', async t => {
  const blocks = new Blocks()
  const leaf = await blocks.pb(unixfs({ type: File, data: noise(10), size: 10n }))
  let chain = leaf
  for (let i = 0; i < 20_000; i++) chain = await over(blocks, { type: File, size: 10n, sizes: [10n] }, chain)
  t.is((await read(blocks, chain)).length, 10)
  t.is((await read(blocks, chain, 4n)).length, 6)
  let [deep, size] = [leaf, 10n]
  const data = noise(50_000)
  for (let i = 0; i < 3_000; i++) {
    const sizes = [size, 10n]
    size += 50_010n
    deep = await over(blocks, { type: File, size, sizes, data }, deep, leaf)
  }
  await t.throwsAsync(read(blocks, deep), { code: 'E_UNIXFS_TOO_DEEP' })
})

test('reading needs the sizes of all children, with an offset and without', async t => {
  const blocks = new Blocks()
  const leaf = await blocks.pb(unixfs({ type: File, data: noise(10), size: 10n }))
  const below = await over(blocks, { type: File, size: 20n, sizes: [10n] }, leaf, leaf)
  const root = await over(blocks, { type: File, size: 20n, sizes: [20n] }, below)
  const message = `the node ${below} of the file has 2 parts, and says of 1 how large they are`
  await t.throwsAsync(file(blocks, below), { message })
  for (const offset of [0n, 1n]) await t.throwsAsync(read(blocks, root, offset), { message })
})

test('few bytes do not pay for many blocks without any', async t => {
  const blocks = new Blocks()
  const empty = await blocks.pb(unixfs({ type: File, size: 0n }))
  const leaf = await blocks.pb(unixfs({ type: File, data: noise(1), size: 1n }))
  const node = { type: File, size: 1n, sizes: [...Array.from({ length: 99 }, () => 0n), 1n] }
  const part = await over(blocks, node, ...Array.from({ length: 99 }, () => empty), leaf)
  const root = await over(blocks, { type: File, size: 50n, sizes: Array(50).fill(1n) }, ...Array.from({ length: 50 }, () => part))
  const sources = (hollow: number) => ({ ...sourcesOf(blocks), limits: { hollow } })
  t.is((await gathered(await readFile(await file(blocks, root), sources(5001)))).length, 50)
  await t.throwsAsync(gathered(await readFile(await file(blocks, root), sources(4000))), { code: 'E_UNIXFS_HOLLOW' })
})

test('a leaf that is no file says what it is', async t => {
  const blocks = new Blocks()
  const directory = await blocks.pb(unixfs({ type: 1 }))
  const broken = await blocks.pb(unixfs({ data: noise(3) }))
  const cbor = await blocks.add(0x71, Uint8Array.of(1))
  const above = (leaf: CID) => over(blocks, { type: File, size: 1n, sizes: [1n] }, leaf)
  await t.throwsAsync(read(blocks, await above(directory)), { message: 'found Directory node in unexpected place' })
  await t.throwsAsync(read(blocks, await above(broken)), {
    message: 'incorrectly formatted protobuf: proto: required field "Type" not set'
  })
  await t.throwsAsync(read(blocks, await above(cbor)), { message: 'unrecognized node type' })
})

test('while callers hold their share of the budget, a file goes out in small parts, its blocks loaded again, and is the same', async t => {
  const blocks = new Blocks()
  const content = noise(500_000)
  for (const rawLeaves of [true, false]) {
    const cid = await store(blocks, content, { chunker: fixedSize({ chunkSize: 100_000 }), rawLeaves })
    const budget = new ReadAheadBudget(200_000)
    const held = budget.handOver(100_000)
    // nothing has room
    budget.take({ giveBack() {} }, 100_000)
    blocks.asked.length = 0
    const pieces: Uint8Array[] = []
    const sources = { ...sourcesOf(blocks), limits: { budget } }
    for await (const piece of await readFile(await file(blocks, cid), sources, { offset: 1234n, length: 400_000n })) pieces.push(piece)
    t.true(pieces.every(({ length }) => length <= 32_768))
    t.deepEqual(Buffer.concat(pieces), Buffer.from(content.subarray(1234, 401_234)))
    t.true(blocks.asked.length > 15)
    held?.()
    t.is(budget.used, 100_000)
  }
})

test('what is kept between the parts of a caller that stalls goes to those that go on', async t => {
  const blocks = new Blocks()
  const cid = await store(blocks, noise(100_000), { chunker: fixedSize({ chunkSize: 100_000 }), rawLeaves: true })
  let now = 0
  const budget = new ReadAheadBudget(300_000, () => now)
  const held = budget.handOver(150_000)
  const sources = { ...sourcesOf(blocks), limits: { budget } }
  const stalled = (await readFile(await file(blocks, cid), sources))[Symbol.asyncIterator]()
  const first = await stalled.next()
  t.is(budget.used, 250_000)
  now = 1000
  t.true(budget.room(150_000))
  t.is(budget.used, 150_000)
  const remainingPieces: Uint8Array[] = [first.value as Uint8Array]
  for (let next = await stalled.next(); !next.done; next = await stalled.next()) remainingPieces.push(next.value)
  t.is(Buffer.concat(remainingPieces).length, 100_000)
  held?.()
  t.is(budget.used, 0)
})

test('a block that is removed while its parts go out ends the content there', async t => {
  const blocks = new Blocks()
  const cid = await store(blocks, noise(300_000), { chunker: fixedSize({ chunkSize: 100_000 }), rawLeaves: true })
  const sources = { ...sourcesOf(blocks), limits: { budget: new ReadAheadBudget(1) } }
  const reading = (await readFile(await file(blocks, cid), sources))[Symbol.asyncIterator]()
  await reading.next()
  blocks.map.clear()
  await t.throwsAsync(async () => reading.next(), { code: 'E_NODES_MISSING' })
})
