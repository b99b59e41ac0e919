import test from 'ava'
import { ReadAheadBudget } from '../../../core/blocks/read-ahead.ts'

const reader = (giveBack = () => {}) => ({ giveBack })

test('readers have room until all of them together hold what the budget has', t => {
  const budget = new ReadAheadBudget(100)
  const [one, other] = [reader(), reader()]
  t.true(budget.room(100))
  t.false(budget.room(101))
  budget.take(one, 60)
  t.true(budget.room(40))
  t.false(budget.room(41))
  budget.take(other, 40)
  t.false(budget.room(1))
  budget.release(one, 10)
  t.true(budget.room(10))
  budget.release(one)
  t.true(budget.room(60))
  budget.release(other)
  t.is(budget.used, 0)
})

test('what stalled readers hold goes to those that go on, the longest stalled first, and no more of it than is needed', t => {
  let now = 0
  const given: string[] = []
  const budget = new ReadAheadBudget(100, () => now)
  const holder = (name: string) => {
    const made = reader(() => {
      given.push(name)
      budget.release(made)
    })
    return made
  }
  const [first, second, third] = [holder('first'), holder('second'), holder('third')]
  budget.take(first, 30)
  budget.take(second, 30)
  budget.take(third, 30)
  budget.take(first, 10)
  now = 999
  t.false(budget.room(20))
  t.deepEqual(given, [])
  now = 1000
  t.true(budget.room(20))
  t.deepEqual(given, ['second'])
})

test('a reader that cannot give back keeps what it holds', t => {
  let now = 0
  const budget = new ReadAheadBudget(100, () => now)
  budget.take(reader(), 100)
  now = 5000
  t.false(budget.room(1))
  t.is(budget.used, 100)
})

test('callers hold pieces of half of the budget, which leaves less of it to load ahead', t => {
  const budget = new ReadAheadBudget(100)
  const done = budget.handOver(50)
  t.truthy(done)
  t.is(budget.handOver(1), undefined)
  t.true(budget.room(50))
  t.false(budget.room(51))
  done?.()
  t.truthy(budget.handOver(1))
  t.is(budget.used, 1)
})
