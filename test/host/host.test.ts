import { setTimeout } from 'node:timers/promises'
import test from 'ava'
import { z } from 'zod'
import { command, either, nothing, optional, p, ready, type Startable, service, stream, token, value } from '../../core/index.ts'
import { itemsOf, testHost } from '../../host/testing.ts'
import { named } from '../helpers/plugin.ts'
import { bare, Counter, counterPlugin, failure, hanging, Journal, journalOf, MemoryCounter, running } from './parts.ts'

const A = token<object>('test-a')

test('a command is called in the process, with its services, arguments and options', async t => {
  const host = await running(t, { plugins: [counterPlugin] })
  t.deepEqual(await host.call('count/up', { args: [2], options: { twice: true } }), { Count: 4 })
  t.deepEqual(await host.call('count/up', { args: { by: 1 } }), { Count: 5 })
  const items = await itemsOf(host.call('count/to', { args: [3] }))
  t.deepEqual(items, [{ Count: 1 }, { Count: 2 }, { Count: 3 }])
})

test('two hosts in one process share nothing', async t => {
  const [one, two] = await Promise.all([bare({ plugins: [counterPlugin] }), bare({ plugins: [counterPlugin] })])
  await Promise.all([one.start(), two.start()])
  await one.call('count/up', { args: [7] })
  t.deepEqual(await two.call('count/up', { args: [1] }), { Count: 1 })
  t.not(one.service(Counter), two.service(Counter))
  await one.stop()
  t.deepEqual(await two.call('count/up', { args: [1] }), { Count: 2 })
  await two.stop()
})

test('services start in the order of their needs and stop in reverse', async t => {
  const journal: string[] = []
  const host = await bare({ plugins: [journalOf('c', journal, ['b']), journalOf('a', journal), journalOf('b', journal, ['a'])] })
  await host.start()
  t.deepEqual(await host.stop(), [])
  t.deepEqual(journal, ['start a', 'start b', 'start c', 'stop c', 'stop b', 'stop a'])
})

test('a stop that throws and one that hangs keep no other from stopping', async t => {
  const journal: string[] = []
  const plugins = [
    journalOf('a', journal),
    journalOf('bad', journal, ['a'], { stop: 'throw' }),
    journalOf('slow', journal, ['bad'], { stop: 'hang' })
  ]
  const host = await bare({ plugins, patience: 50 })
  await host.start()
  const errors = (await host.stop()).map(error => error.message)
  t.deepEqual(journal.slice(-3), ['stop slow', 'stop bad', 'stop a'])
  t.deepEqual(errors, [
    "plugin 'slow': the stop of service 'test-journal-slow' took longer than 0.05 s without progress",
    'bad cannot stop'
  ])
})

test('a start that throws aborts the host and stops what had started', async t => {
  const journal: string[] = []
  const host = await bare({ plugins: [journalOf('a', journal), journalOf('bad', journal, ['a'], { start: 'throw' })] })
  await t.throwsAsync(host.start(), { message: "plugin 'bad' (given) failed to start: bad cannot start" })
  t.deepEqual(journal, ['start a', 'start bad', 'stop bad', 'stop a'])
})

test('a start that hangs is given up and aborts the host', async t => {
  const host = await bare({ plugins: [journalOf('slow', [], [], { start: 'hang' })], patience: 50 })
  await t.throwsAsync(host.start(), { message: /the start of service 'test-journal-slow' took longer than 0.05 s without progress/ })
})

test('what starts or stops with progress may take its time, and is given up once there is none', async t => {
  const busy = async (progress: () => void) => {
    for (let i = 0; i < 4; i++) {
      await setTimeout(150)
      progress()
    }
  }
  const token = Journal('busy')
  const living: Startable = { start: (_, progress) => busy(progress), stop: (_, progress) => busy(progress) }
  const host = await bare({ plugins: [named('busy', { provides: [ready(token, living)] })], patience: 400 })
  await host.start()
  t.deepEqual(await host.stop(), [])

  const stuck: Startable = { start: (_, progress) => busy(progress).then(() => new Promise<void>(() => {})) }
  const other = await bare({ plugins: [named('stuck', { provides: [ready(token, stuck)] })], patience: 400 })
  await t.throwsAsync(other.start(), { message: /took longer than 0.4 s without progress/ })
})

