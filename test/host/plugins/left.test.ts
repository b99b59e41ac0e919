/** What plugins leave running is put down to the one that began it. */
import { createServer, type Server } from 'node:net'
import test from 'ava'
import { leftRunning, noting, toldOf } from '../../../host/plugins/left.ts'

const mine = (...names: string[]) => leftRunning().filter(({ plugin }) => names.includes(plugin))

test('of two that start at the same time, each is told of what it began itself', async t => {
  let server: Server | undefined
  let timer: NodeJS.Timeout | undefined
  const meanwhile = Promise.withResolvers<void>()
  const one = noting('one', async () => {
    await meanwhile.promise
    server = createServer().listen(0, '127.0.0.1')
  })
  const other = noting('other', async () => {
    timer = setInterval(() => {}, 60_000)
    meanwhile.resolve()
  })
  await Promise.all([one, other])
  t.deepEqual(toldOf(mine('one', 'other')).sort(), ["plugin 'one' left a server running", "plugin 'other' left a timer running"])
  clearInterval(timer)
  await new Promise(resolve => server!.close(resolve))
  await new Promise(resolve => setImmediate(resolve))
  t.deepEqual(mine('one', 'other'), [])
})

test('what does not keep a process alive is not told of', async t => {
  let timer: NodeJS.Timeout | undefined
  await noting('quiet', async () => {
    timer = setInterval(() => {}, 60_000).unref()
  })
  t.deepEqual(mine('quiet'), [])
  clearInterval(timer)
})
