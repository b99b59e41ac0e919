import { mock } from 'node:test'
import test from 'ava'
import { Collector } from '../../../../core/index.ts'
import { testHost } from '../../../../host/testing.ts'
import { ReadingQueue } from '../../../../plugins/pins/collection/queue.ts'
import { all } from '../../../helpers/streams.ts'
import { put } from '../../blocks/host.ts'

const LOOK_EVERY = 5000

// The looks at a reader come when a test says so, and not otherwise.
mock.timers.enable({ apis: ['setInterval'] })
const look = () => mock.timers.tick(LOOK_EVERY)

const turn = () => new Promise(resolve => setImmediate(resolve))

test.serial('a collection whose client stopped reading holds up no other, and ends whole when it reads on', async t => {
  const host = await testHost()
  t.teardown(() => host.stop())
  const collector = host.service(Collector)!
  for (let i = 0; i < 600; i++) await put(host, `loose ${i}`)
  const stalled = collector.collect()[Symbol.asyncIterator]()
  await stalled.next()
  const second = all(collector.collect())
  await turn()
  look()
  look()
  const removed = await second
  t.true(removed.length >= 344, `${removed.length}: all but the batch that the first had removed`)
  t.deepEqual(await all(collector.collect()), [])

  await put(host, 'late')
  const collectedAfter = await all({ [Symbol.asyncIterator]: () => stalled })
  t.is(collectedAfter.length, 1, 'it began anew')
  t.deepEqual(await all(collector.collect()), [], 'and passed the turn on')
})

test.serial('a reader who reads on keeps the turn, and so does one for whom nobody waits', async t => {
  const turns = new ReadingQueue()
  let begun = 0
  async function* numbers(): AsyncGenerator<number, void> {
    begun++
    for (let i = 0; i < 5; i++) yield i
  }
  const slow = turns.each(numbers, undefined)
  await slow.next()
  look()
  look()
  const other = turns.each(numbers, undefined)
  const waits = other.next()
  await turn()
  for (let i = 1; i < 5; i++) {
    look()
    t.deepEqual(await slow.next(), { value: i, done: false })
  }
  t.is(begun, 1)
  t.true((await slow.next()).done)
  t.deepEqual(await waits, { value: 0, done: false })
  await other.return(undefined)
  t.is(begun, 2)
})

test.serial('work that lost its turn is over before the next begins, and may be left', async t => {
  const turns = new ReadingQueue()
  const log: string[] = []
  async function* work(name: string): AsyncGenerator<number, void> {
    log.push(`${name} begins`)
    try {
      yield 1
      yield 2
    } finally {
      await turn()
      log.push(`${name} ends`)
    }
  }
  const first = turns.each(() => work('first'), undefined)
  await first.next()
  const leave = new AbortController()
  const second = turns.each(() => work('second'), leave.signal).next()
  const third = all(turns.each(() => work('third'), undefined))
  await turn()
  leave.abort(new Error('left'))
  await t.throwsAsync(second, { message: 'left' })
  look()
  look()
  t.deepEqual(await third, [1, 2])
  await first.return(undefined)
  t.deepEqual(log, ['first begins', 'first ends', 'third begins', 'third ends'])
  t.deepEqual(await all(turns.each(() => work('fourth'), undefined)), [1, 2])
})