test('with onFailure continue the host opens without the failed plugin and all that needed it, and says why', async t => {
  const journal: string[] = []
  const user = named('user', {
    commands: [command.read('use', { help: '', needs: { j: Journal('bad') }, reply: nothing(), run: () => {} })]
  })
  const plugins = [journalOf('bad', journal, [], { start: 'throw' }), journalOf('next', journal, ['bad']), journalOf('fine', journal), user]
  const host = await running(t, { plugins, configuration: { onFailure: { default: 'abort', bad: 'continue', next: 'continue' } } })
  const states = Object.fromEntries(host.plugins().map(({ name, state, reason }) => [name, [state, reason]]))
  t.deepEqual(states['fine']?.[0], 'started')
  t.deepEqual(states['bad'], ['failed', 'bad cannot start'])
  t.regex(
    String(states['next']?.[1]),
    /the service 'test-journal-bad', which 'next' needs, is provided by nobody: the plugin 'bad' failed: bad cannot start/
  )
  await t.throwsAsync(host.call('use'), { message: /no command 'use' on this host: it needs the service 'test-journal-bad'.*'bad' failed/ })
})

test('an optional need that nobody meets is undefined', async t => {
  const ask = command.read('ask', {
    help: '',
    needs: { a: optional(A) },
    reply: value(z.object({ There: z.boolean() })),
    run: ({ a }) => ({ There: a !== undefined })
  })
  const host = await running(t, { plugins: [named('user', { commands: [ask] })] })
  t.deepEqual(await host.call('ask'), { There: false })
})

test('hooks lie around every call in the order of loading and see a stream without collecting it', async t => {
  const seen: string[] = []
  const hook = (name: string) =>
    named(name, {
      around: [
        async (call, next) => {
          seen.push(`${name} before ${call.command.path}`)
          const result = await next()
          if (result.kind !== 'stream') return result
          const { items } = result
          return {
            kind: 'stream',
            items: (async function* () {
              for await (const item of items) {
                seen.push(name)
                yield item
              }
            })()
          }
        }
      ]
    })
  const host = await running(t, { plugins: [hook('outer'), hook('inner'), counterPlugin] })
  for await (const _ of (await host.call('count/to', { args: [1] })) as AsyncIterable<unknown>) seen.push('item')
  t.deepEqual(seen, ['outer before count/to', 'inner before count/to', 'inner', 'outer', 'item'])
})

test('a command that notices its deadline says itself how it ends', async t => {
  const patient = command.read('patient', {
    help: 'Waits for its end.',
    reply: stream(z.object({ Word: z.string() })),
    async *run(_, { signal }) {
      yield { Word: 'first' }
      await new Promise(resolve => signal.addEventListener('abort', resolve))
      yield { Word: signal.reason.message }
    }
  })
  const host = await running(t, { plugins: [named('patient', { commands: [patient] })] })
  const words = await itemsOf(host.call('patient', { options: { timeout: '20ms' } }))
  t.deepEqual(words, [{ Word: 'first' }, { Word: 'context deadline exceeded' }])
})

test('timeout ends a call that does not listen to its signal, and the reason is a deadline', async t => {
  const host = await running(t, { plugins: [hanging] })
  await t.throwsAsync(host.call('hang', { options: { timeout: '20ms' } }), { message: 'context deadline exceeded' })
})

test('a caller who leaves a stream ends the work behind it', async t => {
  let ended: (() => void) | undefined
  const end = new Promise<void>(resolve => {
    ended = resolve
  })
  const endless = command.read('endless', {
    help: '',
    reply: stream(z.object({ N: z.int() })),
    async *run(_, { signal }) {
      signal.addEventListener('abort', () => ended?.())
      for (let N = 0; ; N++) yield { N }
    }
  })
  const host = await bare({ plugins: [named('e', { commands: [endless] })] })
  await host.start()
  for await (const _ of (await host.call('endless')) as AsyncIterable<unknown>) break
  await end
  t.is((await host.stop()).length, 0)
})

