import { rm } from 'node:fs/promises'
import test from 'ava'
import fc from 'fast-check'
import { all } from '../../helpers/streams.ts'
import { openRocks, temporaryFolder } from './backends.ts'
import { hex, type Sample, sample } from './samples.ts'

/** Small and large, so that blocks lie in the database and beside it. */
const BLOCKS = Array.from({ length: 8 }, (_, i) => sample(i, i % 2 === 0 ? 100 + i : 30_000 + i))

type Step = { kind: 'put' | 'delete' | 'get'; blocks: number[] } | { kind: 'sync' | 'tidy' | 'reopen' | 'check' }

const several = fc.array(fc.nat(BLOCKS.length - 1), { minLength: 1, maxLength: 5 })
const step: fc.Arbitrary<Step> = fc.oneof(
  { weight: 6, arbitrary: fc.record({ kind: fc.constantFrom('put' as const, 'delete' as const, 'get' as const), blocks: several }) },
  { weight: 2, arbitrary: fc.record({ kind: fc.constantFrom('sync' as const, 'tidy' as const, 'reopen' as const, 'check' as const) }) }
)
const settings = fc.record({
  inlineUpTo: fc.constantFrom(0, 4096, 100_000),
  largeBlocks: fc.constantFrom('segments' as const, 'segments' as const, 'files' as const),
  segmentSize: fc.constant(65_536)
})

test('whatever is done in whatever order, the store holds what a map would hold', async t => {
  await fc.assert(
    fc.asyncProperty(fc.array(fc.tuple(step, settings), { maxLength: 30 }), async steps => {
      const repo = await temporaryFolder()
      const model = new Map<string, Sample>()
      let opened = await openRocks(repo, { segmentSize: 65_536 })
      try {
        for (const [one, changes] of steps) {
          const { blocks } = opened
          if ('blocks' in one) {
            const chosen = one.blocks.map(i => BLOCKS[i] as Sample)
            if (one.kind === 'put') await blocks.putAll(chosen)
            if (one.kind === 'delete') await blocks.deleteAll(chosen.map(({ multihash }) => multihash))
            for (const block of chosen) {
              if (one.kind === 'put') model.set(hex(block.multihash), block)
              if (one.kind === 'delete') model.delete(hex(block.multihash))
              const expected = model.get(hex(block.multihash))?.bytes
              const atHand = blocks.atHand(block.multihash)
              if (atHand !== undefined) t.deepEqual(atHand, expected)
              t.deepEqual(await blocks.getBytes(block.multihash), expected)
              t.is(await blocks.sizeOf(block.multihash), expected?.byteLength)
            }
          } else if (one.kind === 'sync') await blocks.sync()
          else if (one.kind === 'tidy') await blocks.tidy()
          else if (one.kind === 'reopen') {
            await opened.storage.close()
            opened = await openRocks(repo, changes)
          } else {
            const sizes = [...model.values()].map(({ bytes }) => bytes.byteLength)
            t.deepEqual(await blocks.totals(), { blocks: model.size, bytes: sizes.reduce((sum, size) => sum + size, 0) })
            t.deepEqual((await all(blocks.listMultihashes())).map(hex).sort(), [...model.keys()].sort())
          }
        }
      } finally {
        await opened.storage.close()
        await rm(repo, { recursive: true })
      }
    }),
    { numRuns: 40 }
  )
})
