import test from 'ava'
import { CID } from 'multiformats/cid'
import { create } from 'multiformats/hashes/digest'
import { ReadAheadBudget } from '../../../core/blocks/read-ahead.ts'
import type { BlockSource, Branch } from '../../../core/dag/walk/branch.ts'
import { TreeWalk } from '../../../core/dag/walk/tree-walk.ts'
import { type Random, seeded } from '../../helpers/random.ts'

/** A node is the numbers of its children, four bytes each; its CID is its number. */
type Tree = ReadonlyArray<readonly number[]>

const cidOf = (i: number) => CID.createV1(0x55, create(0x12, Buffer.from([i >> 8, i & 255, ...Buffer.alloc(30)])))
const numberOf = ({ multihash: { digest } }: CID) => digest[0]! * 256 + digest[1]!
const bytesOf = (children: readonly number[]) => new Uint8Array(Uint32Array.from([0, ...children]).buffer)

/** Where nodes of some depth are, children of later numbers. */
function randomTree(random: Random, size: number): Tree {
  return Array.from({ length: size }, (_, i) =>
    Array.from({ length: random.below(6) }, () => i + 1 + random.below(20)).filter(child => child < size)
  )
}

const OPEN = 1000

class Node implements Branch {
  readonly length: number
  readonly held = OPEN
  readonly block: CID
  #children: Uint32Array | undefined

  constructor(cid: CID, bytes: Uint8Array) {
    this.block = cid
    this.length = bytes.length / 4 - 1
    this.reopen(bytes)
  }

  load(index: number): CID {
    if (this.#children === undefined) throw new Error('asked while it is closed')
    return cidOf(this.#children[index + 1]!)
  }

  close(): void {
    this.#children = undefined
  }

  reopen(bytes: Uint8Array): void {
    this.#children = new Uint32Array(Uint8Array.from(bytes).buffer)
  }
}

function inOrder(tree: Tree, at: number, most: number, seen: number[] = []): number[] {
  for (const child of tree[at]!) {
    if (seen.length >= most) return seen
    seen.push(child)
    inOrder(tree, child, most, seen)
  }
  return seen
}

for (let seed = 1; seed <= 60; seed++) {
  test(`walks that close each other's nodes come to the same (seed ${seed})`, async t => {
    const random = seeded(seed)
    const tree = randomTree(random, 200)
    let loads = 0
    const source: BlockSource = {
      get: async cid => {
        loads++
        return bytesOf(tree[numberOf(cid)]!)
      }
    }
    let now = 0
    const budget = new ReadAheadBudget(3 * OPEN, () => now)
    const walks = Array.from({ length: 4 }, () => {
      const walk = new TreeWalk<Node>(source, {}, { budget, ahead: 1 + random.below(8) })
      walk.enter(new Node(cidOf(0), bytesOf(tree[0]!)))
      return { walk, taken: [] as number[] }
    })
    const MOST = 500
    while (walks.some(({ walk, taken }) => !walk.done && taken.length < MOST)) {
      const { walk, taken } = walks[random.below(walks.length)]!
      now += random.below(3000)
      for (let i = random.below(10); i >= 0 && !walk.done && taken.length < MOST; ) {
        const child = walk.take()
        if (child === undefined) {
          await walk.wait()
          continue
        }
        taken.push(numberOf(child.cid!))
        walk.enter(new Node(child.cid!, child.loaded!))
        i--
      }
    }
    const wanted = inOrder(tree, 0, MOST)
    for (const { walk, taken } of walks) {
      t.deepEqual(taken, wanted)
      walk.close()
    }
    t.is(budget.used, 0)
    t.true(loads >= wanted.length)
  })
}

test('a node that cannot be opened again is an error in its turn, and nothing stays counted', async t => {
  const tree: Tree = [[1, 2], [3, 4], [], [], []]
  let isLost = false
  const source: BlockSource = {
    get: async cid => {
      if (isLost) throw new Error('lost')
      return bytesOf(tree[numberOf(cid)]!)
    }
  }
  let now = 0
  const budget = new ReadAheadBudget(OPEN, () => now)
  const walkOf = () => {
    const walk = new TreeWalk<Node>(source, {}, { budget })
    walk.enter(new Node(cidOf(0), bytesOf(tree[0]!)))
    return walk
  }
  const take = async (walk: TreeWalk<Node>) => {
    for (;;) {
      const child = walk.take()
      if (child !== undefined) return child
      await walk.wait()
    }
  }
  const walk = walkOf()
  await take(walk)
  now = 60_000
  const other = walkOf()
  isLost = true
  await t.throwsAsync(take(walk), { message: 'lost' })
  walk.close()
  other.close()
  t.is((budget.nodes as unknown as { used: number }).used, 0)
})
