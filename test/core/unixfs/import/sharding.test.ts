import test from 'ava'
import { parseCid } from '../../../../core/cid/parse.ts'
import { hasCode, type Json } from '../../../../core/index.ts'
import { NodeBuilder } from '../../../../core/unixfs/import/builder.ts'
import { DirectoryBuilder } from '../../../../core/unixfs/import/directory.ts'
import { BlockWriter } from '../../../../core/unixfs/import/writer.ts'
import { shardingOf } from '../../../../core/unixfs/sharding.ts'
import { MapStore } from './upload.ts'

const settings = (values: Readonly<Record<string, Json>>) => (key: string) => values[key]
const SIZE = 'Import.UnixFSHAMTDirectorySizeThreshold'
const ESTIMATION = 'Import.UnixFSHAMTDirectorySizeEstimation'

test('the size comes from the newer key, else the older, else it is 256 KiB; since 0.42 one of exactly that is not sharded yet', t => {
  const both = { [SIZE]: '10B', 'Internal.UnixFSShardingSizeThreshold': '20B' }
  t.deepEqual(shardingOf(settings(both), '0.28'), { threshold: 10, estimation: 'links' })
  t.deepEqual(shardingOf(settings(both), '0.42'), { threshold: 11, estimation: 'links' })
  t.is(shardingOf(settings({ 'Internal.UnixFSShardingSizeThreshold': '20B' }), '0.28').threshold, 20)
  t.is(shardingOf(settings({}), '0.28').threshold, 262_144)
  t.deepEqual(shardingOf(settings({ [SIZE]: '10B', [ESTIMATION]: 'block' }), '0.28'), { threshold: 11, estimation: 'block' })
  t.is(shardingOf(settings({ [SIZE]: '10B', [ESTIMATION]: 'disabled' }), '0.28').threshold, Number.POSITIVE_INFINITY)
  t.true(
    hasCode(
      t.throws(() => shardingOf(settings({ [ESTIMATION]: 'guess' }), '0.28')),
      'E_SHARDING_ESTIMATION'
    )
  )
})

for (const metadata of [undefined, { mode: 0o755, mtime: { seconds: 1_600_000_000n, nanoseconds: 5 } }])
  test(`by the block, a directory ${metadata === undefined ? '' : 'with a mode and a time '}is sharded when its block would be larger`, async t => {
    const entries = [
      ['a', 3],
      ['é'.repeat(70), 300],
      ['c'.repeat(200), 2 ** 40]
    ] as const
    const built = (size: number) => ({ cid: parseCid('bafkreigh2akiscaildcqabsyg3dfr6chu3fgpregiymsck7e7aqa4s52zy'), size })
    const filled = (threshold: number) => {
      const builder = new DirectoryBuilder({ threshold, estimation: 'block' }, metadata)
      for (const [name, size] of entries) builder.add(name, built(size))
      return builder
    }
    const store = new MapStore()
    const writer = new BlockWriter(store)
    await filled(Number.POSITIVE_INFINITY).build(new NodeBuilder({ cidVersion: 1, hash: 0x12 }, writer))
    await writer.settled()
    const [{ length: block } = { length: 0 }] = store.blocks.values()
    t.true(block > 0)
    t.false(filled(block + 1).sharded)
    t.true(filled(block).sharded)
  })
