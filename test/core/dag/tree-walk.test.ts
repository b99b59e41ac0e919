import test from 'ava'
import { CID } from 'multiformats/cid'
import { create } from 'multiformats/hashes/digest'
import { ReadAheadBudget } from '../../../core/blocks/read-ahead.ts'
import type { BlockSource, Branch, ChildSource, WalkLimits } from '../../../core/dag/walk/branch.ts'
import { TreeWalk } from '../../../core/dag/walk/tree-walk.ts'

function cidOf(i: number): CID {
  return CID.createV1(0x55, create(0x12, new Uint8Array(32).fill(i)))
}

const numberOf = (cid: CID) => cid.multihash.digest[0]!

/** Children 0 to `length` - 1; those of `bare` need no block. */
function branch(length: number, bare: readonly number[] = []): Branch {
  return { length, held: 0, load: i => (bare.includes(i) ? undefined : cidOf(i)) }
}

async function takeAll(walk: TreeWalk<Branch>): Promise<Array<string | number>> {
  const taken: Array<string | number> = []
  try {
    while (!walk.done) {
      const child = walk.take()
      if (child === undefined) await walk.wait()
      else taken.push(child.loaded?.[0] ?? `bare ${child.index}`)
    }
  } catch (error) {
    taken.push((error as Error).message)
  }
  return taken
}

const numbers = (length: number) => Array.from({ length }, (_, i) => i)

const sources: Record<string, BlockSource> = {
  'as they are': { get: cid => Uint8Array.of(numberOf(cid)) },
  'one after the other': { get: async cid => Uint8Array.of(numberOf(cid)) },
  'the last first': { get: cid => new Promise(resolve => setImmediate(resolve, Uint8Array.of(numberOf(cid)))) },
  'several at a time': {
    get: async cid => Uint8Array.of(numberOf(cid)),
    readAll: async cids => cids.map(cid => Uint8Array.of(numberOf(cid)))
  },
  'several at a time, some apart and some not here': {
    get: async cid => Uint8Array.of(numberOf(cid)),
    readAll: async cids =>
      cids.map(cid => {
        const bytes = Uint8Array.of(numberOf(cid))
        return [bytes, Promise.resolve(bytes), undefined, Promise.resolve(undefined)][numberOf(cid) % 4]
      })
  }
}

for (const [how, source] of Object.entries(sources)) {
  test(`children are taken in order, blocks coming ${how}`, async t => {
    const walk = new TreeWalk(source)
    walk.enter(branch(100, [3, 50]))
    const wanted = numbers(100).map(i => ([3, 50].includes(i) ? `bare ${i}` : i))
    t.deepEqual(await takeAll(walk), wanted)
  })
}

test('what is entered comes before what was left', async t => {
  const walk = new TreeWalk(sources['one after the other']!)
  walk.enter(branch(3))
  while (walk.take() === undefined) await walk.wait()
  walk.enter(branch(2))
  t.deepEqual(await takeAll(walk), [0, 1, 1, 2])
})

test('an error counts when its turn comes', async t => {
  const failing: BlockSource[] = [
    { get: async cid => (numberOf(cid) === 5 ? Promise.reject(new Error('lost')) : Uint8Array.of(numberOf(cid))) },
    {
      get: cid => {
        if (numberOf(cid) === 5) throw new Error('lost')
        return Uint8Array.of(numberOf(cid))
      }
    },
    {
      get: async cid => Uint8Array.of(numberOf(cid)),
      readAll: async cids => cids.map(cid => (numberOf(cid) === 5 ? Promise.reject(new Error('lost')) : Uint8Array.of(numberOf(cid))))
    }
  ]
  for (const source of failing) {
    const walk = new TreeWalk(source)
    walk.enter(branch(20))
    t.deepEqual(await takeAll(walk), [0, 1, 2, 3, 4, 'lost'])
  }
  const none = new TreeWalk({ get: async cid => Uint8Array.of(numberOf(cid)), readAll: () => Promise.reject(new Error('broken')) })
  none.enter(branch(20))
  t.deepEqual(await takeAll(none), ['broken'])
})

