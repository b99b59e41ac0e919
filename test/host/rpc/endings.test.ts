import type { ServerResponse } from 'node:http'
import { setImmediate } from 'node:timers/promises'
import test from 'ava'
import { Endings } from '../../../host/rpc/endings.ts'

function recorder() {
  const ended: unknown[][] = []
  const response = { end: (...last: unknown[]) => ended.push(last) } as unknown as ServerResponse
  return { response, ended }
}

test('what is answered within a turn goes out at its end, in order', async t => {
  const endings = new Endings()
  const { response, ended } = recorder()
  endings.add(response, 'a')
  await Promise.resolve()
  endings.add(response, 'é', 'latin1')
  endings.add(response, undefined)
  t.deepEqual(ended, [])
  await setImmediate()
  t.deepEqual(ended.splice(0), [
    ['a', 'utf8'],
    ['é', 'latin1'],
    [undefined, 'utf8']
  ])
  endings.add(response, 'later')
  await setImmediate()
  t.deepEqual(ended, [['later', 'utf8']])
})

test('never do more than 64 wait', async t => {
  const endings = new Endings()
  const { response, ended } = recorder()
  for (let i = 0; i < 150; i++) {
    endings.add(response, `${i}`)
    t.true(i - ended.length < 64)
  }
  t.is(ended.length, 128)
  await setImmediate()
  t.deepEqual(
    ended.map(([last]) => last),
    Array.from({ length: 150 }, (_, i) => `${i}`)
  )
})
