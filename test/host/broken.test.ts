import test from 'ava'
import { z } from 'zod'
import { type Command, command, hook, p, type Result, service, stream, token, value } from '../../core/index.ts'
import { culpritOf } from '../../host/plugins/load/culprit.ts'
import { serve, testHost } from '../../host/testing.ts'
import { named } from '../helpers/plugin.ts'
import { beside, messages, sound } from './beside.ts'
import { answer, hanging, unmade } from './parts.ts'

const A = token<object>('test-broken-a')

const broken = (run: () => unknown): Command =>
  command.read('broken', { help: '', reply: value(z.object({ N: z.int() })), run: run as () => { N: number } })

test('a constructor that throws fails its plugin alone where the configuration says so', async t => {
  class Bomb {
    constructor() {
      throw new Error('no fuse')
    }
  }
  const bomb = named('bomb', { provides: [service(A, Bomb)], commands: [answer('boom', 'x')] })
  const strict = await beside([bomb])
  await t.throwsAsync(strict.host.start(), { message: "plugin 'bomb' (given) failed to start: no fuse" })
  const { host, logged } = await beside([bomb], { onFailure: 'continue' })
  await host.start()
  t.is(await sound(host), 'well')
  t.is(host.plugins().find(({ name }) => name === 'bomb')?.reason, 'no fuse')
  t.deepEqual(await logged(), ["plugin 'bomb' (given) failed to start: no fuse"])
})

test('a command that throws what it never declared is told with its plugin and path', async t => {
  const { host, logged } = await beside([
    named('careless', { commands: [broken(() => (undefined as unknown as { x: { y: number } }).x.y)] })
  ])
  await host.start()
  await t.throwsAsync(host.call('broken'), { instanceOf: TypeError })
  t.is(await sound(host), 'well')
  t.regex((await logged())[0]!, /^plugin 'careless' failed in 'broken': Cannot read properties of undefined/)
})

test('an error that is frozen, or that nobody can read, is answered, told where it is a defect, and ends its call', async t => {
  const throwing = (error: unknown) => () => {
    throw error
  }
  const { proxy, revoke } = Proxy.revocable(new Error('gone'), {})
  revoke()
  for (const [error, message, told] of [
    [Object.freeze(new TypeError('cold')), 'cold', ["plugin 'careless' failed in 'broken': cold"]],
    [proxy, 'what was thrown cannot be read', []]
  ] as const) {
    const { host, logged } = await beside([named('careless', { commands: [broken(throwing(error))] })])
    await host.start()
    await t.throwsAsync(host.call('broken'), { message })
    t.is(host.calls.running, 0)
    t.deepEqual(await logged(), told)
  }
})

test("a hook whose 'only' throws fails its plugin as onFailure says, with what needs it", async t => {
  const only = () => {
    throw new Error('boom')
  }
  const run = (_: unknown, __: unknown, next: () => Promise<Result>) => next()
  const torn = named('torn', {
    provides: [service(A, class {})],
    commands: [answer('torn', 'x')],
    around: [hook({ only, run })]
  })
  const leaning = named('leaning', { commands: [answer('lean', 'x')], around: [hook({ needs: { a: A }, run })] })
  const reason = /^the 'only' of a hook threw for the command '[a-z/]+': boom$/
  const strict = await beside([torn])
  await t.throwsAsync(strict.host.start(), { message: /^plugin 'torn' \(given\) failed to start: the 'only' of a hook threw .*: boom$/ })
  const { host, logged } = await beside([torn, leaning], { onFailure: 'continue' })
  await host.start()
  t.is(await sound(host), 'well')
  t.regex(host.plugins().find(({ name }) => name === 'torn')?.reason ?? '', reason)
  await t.throwsAsync(host.call('torn'), { message: /its plugin 'torn' failed: the 'only' of a hook threw/ })
  await t.throwsAsync(host.call('lean'), { message: /its plugin 'leaning' failed/ })
  const told = await logged()
  t.is(told.length, 2)
  t.regex(told[0]!, /^plugin 'torn' \(given\) failed to start/)
  t.regex(told[1]!, /^plugin 'leaning' \(given\) failed to start/)
})