test('a reply against its own schema is reported with command and plugin', async t => {
  const wrong = command.read('wrong', {
    help: '',
    reply: value(z.object({ N: z.int() })),
    run: () => JSON.parse('{"N":"x"}') as { N: number }
  })
  const host = await testHost({ builtIns: false, plugins: [named('liar', { commands: [wrong] })] })
  await t.throwsAsync(host.call('wrong'), { message: /command 'wrong' of plugin 'liar' answers against its own schema: N: / })
  await host.stop()
})

test('a command may answer one object or a stream, each held against its own schema', async t => {
  const steps = command.read('steps', {
    help: '',
    options: { each: p.bool(''), wrong: p.bool('') },
    reply: either(z.object({ All: z.int() }), z.object({ Step: z.int() })),
    run: (_, { options }) => {
      const items = async function* () {
        yield options.wrong ? (JSON.parse('{"All":2}') as { Step: number }) : { Step: 1 }
      }
      return options.each ? items() : Promise.resolve({ All: 2 })
    }
  })
  const host = await testHost({ builtIns: false, plugins: [named('steps', { commands: [steps] })] })
  const streamed = async (options: Record<string, boolean>) => {
    return itemsOf(host.call('steps', { options }))
  }
  t.deepEqual(await host.call('steps'), { All: 2 })
  t.deepEqual(await streamed({ each: true }), [{ Step: 1 }])
  await t.throwsAsync(streamed({ each: true, wrong: true }), { message: /answers against its own schema: Step: / })
  await host.stop()
})

test('a fake stands in for the provider of a service', async t => {
  const host = await testHost({ builtIns: false, plugins: [counterPlugin], services: [ready(Counter, { up: () => 42 })] })
  t.deepEqual(await host.call('count/up', { args: [1] }), { Count: 42 })
  await host.stop()
})

test('a command is declared wrongly only once: at declaration', t => {
  const base = { help: '', reply: nothing(), run: () => {} } as const
  t.throws(() => command.read('a/', base), { message: /a path is words joined by/ })
  t.throws(() => command.read('a', { ...base, args: { all: p.string('').many(), more: p.string('') } }), { message: /must be the last/ })
  t.throws(() => command.read('a', { ...base, args: { n: p.int('').fromBody() } }), { message: /cannot come from a body/ })
})

test('a command says its access by its constructor: path and access in the object are refused with the form to write', t => {
  const old = { path: 'a/b', access: 'admin', help: '', reply: nothing(), run: () => {} } as const
  const { path, access, ...rest } = old
  const message = "command 'a/b': write command.admin('a/b', { … }), with neither 'path' nor 'access' in the object"
  t.throws(() => (command as unknown as (declaration: object) => unknown)(old), { instanceOf: TypeError, message })
  const halves = { access: { ...rest, access }, path: { ...rest, path: 'c' } }
  t.throws(() => command.read(path, halves.access), { instanceOf: TypeError, message })
  t.throws(() => command.admin(path, halves.path), { instanceOf: TypeError, message })
  for (const access of ['read', 'write', 'admin'] as const) t.is(command[access](path, rest).access, access)
})

test('a call in the process names what is missing or unknown', async t => {
  const host = await running(t, { plugins: [counterPlugin] })
  await t.throwsAsync(host.call('count/up'), { message: 'count/up: argument "by" is required' })
  await t.throwsAsync(host.call('count/up', { args: [1], options: { twise: true } }), {
    message: "count/up: there is no option 'twise' — did you mean 'twice'?"
  })
})

test("a plugin's commands get its settings, its logger and its internal services, and nobody else's do", async t => {
  const use = command.read('use', {
    help: '',
    needs: { counter: Counter },
    reply: value(z.object({ N: z.int() })),
    run: ({ counter }) => ({ N: counter.up(1) })
  })
  const owner = named('owner', { internal: [service(Counter, MemoryCounter)], commands: [use] })
  const host = await bare({ plugins: [owner] })
  await host.start()
  t.deepEqual(await host.call('use'), { N: 1 })
  t.is(host.service(Counter), undefined)
  await host.stop()
  const stranger = named('stranger', {
    commands: [command.read('other', { help: '', needs: { counter: Counter }, reply: nothing(), run: () => {} })]
  })
  t.regex(
    await failure(t, { plugins: [owner, stranger] }),
    /the service 'test-counter', which 'other \(stranger\)' needs, is provided by nobody/
  )
})
