import test from 'ava'
import { command, defineErrors, hook, nothing, plugin, Repo, ready } from '../../../core/index.ts'
import { serve, testHost } from '../../../host/testing.ts'
import { answering, LISTENER, serving } from './support/serve.ts'

const errors = defineErrors({
  E_TEST_SLOWER: { wire: 'rateLimited', message: () => 'slower', http: () => ({ headers: { 'Retry-After': '7' } }) },
  E_TEST_TEAPOT: {
    message: () => 'a teapot',
    http: () => ({ status: 418, headers: { 'Content-Type': 'application/json' }, body: '{"pot":true}' })
  },
  E_TEST_PLAIN: { message: () => 'seen by its caller' }
})

const routes = [
  answering('/hello/:name', { handle: (_, __, response, { params }) => void response.end(`hello, ${params['name']}`) }),
  answering('/throws/:what', {
    handle(_, __, ___, { params }) {
      throw params['what'] === 'secret' ? new Error('secret') : (errors as Record<string, () => Error>)[`E_TEST_${params['what']}`]!()
    }
  }),
  answering('/write', { method: 'POST', access: 'write' }),
  answering('/read', { access: 'read' })
]

const SECRETS = {
  reader: { AuthSecret: 'bearer:r', AllowedPaths: ['/'], Access: 'read' },
  writer: { AuthSecret: 'bearer:w', AllowedPaths: ['/'], Access: 'write' }
}

test('a hook that asks for them lies around routes: it sees who asks, refuses, and logs under its plugin’s name', async t => {
  const seen: string[] = []
  let refused = false
  const gate = hook({
    also: ['routes'],
    async run(_, call, next) {
      if (call.kind === 'route')
        seen.push(`${call.method} ${call.path} of ${call.route.path} by ${call.caller.address} ${call.caller.headers?.['x-a']}`)
      if (refused) throw errors.E_TEST_SLOWER()
      const result = await next()
      call.log.error('through')
      return result
    }
  })
  const calls = hook({ run: () => Promise.reject(new Error('not for routes')) })
  const gates = plugin({ name: 'gate', api: '^1', about: 'A gate.', around: [gate, calls] })
  const host = await testHost({ builtIns: false, plugins: [serving(routes), gates] })
  t.teardown(() => host.stop())
  const url = (await serve(host)).listeners[LISTENER]!
  const tail = host.logs.tail()[Symbol.asyncIterator]()
  const answer = await fetch(`${url}/hello/Ada?x=1`, { headers: { 'X-A': '5' } })
  t.is(await answer.text(), 'hello, Ada')
  t.deepEqual(seen, ['GET /hello/Ada of /hello/:name by 127.0.0.1 5'])
  t.like(JSON.parse((await tail.next()).value!), { subsystem: 'gate', msg: 'through' })
  refused = true
  const limited = await fetch(`${url}/hello/Ada`)
  t.deepEqual([limited.status, limited.headers.get('retry-after'), await limited.text()], [429, '7', 'slower\n'])
})

test('a hook that lets nothing through and throws nothing is an error, and one that waits without end is told in time', async t => {
  let waits = false
  const wall = hook({ also: ['routes'], run: () => (waits ? new Promise<never>(() => {}) : Promise.resolve({ kind: 'nothing' as const })) })
  const walls = plugin({ name: 'wall', api: '^1', about: 'A wall.', around: [wall] })
  const limits = { answerTimeoutMs: 50 }
  const host = await testHost({ builtIns: false, plugins: [serving(routes), walls], configuration: { rpc: { limits } as never } })
  t.teardown(() => host.stop())
  const lines: string[] = []
  Object.assign(host.logs.get('own'), { error: (...said: unknown[]) => lines.push(String(said.at(-1))) })
  const url = (await serve(host)).listeners[LISTENER]!
  t.is((await fetch(`${url}/hello/Ada`)).status, 500)
  waits = true
  t.is((await fetch(`${url}/hello/Ada`)).status, 503)
  t.deepEqual(lines, [
    "plugin 'own': its route GET /hello/:name failed: a hook around it neither called next nor threw what to answer",
    "plugin 'own': its route GET /hello/:name did not begin to answer within 50 ms (rpc.limits.answerTimeoutMs)"
  ])
})

test('a route’s errors answer in their own words, and what nobody declared says nothing', async t => {
  const host = await testHost({ builtIns: false, plugins: [serving(routes)] })
  t.teardown(() => host.stop())
  const url = (await serve(host)).listeners[LISTENER]!
  const ask = async (what: string) => {
    const answer = await fetch(`${url}/throws/${what}`)
    return [answer.status, answer.headers.get('content-type'), await answer.text()]
  }
  const text = 'text/plain; charset=utf-8'
  t.deepEqual(await ask('SLOWER'), [429, text, 'slower\n'])
  t.deepEqual(await ask('TEAPOT'), [418, 'application/json', '{"pot":true}'])
  t.deepEqual(await ask('PLAIN'), [500, text, 'seen by its caller\n'])
  t.deepEqual(await ask('secret'), [500, text, 'internal error\n'])
})

test('a grant bounds what a caller may do on routes as on commands', async t => {
  const repo = { get: (key: string) => (key === 'API.Authorizations' ? SECRETS : undefined) } as unknown as Repo
  const host = await testHost({ builtIns: false, plugins: [serving(routes)], services: [ready(Repo, repo)] })
  t.teardown(() => host.stop())
  const { openPluginListeners } = await import('../../../host/http/listen/plugin-listeners.ts')
  const [listener] = await openPluginListeners({ host, logs: host.logs })
  host.beforeStop(() => listener!.close())
  const ask = async (method: string, path: string, secret: string) => {
    const answer = await fetch(`${listener!.urls[0]}${path}`, { method, headers: { Authorization: `Bearer ${secret}` } })
    return [answer.status, await answer.text()] as const
  }
  t.is((await ask('GET', '/read', 'r'))[0], 200)
  t.is((await ask('POST', '/write', 'w'))[0], 200)
  t.is((await ask('GET', '/read', 'none'))[0], 403)
  t.deepEqual(await ask('POST', '/write', 'r'), [403, "403 - Forbidden: POST /write takes the access 'write', and 'reader' has 'read'\n"])
})

test('a hook that goes on twice is refused with the name of its plugin, and what it leads to runs once', async t => {
  let ran = 0
  let isTwice = true
  const twice = hook({
    also: ['routes'],
    async run(_, __, next) {
      const first = await next()
      return isTwice ? next() : first
    }
  })
  const counted = command.write('count/up', { help: 'Count.', reply: nothing(), run: async () => void ran++ })
  const route = answering('/count', { handle: (_, __, response) => void response.end(String(++ran)) })
  const counts = plugin({ name: 'counts', api: '^1', about: 'Counts.', commands: [counted] })
  const again = plugin({ name: 'again', api: '^1', about: 'Goes on twice.', around: [twice] })
  const host = await testHost({ builtIns: false, plugins: [counts, serving([route]), again] })
  t.teardown(() => host.stop())
  const message = "a hook of plugin 'again' around 'count/up' called next() twice: what it leads to runs once"
  await t.throwsAsync(host.call('count/up'), { code: 'E_HOOK_NEXT', message })
  t.is(ran, 1)
  await fetch(`${(await serve(host)).listeners[LISTENER]!}/count`)
  t.is(ran, 2)
  isTwice = false
  await host.call('count/up')
  t.is(ran, 3)
})