test('a stream that breaks is told with its plugin and path', async t => {
  const breaks = command.read('broken', {
    help: '',
    options: { after: p.int('How many.').default(2) },
    reply: stream(z.object({ N: z.int() })),
    async *run(_, { options }) {
      for (let N = 0; N < options.after; N++) yield { N }
      throw new TypeError('torn')
    }
  })
  const { host, logged } = await beside([named('torn', { commands: [breaks] })])
  await host.start()
  const seen: unknown[] = []
  await t.throwsAsync(
    async () => {
      for await (const item of (await host.call('broken')) as AsyncIterable<unknown>) seen.push(item)
    },
    { message: 'torn' }
  )
  t.is(seen.length, 2)
  t.deepEqual(await logged(), ["plugin 'torn' failed in 'broken': torn"])
})

test('an answer against its own schema is told with plugin and path, and answered as such', async t => {
  const { host, logged } = await beside([named('liar', { commands: [broken(() => ({ N: 'x' }))] })], { rpc: { checkReplies: true } })
  await host.start()
  await t.throwsAsync(host.call('broken'), { code: 'E_REPLY_SHAPE' })
  t.regex((await logged())[0]!, /^plugin 'liar' failed in 'broken': command 'broken' of plugin 'liar' answers against its own schema: N: /)
})

test('a command that never ends keeps nobody else waiting, and ends with its caller', async t => {
  const { host } = await beside([hanging])
  await host.start()
  const controller = new AbortController()
  const hung = host.call('hang', { signal: controller.signal })
  t.is(await sound(host), 'well')
  controller.abort()
  await t.throwsAsync(hung, { code: 'E_CANCELLED' })
  await host.stop()
})

test('a hook that never calls next is told by name when its call is given up', async t => {
  const stuck = named('stuck', { around: [hook({ only: ({ path }) => path === 'broken', run: () => new Promise(() => {}) })] })
  const { host, logged } = await beside([stuck, named('inner', { commands: [broken(() => ({ N: 1 }))] })])
  await host.start()
  t.is(await sound(host), 'well')
  await t.throwsAsync(host.call('broken', { options: { timeout: '10ms' } }), { code: 'E_TIMEOUT' })
  t.deepEqual(await logged(), ["'broken' was given up while a hook of plugin 'stuck' had not answered"])
})

test('what a command does behind a hook is not put down to the hook', async t => {
  const passing = named('passing', { around: [(_, next) => next()] })
  const torn = command.read('torn', {
    help: '',
    reply: stream(z.object({ N: z.int() })),
    async *run() {
      yield { N: 1 }
      throw new TypeError('torn')
    }
  })
  const { host, logged } = await beside([passing, hanging, named('inner', { commands: [torn] })])
  await host.start()
  await t.throwsAsync(host.call('hang', { options: { timeout: '10ms' } }), { code: 'E_TIMEOUT' })
  await t.throwsAsync(async () => {
    for await (const _ of (await host.call('torn')) as AsyncIterable<unknown>);
  })
  t.deepEqual(await logged(), ["plugin 'inner' failed in 'torn': torn"])
})

test('a hook that answers nothing is told by name', async t => {
  const forgetful = named('forgetful', { around: [async (_, next) => void (await next()) as never] })
  const { host, logged } = await beside([forgetful])
  await host.start()
  const message = "a hook of plugin 'forgetful' around 'sound' answers no result: it must return what next() resolves to, or one of its own"
  await t.throwsAsync(sound(host), { message })
  t.deepEqual(await logged(), [`plugin 'forgetful' failed in 'sound': ${message}`])
})

test('a hook that throws is told by its own name, not by that of the command', async t => {
  const clumsy = named('clumsy', {
    around: [
      async () => {
        throw new TypeError('oops')
      }
    ]
  })
  const { host, logged } = await beside([clumsy])
  await host.start()
  await t.throwsAsync(sound(host), { message: 'oops' })
  t.deepEqual(await logged(), ["plugin 'clumsy' failed in 'sound': oops"])
})

test('a hook whose service failed fails its plugin, and is not called without it', async t => {
  const maker = named('maker', {
    provides: [unmade(A, 'no disk')]
  })
  const guard = named('guard', { around: [hook({ needs: { a: A }, run: (_, __, next) => next() })], commands: [answer('guarded', 'x')] })
  const { host } = await beside([maker, guard], { onFailure: 'continue' })
  await host.start()
  t.is(await sound(host), 'well')
  t.is(
    host.plugins().find(({ name }) => name === 'guard')?.reason,
    "the service 'test-broken-a', which 'guard' needs, is provided by nobody: the plugin 'maker' failed: no disk"
  )
  await t.throwsAsync(host.call('guarded'), { message: /its plugin 'guard' failed/ })
  await host.stop()
})

