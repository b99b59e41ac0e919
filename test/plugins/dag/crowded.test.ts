/** Blocks of many readers at a time: their memory is to go back to the system, which each way of reading has to ask for. */
import * as dagPb from '@ipld/dag-pb'
import test from 'ava'
import { CID } from 'multiformats/cid'
import { create } from 'multiformats/hashes/digest'
import { ReadAheadBudget } from '../../../core/blocks/read-ahead.ts'
import { RAW } from '../../../core/cid/codes.ts'
import type { Blocks } from '../../../core/index.ts'
import type { BlockOptions } from '../../../core/services/storage/blocks.ts'
import { DagEngine } from '../../../plugins/dag/engine.ts'

const leaf = (i: number) => CID.createV1(RAW, create(0x12, new Uint8Array(32).fill(i)))
const root = CID.createV1(dagPb.code, create(0x12, new Uint8Array(32).fill(255)))
const node = dagPb.encode({ Links: [1, 2, 3].map(i => ({ Hash: leaf(i), Name: `${i}`, Tsize: 1 })) })
const bytesOf = (cid: CID) => (cid.equals(root) ? node : Uint8Array.of(1))

for (const [way, together] of [
  ['one by one', false],
  ['together', true]
] as const) {
  for (const [readers, isTransient] of [
    [1, undefined],
    [17, true]
  ] as const) {
    test(`a walk beside ${readers} readers loads blocks ${way} ${isTransient ? 'into memory that goes back to the system' : 'as ever'}`, async t => {
      const asked: BlockOptions[] = []
      const blocks = {
        async get(cid: CID, options: BlockOptions) {
          asked.push(options)
          return bytesOf(cid)
        },
        ...(together && {
          async readAll(cids: readonly CID[], options: BlockOptions) {
            asked.push(options)
            return cids.map(bytesOf)
          }
        })
      }
      const budget = new ReadAheadBudget(1 << 25)
      for (let i = 0; i < readers; i++) budget.take({ giveBack: () => {} }, 1)
      const limits = { maxVisits: 10, maxHeld: 1 << 20 } as ConstructorParameters<typeof DagEngine>[1]
      const engine = new DagEngine(blocks as unknown as Blocks, limits, budget)
      let visits = 0
      for await (const _ of engine.walk(root)) visits++
      t.is(visits, 4)
      t.true(asked.length >= (together ? 2 : 4))
      t.deepEqual([...new Set(asked.map(({ transient }) => transient))], [isTransient])
    })
  }
}
