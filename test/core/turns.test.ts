import test from 'ava'
import { Turns } from '../../core/turns.ts'
import { turnsOf } from '../helpers/turns.ts'

test('long works go on one at a time, and all else between two of them', async t => {
  const order: string[] = []
  const works = ['a', 'b', 'c'].map(name => new Turns().take().then(() => order.push(name)))
  const other = async () => {
    for (let i = 0; i < 3; i++) {
      await new Promise(resolve => setImmediate(resolve))
      order.push('other')
    }
  }
  await Promise.all([...works, other()])
  t.deepEqual(order, ['a', 'other', 'b', 'other', 'c', 'other'])
})

test('behind a work that kept all else waiting, others have several rounds', async t => {
  const order: string[] = []
  const works = ['a', 'b'].map(name =>
    new Turns().take().then(() => {
      order.push(name)
      const until = performance.now() + 60
      while (performance.now() < until);
    })
  )
  const other = async () => {
    while (!order.includes('b')) {
      await new Promise(resolve => setImmediate(resolve))
      order.push('other')
    }
  }
  await Promise.all([...works, other()])
  t.true(order.indexOf('b') - order.indexOf('a') > 7, String(order))
})

test('work that comes while others have their rounds waits for them, though nobody else does', async t => {
  await new Turns().take()
  const until = performance.now() + 60
  while (performance.now() < until);
  const rounds = await turnsOf(() => new Turns().take())
  t.true(rounds >= 7, String(rounds))
})

test('work whose signal was aborted while it waited ends with the reason, and keeps nobody from a turn', async t => {
  const controller = new AbortController()
  const left = new Turns(controller.signal).take()
  const stays = new Turns().take()
  controller.abort(new Error('left'))
  await t.throwsAsync(left, { message: 'left' })
  await stays
  t.pass()
})

test('a work that never had a turn comes after one of those that go on for long, and not after all of them', async t => {
  const order: string[] = []
  const long = async (name: string) => {
    const turns = new Turns()
    for (let i = 0; i < 6; i++) {
      await turns.take()
      order.push(name)
    }
  }
  const works = ['a', 'b', 'c', 'd', 'e'].map(long)
  while (new Set(order).size < 5) await new Promise(resolve => setImmediate(resolve))
  const before = order.length
  const short = new Turns()
  await short.take()
  t.true(order.length - before <= 2, String(order))
  await Promise.all(works)
})