test('an error is put down to the plugin whose file comes first in its stack', t => {
  const plugins = [
    { plugin: named('file'), place: '/home/a b/audit.ts' },
    { plugin: named('package'), place: '/srv/node_modules/holdfast-plugin-p' },
    { plugin: named('built-in') }
  ]
  const of = (...frames: string[]) => {
    const error = new Error('x')
    error.stack = ['Error: x', ...frames.map(frame => `    at ${frame}`)].join('\n')
    return culpritOf(error, plugins)
  }
  t.is(of('f (file:///home/a%20b/audit.ts:3:4)', 'g (file:///srv/node_modules/holdfast-plugin-p/i.js:1:1)'), 'file')
  t.is(of('node:internal/timers:5:6', 'file:///srv/node_modules/holdfast-plugin-p/dist/i.js?v=1:1:1'), 'package')
  t.is(of('Object.f [as g] (/srv/node_modules/holdfast-plugin-p/dist/i.cjs:1:1)'), 'package')
  t.is(of('f (file:///srv/node_modules/holdfast-plugin-p/node_modules/other/i.js:1:1)'), undefined)
  t.is(of('f (file:///srv/node_modules/holdfast-plugin-pq/i.js:1:1)'), undefined)
  t.is(of('async f (/home/a b/audit.ts:3:4)'), 'file')
  t.is(of('async file:///home/a%20b/audit.ts:3:4'), 'file')
  t.is(of('file://elsewhere/x.js:1:2', 'file:///%zz.js:1:2', 'file:///home/a%20b/audit.ts:1:2'), 'file')
  t.is(culpritOf('text', plugins), undefined)
  const cause = new Error('inner')
  cause.stack = 'Error: inner\n    at file:///home/a%20b/audit.ts:1:2'
  const outer = new Error('outer', { cause })
  outer.stack = 'Error: outer\n    at node:internal/x:1:1'
  t.is(culpritOf(outer, plugins), 'file')
})

test('an answer against its schema that nobody checks is the error of one call, not of the node', async t => {
  const shape = z.object({ Text: z.string(), When: z.date(), Many: z.array(z.int()), Big: z.bigint() })
  const run = () => JSON.parse('{"Text":1,"When":"now","Many":{"a":1},"Big":null}') as z.output<typeof shape>
  const liar = named('liar', {
    commands: [
      command.read('lie/once', { help: '', reply: value(shape), run }),
      command.read('lie/often', {
        help: '',
        reply: stream(shape),
        async *run() {
          yield run()
        }
      }),
      answer('truth', 'x')
    ]
  })
  const host = await testHost({ plugins: [liar], configuration: { rpc: { checkReplies: false } } })
  const { rpc } = await serve(host)
  for (const path of ['lie/once', 'lie/often']) {
    const answered = await fetch(`${rpc}/${path}`, { method: 'POST' })
    t.deepEqual([answered.status, await answered.json()], [200, { Text: 1, When: 'now', Many: { a: 1 }, Big: null }])
  }
  t.is((await fetch(`${rpc}/truth`, { method: 'POST' })).status, 200)
  await host.stop()
})

test('an answer that cannot be written is told with plugin and path', async t => {
  const shape = z.object({ Text: z.string() })
  const bad = {
    get Text(): string {
      throw new TypeError('unreadable')
    }
  }
  const texts = { reply: value(shape), text: () => JSON.parse('{}').a.b as string, run: () => ({ Text: 'x' }) }
  const host = await testHost({
    plugins: [
      named('mute', {
        commands: [
          command.read('mute/value', { help: '', reply: value(shape), run: () => bad }),
          command.read('mute/text', { help: '', ...texts })
        ]
      })
    ],
    configuration: { rpc: { checkReplies: false } }
  })
  const lines = messages(host.logs.tail())
  const { rpc } = await serve(host)
  await t.throwsAsync(fetch(`${rpc}/mute/value`, { method: 'POST' }).then(answered => answered.text()))
  await t.throwsAsync(fetch(`${rpc}/mute/text?encoding=text`, { method: 'POST' }).then(answered => answered.text()))
  t.is((await fetch(`${rpc}/version`, { method: 'POST' })).status, 200)
  await host.stop()
  t.deepEqual(await lines, [
    "plugin 'mute' failed in 'mute/value': unreadable",
    "plugin 'mute' failed in 'mute/text': Cannot read properties of undefined (reading 'b')"
  ])
})
