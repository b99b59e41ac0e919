import test from 'ava'
import fc from 'fast-check'
import { importer } from 'ipfs-unixfs-importer'
import { fixedSize } from 'ipfs-unixfs-importer/chunker'
import { CID } from 'multiformats/cid'
import { NodeError } from '../../../../core/errors.ts'
import { UnixFsExporter } from '../../../../core/unixfs/export/exporter.ts'
import { Blocks, noise, sourcesOf } from './blocks.ts'

/** A folder, sharded, with a file of several blocks in it. */
async function tree(): Promise<{ blocks: Blocks; root: CID }> {
  const blocks = new Blocks()
  const files = Array.from({ length: 40 }, (_, i) => ({ path: `d/f${i}`, content: noise(i < 5 ? 200 : 10, i) }))
  let root: CID | undefined
  const options = { chunker: fixedSize({ chunkSize: 30 }), shardSplitThresholdBytes: 1, rawLeaves: false }
  for await (const { cid } of importer(files, blocks as never, options)) root = cid
  return { blocks, root: root! }
}

/** Reads all there is in every way; the errors on the way. */
async function readAll(blocks: Blocks, root: CID): Promise<unknown[]> {
  const exporter = new UnixFsExporter({ ...sourcesOf(blocks), limits: { hollow: 100, held: 1 << 20 } })
  const errors: unknown[] = []
  const attempt = async (read: () => AsyncIterable<unknown> | Promise<AsyncIterable<unknown>>) => {
    try {
      let left = 2000
      for await (const _ of await read()) if (--left === 0) break
    } catch (error) {
      errors.push(error)
    }
  }
  await attempt(() => exporter.list(root))
  await attempt(() => exporter.links(root, { resolve: true }))
  await attempt(() => exporter.read(root))
  await attempt(() => exporter.read(root, { offset: 7n, length: 100n }))
  await attempt(async () => (await exporter.open(root)).archive('root'))
  return errors
}

test('whatever stands in a block, reading it ends, and with an error that says what is wrong', async t => {
  const { blocks, root } = await tree()
  const original = new Map(blocks.map)
  const keys = [...original.keys()]
  const change = fc.record({ block: fc.nat(keys.length - 1), at: fc.nat(400), byte: fc.nat(255), cut: fc.boolean() })
  await fc.assert(
    fc.asyncProperty(fc.array(change, { minLength: 1, maxLength: 6 }), fc.nat(keys.length - 1), async (changes, from) => {
      blocks.map.clear()
      for (const [key, bytes] of original) blocks.map.set(key, bytes.slice())
      for (const { block, at, byte, cut } of changes) {
        const bytes = blocks.map.get(keys[block]!)!
        bytes[at % bytes.length] = byte
        if (cut) blocks.map.set(keys[block]!, bytes.subarray(0, at % bytes.length))
      }
      const start = CID.createV1(0x70, {
        code: 0x12,
        size: 32,
        bytes: Buffer.from(keys[from]!, 'base64'),
        digest: Buffer.from(keys[from]!, 'base64').subarray(2)
      })
      for (const error of [...(await readAll(blocks, root)), ...(await readAll(blocks, start))]) {
        if (!(error instanceof NodeError)) throw error
      }
    }),
    { numRuns: 300 }
  )
  t.pass()
})
