import { deepEqual, rejects } from 'node:assert/strict'
import { test } from 'node:test'
import { itemsOf, testHost, upload } from 'holdfast/testing'
import plugin from '../src/index.ts'

test('blocks are counted by codec and depth', async () => {
  const host = await testHost({ plugins: [plugin] })
  try {
    const options = { rawLeaves: true, chunker: 'size-1000' }
    const bytes = Uint8Array.from({ length: 2500 }, (_, i) => i % 251)
    const [added] = (await itemsOf(await host.call('add', { body: upload(bytes), options }))) as [{ Hash: string }]
    const rows = (await itemsOf(await host.call('stats/content', { args: [added.Hash] }))) as Array<{ Bytes: number }>
    deepEqual(rows, [
      { Codec: 'dag-pb', Depth: 0, Blocks: 1, Bytes: rows[0]!.Bytes },
      { Codec: 'raw', Depth: 1, Blocks: 3, Bytes: 2500 }
    ])
    const shallow = await itemsOf(await host.call('stats/content', { args: [added.Hash], options: { maxDepth: 0 } }))
    deepEqual(shallow, rows.slice(0, 1))
  } finally {
    await host.stop()
  }
})

test('progress comes while the walk goes on', async () => {
  const host = await testHost({ plugins: [plugin] })
  try {
    const options = { rawLeaves: true, chunker: 'size-100', cidVersion: 1 }
    const bytes = Uint8Array.from({ length: 60_000 }, (_, i) => (i * 7919) >> 5)
    const items = (await itemsOf(await host.call('add', { body: upload(bytes), options }))) as Array<{ Hash?: string }>
    const root = items.find(item => item.Hash !== undefined)!.Hash!
    const seen = (await itemsOf(await host.call('stats/content', { args: [root], options: { progress: true } }))) as Array<{
      Visited?: number
    }>
    deepEqual(
      seen.flatMap(({ Visited }) => Visited ?? []),
      [256, 512]
    )
  } finally {
    await host.stop()
  }
})

test('a path into a block is refused', async () => {
  const host = await testHost({ plugins: [plugin] })
  try {
    const input = upload('{"a":{"b":1}}')
    const { Cid } = (await itemsOf<{ Cid: { '/': string } }>(await host.call('dag/put', { body: input })))[0]!
    await rejects(async () => itemsOf(await host.call('stats/content', { args: [`/ipfs/${Cid['/']}/a`] })), {
      code: 'E_STATS_REMAINDER'
    })
  } finally {
    await host.stop()
  }
})