test('no more is asked for than is wanted, and than the limits allow', async t => {
  const asked: number[] = []
  const source: BlockSource = {
    get: cid => {
      asked.push(numberOf(cid))
      return new Uint8Array(1000).fill(numberOf(cid))
    }
  }
  const weighed = { ...branch(50), weight: () => 1000 }
  const wanting = new TreeWalk(source)
  wanting.wanted = 2500
  wanting.enter(weighed)
  for (let i = 0; i < 3; i++) {
    wanting.take()
    wanting.wanted -= 1000
  }
  t.deepEqual(asked, [0, 1, 2])
  asked.length = 0
  const limited = new TreeWalk(source, {}, { ahead: 4, aheadBytes: 3000 })
  limited.enter(branch(50))
  for (let i = 0; i < 10; i++) {
    limited.take()
    t.true(asked.length <= i + 4, `${asked.length} after ${i + 1}`)
  }
})

test('of long children few load ahead, and as many as there may be at least, while empty ones take no room', async t => {
  const asked: number[] = []
  const source = (length: number): ChildSource<number[]> => ({
    get: async cid => {
      asked.push(numberOf(cid))
      return Array.from({ length }, () => 0)
    },
    isEmpty: cid => numberOf(cid) >= 100
  })
  const askedAhead = async (length: number, first: number, limits: WalkLimits) => {
    asked.length = 0
    const walk = new TreeWalk(source(length), {}, { ahead: 32, aheadAtFirst: 32, aheadBytes: 1000, ...limits })
    walk.enter({ length: 60, held: 0, load: i => cidOf(first + i) })
    while (walk.take() === undefined) await walk.wait()
    walk.take()
    return asked.length
  }
  t.is(await askedAhead(10, 0, { usual: 10 }), 32)
  t.is(await askedAhead(300, 0, { usual: 300 }), 4 + 1)
  t.is(await askedAhead(300, 0, { usual: 300, leastAhead: 9 }), 9 + 1)
  t.is(await askedAhead(0, 100, { usual: 300 }), 32)
})

test('no child is asked for before it is known', async t => {
  let known = 2
  const asked: number[] = []
  const walk = new TreeWalk({
    get: cid => {
      asked.push(numberOf(cid))
      return Uint8Array.of(numberOf(cid))
    }
  })
  const children = branch(10)
  walk.enter({
    length: 10,
    held: 0,
    load: children.load,
    get known() {
      return known
    }
  })
  t.deepEqual([await next(walk), await next(walk)], [0, 1])
  t.is(walk.take(), undefined)
  t.deepEqual(asked, [0, 1])
  known = 10
  for (const i of numbers(8)) t.is(await next(walk), i + 2)
  t.true(walk.done)
})

test('branches that are far from the innermost keep nothing loaded ahead, and all is taken in order', async t => {
  const loaded = new Map<number, number>()
  const source: BlockSource = {
    get: async cid => {
      loaded.set(numberOf(cid), (loaded.get(numberOf(cid)) ?? 0) + 1)
      return Uint8Array.of(numberOf(cid))
    }
  }
  const budget = new ReadAheadBudget(8 << 20, () => 0)
  const walk = new TreeWalk<Branch & { depth: number }>(source, {}, { aheadAtFirst: 4, budget })
  // Each branch has one that goes deeper and one that does not.
  const pair = (depth: number) => ({ depth, length: 2, held: 0, load: (i: number) => cidOf(i === 0 ? depth : 200 - depth) })
  walk.enter(pair(0))
  const taken: number[] = []
  while (!walk.done) {
    const child = walk.take()
    if (child === undefined) {
      await walk.wait()
      continue
    }
    taken.push(child.loaded![0]!)
    if (child.index === 0 && child.branch.depth < 99) walk.enter(pair(child.branch.depth + 1))
    else if (child.index === 0) t.true(budget.used < 64 * (256 << 10))
  }
  t.deepEqual(taken, [...numbers(100), ...numbers(100).map(i => 101 + i)])
  t.deepEqual([loaded.get(200), loaded.get(101), loaded.get(0)], [2, 1, 1])
  t.is(budget.used, 0)
})

