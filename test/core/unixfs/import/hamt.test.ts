import test from 'ava'
import { sumCid } from '../../../../core/cid/sum.ts'
import { NodeBuilder } from '../../../../core/unixfs/import/builder.ts'
import { buildHamt } from '../../../../core/unixfs/import/hamt.ts'
import { BlockWriter } from '../../../../core/unixfs/import/writer.ts'

test('names whose hashes are the same all the way are refused, however many', async t => {
  const nodes = new NodeBuilder({ cidVersion: 1, hash: 0x12 }, new BlockWriter(undefined))
  const cid = sumCid({ version: 1, codec: 0x55, hash: 0x12 }, new Uint8Array(0)).bytes
  const names = Array.from({ length: 1000 }, () => 'same')
  await t.throwsAsync(buildHamt({ names, target: () => ({ cid, size: 0 }) }, nodes), { message: 'sharded directory too deep' })
})

test('others get their turn while very many names are hashed', async t => {
  const hashing = new NodeBuilder(
    { cidVersion: 1, hash: 0x12 },
    new BlockWriter(undefined, undefined, { due: false, take: () => Promise.resolve() })
  )
  const cid = sumCid({ version: 1, codec: 0x55, hash: 0x12 }, new Uint8Array(0)).bytes
  const names = Array.from({ length: 200_000 }, (_, i) => `file ${i}`)
  let others = 0
  const other = setInterval(() => others++, 1)
  await buildHamt({ names, target: () => ({ cid, size: 0 }) }, hashing)
  clearInterval(other)
  t.true(others > 0)
})
