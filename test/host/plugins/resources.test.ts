/** What plugins hold of the machine ends with them. */
import { once } from 'node:events'
import { connect, createServer } from 'node:net'
import test from 'ava'
import { Resources, type Startable, service, token } from '../../../core/index.ts'
import { named } from '../../helpers/plugin.ts'
import { bare } from '../parts.ts'

const Holder = token<Startable>('test-holder')

const holding = (name: string, hold: (resources: Resources) => void, start?: () => void) =>
  named(name, {
    provides: [
      service(Holder, {
        needs: { resources: Resources },
        make: ({ resources }) => ({
          start() {
            hold(resources)
            start?.()
          }
        })
      })
    ]
  })

test('what was added ends with its plugin, the last first, and its signal before all', async t => {
  const journal: string[] = []
  const server = createServer(() => {})
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const socket = connect((server.address() as { port: number }).port, '127.0.0.1')
  await once(socket, 'connect')
  const host = await bare({
    plugins: [
      holding('holder', resources => {
        resources.signal.addEventListener('abort', () => journal.push('signal'))
        resources.add(() => journal.push('function'))
        resources.add({ [Symbol.dispose]: () => void journal.push('disposable') })
        resources.add({ [Symbol.asyncDispose]: async () => void journal.push('async disposable') })
        resources.add({ close: () => journal.push('closed') })
        resources.add({ stop: () => journal.push('stopped') })
        resources.release(resources.add(() => journal.push('never')))
        resources.add(server)
        resources.add(socket)
      })
    ]
  })
  t.teardown(() => host.stop())
  await host.start()
  t.deepEqual(journal, [])
  t.deepEqual(await host.stop(), [])
  t.deepEqual(journal, ['signal', 'stopped', 'closed', 'async disposable', 'disposable', 'function'])
  t.false(server.listening)
  t.true(socket.destroyed)
})

test('it ends where the start fails, too', async t => {
  let ended = 0
  const plugin = holding(
    'failing',
    resources => {
      resources.add(() => {
        ended++
      })
    },
    () => {
      throw new Error('no')
    }
  )
  const host = await bare({ plugins: [plugin] })
  await t.throwsAsync(host.start(), { message: /plugin 'failing'/ })
  t.is(ended, 1)
})

test('one that does not end keeps no other, and is named with its plugin', async t => {
  let others = 0
  const host = await bare({
    patience: 20,
    plugins: [
      holding('hanging', resources => {
        resources.add(() => {
          others++
        })
        resources.add(() => new Promise(() => {}))
        resources.add(() => {
          others++
          throw new Error('not now')
        })
      })
    ]
  })
  t.teardown(() => host.stop())
  await host.start()
  const errors = await host.stop()
  t.is(others, 2)
  t.deepEqual(
    errors.map(error => error.message),
    ["plugin 'hanging': the stop of what it held took longer than 0.02 s without progress"]
  )
})

test('timers end, and what they throw is told in the log of the plugin', async t => {
  let ticks = 0
  let afterwards = 0
  const host = await bare({
    plugins: [
      holding('clock', resources => {
        resources.every(1, () => ticks++)
        resources.after(1, async () => {
          throw new Error('no tea')
        })
        resources.after(60_000, () => afterwards++)
        resources.after(0, () => afterwards++)()
      })
    ]
  })
  const lines = host.logs.tail()[Symbol.asyncIterator]()
  t.teardown(() => host.stop())
  await host.start()
  const { value } = await lines.next()
  t.like(JSON.parse(value), { subsystem: 'clock', msg: 'no tea' })
  await host.stop()
  t.true(ticks > 0)
  const then = ticks
  await new Promise(resolve => setTimeout(resolve, 10))
  t.deepEqual([ticks, afterwards], [then, 0])
})

test('what is added to a plugin that has ended ends at once', async t => {
  let kept: Resources | undefined
  const host = await bare({
    plugins: [
      holding('late', resources => {
        kept = resources
      })
    ]
  })
  t.teardown(() => host.stop())
  await host.start()
  await host.stop()
  const closed = new Promise<void>(resolve => void kept!.add({ close: () => resolve() }))
  await t.notThrowsAsync(closed)
})
