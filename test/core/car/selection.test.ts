import test from 'ava'
import { selectBlocks } from '../../../core/car/selection.ts'
import { Blocks, noise, sourcesOf, unixfs } from '../unixfs/export/blocks.ts'

const File = 2

test('of a file of 10^18 bytes the blocks of a range are exact, where numbers are not', async t => {
  const blocks = new Blocks()
  let [cid, size, depth] = [await blocks.pb(unixfs({ type: File, data: noise(97), size: 97n })), 97n, 0n]
  while (size < 10n ** 18n) {
    cid = await blocks.pb(unixfs({ type: File, size: size * 3n, sizes: [size, size, size] }), [
      ['', cid, 1],
      ['', cid, 1],
      ['', cid, 1]
    ])
    size *= 3n
    depth++
  }
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
