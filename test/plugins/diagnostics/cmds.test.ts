import { EventEmitter, once } from 'node:events'
import test from 'ava'
import { z } from 'zod'
import { command, p, plugin, stream } from '../../../core/index.ts'
import type { DiagCmdsReply } from '../../../host/client/generated/diagnostics.ts'
import { testHost } from '../../../host/testing.ts'

test('calls are listed while they run and after, until they are cleared', async t => {
  const events = new EventEmitter()
  const wait = command.read('wait', {
    help: '',
    args: { name: p.string('') },
    options: { count: p.int('').default(3) },
    reply: stream(z.string()),
    async *run(_, { signal }) {
      yield 'a'
      if (!signal.aborted) await once(events, 'go', { signal })
      yield 'b'
    }
  })
  const host = await testHost({ plugins: [plugin({ name: 'waits', api: '^1', about: '', commands: [wait] })] })
  t.teardown(() => host.stop())
  const list = async () => (await host.call('diag/cmds')) as DiagCmdsReply
  const items = ((await host.call('wait', { args: ['x'] })) as AsyncIterable<string>)[Symbol.asyncIterator]()
  t.is((await items.next()).value, 'a')
  const [running, self] = await list()
  t.like(running, { Active: true, EndTime: '0001-01-01T00:00:00Z', Command: 'wait', Args: ['x'], ID: 0 })
  t.deepEqual(running?.Options, { count: 3, encoding: 'json' })
  t.deepEqual(Object.keys(running!), ['StartTime', 'EndTime', 'Active', 'Command', 'Options', 'Args', 'ID'])
  t.like(self, { Active: true, Command: 'diag/cmds', ID: 1 })
  const last = items.next()
  events.emit('go')
  await last
  await items.next()
  const [finished] = await list()
  t.like(finished, { Active: false, ID: 0 })
  t.true(Date.parse(finished!.EndTime) >= Date.parse(finished!.StartTime))
  await host.call('diag/cmds/clear')
  t.deepEqual(
    (await list()).map(({ Command, Active }) => [Command, Active]),
    [
      ['diag/cmds/clear', false],
      ['diag/cmds', true]
    ]
  )
})

test('a call that failed, and a stream that its reader left, are over', async t => {
  const fails = command.read('fails', {
    help: '',
    reply: stream(z.string()),
    async *run() {
      yield 'a'
      throw new Error('no')
    }
  })
  const host = await testHost({ plugins: [plugin({ name: 'fails', api: '^1', about: '', commands: [fails] })] })
  t.teardown(() => host.stop())
  await t.throwsAsync(async () => {
    for await (const _ of (await host.call('fails')) as AsyncIterable<string>);
  })
  for await (const _ of (await host.call('fails')) as AsyncIterable<string>) break
  await t.throwsAsync(host.call('id', { args: ['nope'] }))
  await t.throwsAsync(host.call('version', { options: { timeout: 'soon' } }))
  const states = ((await host.call('diag/cmds')) as DiagCmdsReply).map(({ Command, Active }) => [Command, Active])
  t.deepEqual(states, [
    ['fails', false],
    ['fails', false],
    ['id', false],
    ['diag/cmds', true]
  ])
})

test('finished calls stay as long as set-time says', async t => {
  const host = await testHost()
  t.teardown(() => host.stop())
  await host.call('diag/cmds/set-time', { args: ['1h'] })
  for (let i = 0; i < 30; i++) await host.call('version')
  t.is(((await host.call('diag/cmds')) as DiagCmdsReply).length, 32)
  await host.call('diag/cmds/set-time', { args: ['0s'] })
  for (let i = 0; i < 30; i++) await host.call('version')
  t.true(((await host.call('diag/cmds')) as DiagCmdsReply).length < 12)
  await t.throwsAsync(host.call('diag/cmds/set-time', { args: ['soon'] }), { message: 'time: invalid duration "soon"' })
})

test('how many finished calls are kept is a setting', async t => {
  const host = await testHost({ configuration: { calls: { finished: 5 } } })
  t.teardown(() => host.stop())
  await host.call('diag/cmds/set-time', { args: ['1h'] })
  for (let i = 0; i < 200; i++) await host.call('version')
  t.is(((await host.call('diag/cmds')) as DiagCmdsReply).length, 5 + 1)
})

test('no value that the configuration is given stands in the list, as it may be a secret', async t => {
  const host = await testHost()
  t.teardown(() => host.stop())
  const entry = JSON.stringify({ AuthSecret: 'bearer:hidden-secret', AllowedPaths: ['/'] })
  await host.call('config', { args: ['API.Authorizations.one', entry], options: { json: true } })
  await host.call('config', { args: ['Datastore.StorageMax', '20GB'] })
  const listed = (await host.call('diag/cmds')) as Array<{ Command: string; Args: string[] }>
  t.deepEqual(
    listed.filter(({ Command }) => Command === 'config').map(({ Args }) => Args),
    [
      ['API.Authorizations.one', '***'],
      ['Datastore.StorageMax', '***']
    ]
  )
  t.notRegex(JSON.stringify(listed), /hidden-secret/)
})
