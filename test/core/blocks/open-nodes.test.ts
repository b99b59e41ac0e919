import test from 'ava'
import { OpenNodesBudget } from '../../../core/blocks/open-nodes.ts'
import type { NodeKeeper } from '../../../core/services/storage/read-ahead.ts'

/** A walk that closes all it has when it is told to. */
class Keeper implements NodeKeeper {
  askedAt = 0
  held = 0
  readonly #budget: OpenNodesBudget

  constructor(budget: OpenNodesBudget) {
    this.#budget = budget
  }

  open(bytes: number, at: number): void {
    this.askedAt = at
    this.held += bytes
    this.#budget.add(this, bytes)
  }

  closeNodes(): void {
    const { held } = this
    this.held = 0
    this.#budget.remove(this, held)
  }
}

test('walks that have stalled close their nodes, the longest first, and no more than the room asks for', t => {
  let now = 0
  const budget = new OpenNodesBudget(100, () => now)
  const keepers = Array.from({ length: 4 }, () => new Keeper(budget))
  for (const [i, keeper] of keepers.entries()) keeper.open(25, i)
  now = 5000
  const other = new Keeper(budget)
  other.open(30, now)
  t.deepEqual(
    keepers.map(({ held }) => held),
    [0, 0, 25, 25]
  )
  t.is(budget.used, 80)
})

test('walks that go on keep theirs up to twice the memory, beyond it those close that asked longest ago', t => {
  const budget = new OpenNodesBudget(100, () => 500)
  const keepers = Array.from({ length: 5 }, () => new Keeper(budget))
  for (const [i, keeper] of keepers.entries()) keeper.open(40, i)
  t.is(budget.used, 200)
  const other = new Keeper(budget)
  other.open(40, 500)
  t.deepEqual(
    keepers.map(({ held }) => held),
    [0, 40, 40, 40, 40]
  )
})

test('a walk that asks closes nothing of its own', t => {
  const budget = new OpenNodesBudget(100, () => 5000)
  const alone = new Keeper(budget)
  alone.open(500, 0)
  t.is(alone.held, 500)
  alone.closeNodes()
  t.is(budget.used, 0)
})
