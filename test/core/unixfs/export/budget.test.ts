/** The budget over all read-ahead is given back exactly once, whatever readers and their blocks do. */
import test from 'ava'
import fc from 'fast-check'
import { CID } from 'multiformats/cid'
import { create } from 'multiformats/hashes/digest'
import { ReadAheadBudget } from '../../../../core/blocks/read-ahead.ts'
import type { BlockSource, Branch } from '../../../../core/dag/walk/branch.ts'
import { TreeWalk } from '../../../../core/dag/walk/tree-walk.ts'

const LENGTH = 12
const WALKS = 4
const MOST = 1000

const branch: Branch = { length: LENGTH, held: 0, load: i => CID.createV1(0x55, create(0x12, new Uint8Array(32).fill(i))) }

/** How a block comes in the end; a promise of it may come first. */
const outcome = fc.oneof(
  { weight: 6, arbitrary: fc.record({ kind: fc.constant('bytes' as const), size: fc.integer({ min: 0, max: 400 }) }) },
  { weight: 1, arbitrary: fc.record({ kind: fc.constant('error' as const), size: fc.constant(0) }) }
)
const step = fc.oneof(
  { weight: 8, arbitrary: fc.record({ act: fc.constant('take' as const), walk: fc.nat(WALKS - 1) }) },
  { weight: 6, arbitrary: fc.record({ act: fc.constant('settle' as const), walk: fc.nat(30), outcome }) },
  { weight: 2, arbitrary: fc.record({ act: fc.constant('pass' as const), walk: fc.integer({ min: 1, max: 2500 }) }) },
  { weight: 1, arbitrary: fc.record({ act: fc.constant('giveBack' as const), walk: fc.nat(WALKS - 1) }) },
  { weight: 1, arbitrary: fc.record({ act: fc.constant('abort' as const), walk: fc.nat(WALKS - 1) }) },
  { weight: 1, arbitrary: fc.record({ act: fc.constant('close' as const), walk: fc.nat(WALKS - 1) }) }
)

type Step = typeof step extends fc.Arbitrary<infer T> ? T : never

/** @returns whether children came in order, and what the budget counted: at the least, and at the end */
async function play(steps: readonly Step[], several: boolean) {
  let now = 0
  let least = 0
  let inOrder = true
  const budget = new ReadAheadBudget(MOST, () => now)
  const loads: Array<(how: { kind: 'bytes' | 'error'; size: number }) => void> = []
  const load = (cid: CID) =>
    new Promise<Uint8Array>((resolve, reject) => {
      loads.push(({ kind, size }) =>
        kind === 'bytes' ? resolve(new Uint8Array(size).fill(cid.multihash.digest[0]!)) : reject(new Error('lost'))
      )
    })
  const source: BlockSource = {
    get: load,
    ...(several && { readAll: async cids => cids.map((cid, i) => (i % 3 === 0 ? undefined : load(cid))) })
  }
  const readers = Array.from({ length: WALKS }, () => {
    const controller = new AbortController()
    const walk = new TreeWalk(source, { signal: controller.signal }, { budget })
    walk.enter(branch)
    return { walk, controller, taken: 0 }
  })
  for (const one of steps) {
    const reader = readers[one.walk % WALKS]!
    if (one.act === 'settle') loads.splice(one.walk % Math.max(loads.length, 1), 1)[0]?.(one.outcome)
    else if (one.act === 'pass') now += one.walk
    else if (one.act === 'giveBack') reader.walk.giveBack()
    else if (one.act === 'abort') reader.controller.abort(new Error('left'))
    else if (one.act === 'close') reader.walk.close()
    else {
      try {
        const child = reader.walk.take()
        if (child !== undefined) inOrder &&= child.index === reader.taken++ && (child.loaded ?? []).every(byte => byte === child.index)
      } catch {
        reader.walk.close()
      }
    }
    await new Promise(resolve => setImmediate(resolve))
    least = Math.min(least, budget.used)
  }
  for (const { walk } of readers) walk.close()
  const closed = budget.used
  for (const settle of loads.splice(0)) settle({ kind: 'bytes', size: 100 })
  await new Promise(resolve => setImmediate(resolve))
  return { inOrder, least, closed, end: budget.used }
}

for (const several of [false, true]) {
  test(`readers that stall, fail, are aborted and leave give back what they took, blocks coming ${several ? 'several at a time' : 'each'}`, async t => {
    await fc.assert(
      fc.asyncProperty(fc.array(step, { maxLength: 80 }), async steps => {
        const { inOrder, least, closed, end } = await play(steps, several)
        return inOrder && least === 0 && closed === 0 && end === 0
      }),
      { numRuns: 300 }
    )
    t.pass()
  })
}
