import test from 'ava'
import { Tail } from '../../../host/logs/tail.ts'

test('lines wait for their reader and come together', async t => {
  const tail = new Tail(() => {})
  tail.push('a\n')
  tail.push('b\n')
  t.deepEqual(await tail.next(), { done: false, value: 'a\nb\n' })
  const next = tail.next()
  tail.push('c\n')
  t.deepEqual(await next, { done: false, value: 'c\n' })
})

test('a slow reader loses lines and is told how many', async t => {
  const tail = new Tail(() => {})
  for (let i = 0; i < 2000; i++) tail.push(`${i}\n`)
  const { value } = await tail.next()
  const lines = value.trimEnd().split('\n')
  t.is(lines.length, 1025)
  t.is(lines[1023], '1023')
  t.like(JSON.parse(lines[1024]!), { lost: 976, subsystem: 'log', msg: '976 lines were lost here: their reader was too slow' })
  tail.push('on\n')
  t.is((await tail.next()).value, 'on\n')
})

test('long lines count by their length', async t => {
  const tail = new Tail(() => {})
  const line = `${'x'.repeat(600_000)}\n`
  tail.push(line)
  tail.push(line)
  const { value } = await tail.next()
  t.true(value.startsWith(line))
  t.is(JSON.parse(value.slice(line.length)).lost, 1)
})

test('the end lets what waits be read; whoever leaves is forgotten at once', async t => {
  let left = 0
  const tail = new Tail(() => left++)
  tail.push('a\n')
  tail.end()
  tail.end()
  t.is(left, 1)
  t.is((await tail.next()).value, 'a\n')
  t.true((await tail.next()).done)
  const other = new Tail(() => left++)
  const waiting = other.next()
  await other.return()
  t.is(left, 2)
  t.true((await waiting).done)
})
