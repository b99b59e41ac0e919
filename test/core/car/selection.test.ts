import test from 'ava'
import { selectBlocks } from '../../../core/car/selection.ts'
import { Blocks, noise, selfSimilar, sourcesOf } from '../unixfs/export/blocks.ts'

test('of a file of 10^18 bytes the blocks of a range are exact, where numbers are not', async t => {
  const blocks = new Blocks()
  const { cid, size, depth } = await selfSimilar(blocks, noise(97))
  const count = async (from: bigint, to: bigint) => {
    const selected = await selectBlocks(cid, [], { scope: 'entity', bytes: { from, to }, duplicates: true }, sourcesOf(blocks))
    let found = 0n
    for await (const _ of selected.blocks()) found++
    return found
  }
  const third = size / 3n
  t.is(await count(size - 1n, size - 1n), depth + 1n)
  t.is(await count(-1n, -1n), depth + 1n)
  t.is(await count(third - 1n, third - 1n), depth + 1n)
  t.is(await count(third - 1n, third), 2n * depth + 1n)
})

test('a part of a file that comes again is handed out once and walked once, however often it comes', async t => {
  const blocks = new Blocks()
  const { cid, size, depth } = await selfSimilar(blocks, noise(97))
  const all = async (bytes: { from: bigint; to: bigint | undefined }) => {
    const sources = { ...sourcesOf(blocks), limits: { hollow: 100 } }
    const selected = await selectBlocks(cid, [], { scope: 'entity', bytes }, sources)
    const found = new Set<string>()
    for await (const { cid } of selected.blocks()) found.add(String(cid))
    return BigInt(found.size)
  }
  t.is(await all({ from: 0n, to: undefined }), depth + 1n)
  t.is(await all({ from: 5n, to: -5n }), depth + 1n)
  t.is(await all({ from: 5n, to: size / 3n }), depth + 1n)
})
