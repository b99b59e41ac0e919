import test from 'ava'
import { bounded, sleep, within } from '../../core/timing.ts'

test('work is given up when its time is over or nobody waits, and its signal never fires once it is done', async t => {
  const never = () => new Promise<never>(() => {})
  await t.throwsAsync(
    bounded(1, undefined, () => new Error('late'), never),
    { message: 'late' }
  )
  const controller = new AbortController()
  const waiting = bounded(60_000, controller.signal, () => new Error('late'), never)
  controller.abort(new Error('left'))
  await t.throwsAsync(waiting, { message: 'left' })
  const other = new AbortController()
  const kept = await bounded(
    60_000,
    other.signal,
    () => new Error('late'),
    async signal => signal
  )
  other.abort()
  t.false(kept.aborted)
})

test('work that throws before it waits fails as any other', async t => {
  const broken = () => {
    throw new Error('broken')
  }
  await t.throwsAsync(
    bounded(60_000, undefined, () => new Error('late'), broken),
    { message: 'broken' }
  )
})

test('a wait for work says whether it was over in time, and fails with it', async t => {
  t.true(await within(60_000, Promise.resolve()))
  t.false(await within(1, new Promise(() => {})))
  await t.throwsAsync(within(60_000, Promise.reject(new Error('broken'))), { message: 'broken' })
})

test('a sleep ends as soon as its signal fires', async t => {
  const controller = new AbortController()
  const asleep = sleep(60_000, controller.signal)
  controller.abort(new Error('left'))
  await t.throwsAsync(asleep, { message: 'left' })
  await t.throwsAsync(sleep(60_000, controller.signal), { message: 'left' })
})