test('branches that are not finished count, finished ones do not', async t => {
  const source: BlockSource = { get: () => new Uint8Array(0) }
  const held = (length: number) => ({ ...branch(length), held: 400 })
  const take = async (walk: TreeWalk<Branch>) => {
    while (walk.take() === undefined) await walk.wait()
  }
  const chain = new TreeWalk(source, {}, { held: 2000 })
  chain.enter(held(1))
  for (let i = 0; i < 100; i++) {
    await take(chain)
    chain.enter(held(1))
  }
  const deep = new TreeWalk(source, {}, { held: 2000 })
  deep.enter(held(2))
  await take(deep)
  deep.enter(held(2))
  await take(deep)
  t.throws(() => deep.enter(held(2)), { code: 'E_UNIXFS_TOO_DEEP' })
})

const BLOCK = 256 << 10
const blocksOf = (asked: number[]): BlockSource => ({
  get(cid) {
    asked.push(numberOf(cid))
    return new Uint8Array(BLOCK).fill(numberOf(cid))
  }
})

async function next(walk: TreeWalk<Branch>): Promise<number | undefined> {
  for (;;) {
    const child = walk.take()
    if (child !== undefined) return child.loaded?.[0]
    await walk.wait()
  }
}

test('walks that share a budget load no more ahead than it has, and each goes on', async t => {
  const budget = new ReadAheadBudget(8 * BLOCK, () => 0)
  const asked: number[] = []
  const walks = numbers(20).map(() => new TreeWalk(blocksOf(asked), {}, { budget }))
  for (const walk of walks) walk.enter(branch(100))
  for (const round of numbers(100)) {
    for (const walk of walks) {
      t.is(await next(walk), round)
      t.true(budget.used <= 8 * BLOCK)
    }
  }
  t.is(budget.used, 0)
  t.is(asked.length, 2000)
})

test('a walk that has stalled gives back what it loaded ahead, and loads it again when it goes on', async t => {
  let now = 0
  const budget = new ReadAheadBudget(8 * BLOCK, () => now)
  const asked: number[] = []
  const stalled = new TreeWalk(blocksOf(asked), {}, { budget, aheadAtFirst: 8 })
  stalled.enter(branch(100))
  t.is(await next(stalled), 0)
  t.is(budget.used, 7 * BLOCK)
  now = 1000
  const other = new TreeWalk(blocksOf([]), {}, { budget, aheadAtFirst: 8 })
  other.enter(branch(100))
  t.is(await next(other), 0)
  t.is(budget.used, 7 * BLOCK)
  other.close()
  t.is(budget.used, 0)
  asked.length = 0
  t.deepEqual(await takeAll(stalled), numbers(100).slice(1))
  t.deepEqual(asked, numbers(100).slice(1))
  t.is(budget.used, 0)
})

test('a walk that is waited for gives nothing back, and one that is closed while blocks load counts no more', async t => {
  let now = 0
  const budget = new ReadAheadBudget(4 * BLOCK, () => now)
  const loads: Array<() => void> = []
  const source: BlockSource = {
    get: cid => new Promise(resolve => loads.push(() => resolve(new Uint8Array(BLOCK).fill(numberOf(cid)))))
  }
  const walk = new TreeWalk(source, {}, { budget, aheadAtFirst: 4 })
  walk.enter(branch(10))
  t.is(walk.take(), undefined)
  now = 1000
  t.false(budget.room(BLOCK))
  for (const load of loads) load()
  t.is(await next(walk), 0)
  walk.close()
  for (const load of loads) load()
  await Promise.resolve()
  t.is(budget.used, 0)
})
