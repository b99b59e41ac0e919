import test from 'ava'
import { trickle } from 'ipfs-unixfs-importer/layout'
import type { CID } from 'multiformats/cid'
import { DAG_PB, RAW, SHA2_256 } from '../../../../core/cid/codes.ts'
import { sumCid } from '../../../../core/cid/sum.ts'
import { readPb } from '../../../../core/dag/pb.ts'
import { NodeBuilder } from '../../../../core/unixfs/import/builder.ts'
import type { Piece } from '../../../../core/unixfs/import/encode.ts'
import { Handoff } from '../../../../core/unixfs/import/handoff.ts'
import { Balanced, Trickle } from '../../../../core/unixfs/import/layout.ts'
import { BlockWriter, type ImportStore } from '../../../../core/unixfs/import/writer.ts'

function nodesOver(store?: ImportStore): NodeBuilder {
  return new NodeBuilder({ cidVersion: 1, hash: SHA2_256 }, new BlockWriter(store))
}

function leaf(i: number): Piece {
  const bytes = Buffer.alloc(4)
  bytes.writeUInt32LE(i)
  return { cid: sumCid({ version: 1, codec: RAW, hash: SHA2_256 }, bytes), size: 4, share: 4 }
}

for (const count of [2, 174, 175, 348, 349, 870, 871, 5000])
  test(`a trickle tree of ${count} leaves is the library's`, async t => {
    const nodes = nodesOver()
    const layout = new Trickle(nodes)
    for (let i = 0; i < count; i++) await layout.add(leaf(i))
    const join = async (pieces: readonly Piece[]) => ({
      ...(await nodes.fileNode(pieces)),
      share: pieces.reduce((sum, { share }) => sum + share, 0)
    })
    const leaves = Array.from({ length: count }, (_, i) => leaf(i))
    const { cid, size } = await trickle()(leaves as never, join as never)
    const made = await layout.finish()
    t.is(String(made.cid), String(cid))
    t.is(BigInt(made.size), BigInt(size))
  })

test('a balanced file ends with the error of the store that takes none of its nodes, and asks for no more leaves', async t => {
  const broken = async ({ code }: CID) => {
    if (code === DAG_PB) throw new Error('no room for nodes')
  }
  const layout = new Balanced(nodesOver({ put: broken }))
  let added = 0
  const all = async () => {
    for (; added < 1000; added++) await layout.add(leaf(added))
  }
  await t.throwsAsync(all(), { message: 'no room for nodes' })
  t.true(added < 400)
})

test('a balanced file tells how often the reference looks for its end', async t => {
  const looks = async (count: number) => {
    const layout = new Balanced(nodesOver())
    for (let i = 0; i < count; i++) await layout.add(leaf(i))
    return layout.looksAtEnd
  }
  t.deepEqual(await Promise.all([0, 1, 2, 173, 174, 175, 348].map(looks)), [1, 1, 2, 2, 1, 3, 2])
})

test('a symlink to nowhere keeps its empty target, which ipfs-unixfs would leave out', async t => {
  const blocks: Uint8Array[] = []
  const nodes = nodesOver({ put: async (_, bytes) => void blocks.push(bytes) })
  await nodes.symlink(new Uint8Array(0))
  t.deepEqual([...readPb(blocks[0]!).data!], [0x08, 0x04, 0x12, 0x00])
})

test('a value that is handed over waits for the one before it, and who gives learns that no more are wanted', async t => {
  const handoff = new Handoff<number>()
  const got: number[] = []
  const pulling = (async () => {
    for await (const value of handoff) {
      await new Promise(resolve => setImmediate(resolve))
      got.push(value)
      if (value === 2) break
    }
  })()
  t.true(await handoff.give(1))
  t.deepEqual(got, [1])
  t.false(await handoff.give(2))
  t.deepEqual(got, [1, 2])
  t.false(await handoff.give(3))
  await pulling
})
