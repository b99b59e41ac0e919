import type { ServerResponse } from 'node:http'
import { setImmediate } from 'node:timers/promises'
import test from 'ava'
import { BatchedEnds } from '../../../host/http/batched-ends.ts'

function recorder() {
  const ended: unknown[][] = []
  const response = { end: (...last: unknown[]) => ended.push(last) } as unknown as ServerResponse
  return { response, ended }
}

test('what is answered within a turn goes out at its end, in order', async t => {
  const ends = new BatchedEnds()
  const { response, ended } = recorder()
  ends.add(response, 'a')
  await Promise.resolve()
  ends.add(response, 'é', 'latin1')
  ends.add(response, undefined)
  t.deepEqual(ended, [])
  await setImmediate()
  t.deepEqual(ended.splice(0), [
    ['a', 'utf8'],
    ['é', 'latin1'],
    [undefined, 'utf8']
  ])
  ends.add(response, 'later')
  await setImmediate()
  t.deepEqual(ended, [['later', 'utf8']])
})

test('never do more than 64 wait', async t => {
  const ends = new BatchedEnds()
  const { response, ended } = recorder()
  for (let i = 0; i < 150; i++) {
    ends.add(response, `${i}`)
    t.true(i - ended.length < 64)
  }
  t.is(ended.length, 128)
  await setImmediate()
  t.deepEqual(
    ended.map(([last]) => last),
    Array.from({ length: 150 }, (_, i) => `${i}`)
  )
})
