import { once } from 'node:events'
import { request } from 'node:http'
import { join } from 'node:path'
import test, { type ExecutionContext } from 'ava'
import { plugin, route } from '../../../core/index.ts'
import { createHost } from '../../../host/create.ts'
import { serve, testHost } from '../../../host/testing.ts'
import { newToken } from '../../../plugins/tokens/commands/new.ts'
import { temporaryFolder } from '../../helpers/folder.ts'

interface Made {
  readonly Name: string
  readonly Token: string
  readonly Expires?: string
  readonly InEffect: boolean
}

interface Listed {
  readonly Name: string
  readonly Kind: string
  readonly LastUsed?: string
  readonly Expired: boolean
}

/** A route of the RPC's listener that does not say what access it takes. */
const undeclared = plugin({
  name: 'undeclared',
  api: '^1',
  about: 'For a test.',
  routes: [
    route({
      listener: 'rpc',
      method: 'GET',
      path: '/undeclared',
      help: 'For a test.',
      handle: (_, __, response) => void response.end('ok'),
      upgrade: {
        protocol: 'own',
        handle: (_, __, socket) => void socket.write('HTTP/1.1 101 Switching Protocols\r\nConnection: Upgrade\r\nUpgrade: own\r\n\r\n')
      }
    })
  ]
})

/** A node whose RPC asks for a secret, as it had one token when it was opened. */
async function node(t: ExecutionContext) {
  const host = await testHost({ plugins: [undeclared] })
  t.teardown(() => host.stop())
  const make = async (name: string, options: Record<string, unknown> = {}) =>
    (await host.call('token/new', { args: [name], options: { access: 'read', ...options } })) as Made
  const admin = await make('admin', { access: 'admin' })
  const { rpc } = await serve(host)
  const ask = async (path: string, token?: string) => {
    const headers = token === undefined ? {} : { Authorization: `Bearer ${token}` }
    const answer = await fetch(`${rpc}/${path}`, { method: 'POST', headers })
    return { status: answer.status, text: await answer.text(), challenge: answer.headers.get('www-authenticate') }
  }
  const get = async (path: string, token: string) => {
    const answer = await fetch(new URL(path, rpc), { headers: { Authorization: `Bearer ${token}` } })
    return { status: answer.status, text: await answer.text() }
  }
  const tokens = async () => ((await host.call('token/list')) as { Tokens: Listed[] }).Tokens
  return { host, rpc, admin, make, ask, get, tokens }
}

test('a new token stands alone in what a script reads, also where it does not count yet', t => {
  const { text } = newToken as unknown as { text(made: object): string }
  t.is(text({ Name: 'a', Token: 'secret', Access: 'read', InEffect: false }), 'secret\n')
})

test('a token lets its caller do what it says and no more, and each refusal names what lacks', async t => {
  const { admin, make, ask } = await node(t)
  t.false(admin.InEffect)
  const reader = await make('reader')
  t.true(reader.InEffect)
  t.regex(reader.Token, /^[\w-]{43}$/)
  const none = await ask('id')
  t.deepEqual([none.status, none.challenge], [401, 'Bearer'])
  t.is((await ask('id', 'wrong')).status, 401)
  t.is((await ask('id', reader.Token)).status, 200)
  const refused = await ask('key/gen?arg=x', reader.Token)
  t.is(refused.status, 403)
  t.regex(refused.text, /key\/gen takes the access 'write', and 'reader' has 'read'/)
  const pinner = await make('pinner', { access: 'write', command: ['pin/**'] })
  t.is((await ask('pin/ls', pinner.Token)).status, 200)
  const other = await ask('id', pinner.Token)
  t.is(other.status, 403)
  t.regex(other.text, /id is none of what 'pinner' may call: pin\/\*\*/)
  t.is((await ask('token/list', reader.Token)).status, 403)
  t.is((await ask('token/list', admin.Token)).status, 200)
})

test('a token opens the routes that its access and patterns cover, as it does commands', async t => {
  const { admin, make, get } = await node(t)
  const reader = await make('reader')
  const bounded = await make('bounded', { access: 'admin', command: ['pin/**', '* /debug/vars'] })
  const statuses = async (path: string) => Promise.all([reader, bounded, admin].map(async ({ Token }) => (await get(path, Token)).status))
  t.deepEqual(await statuses('/debug/vars'), [200, 200, 200])
  t.deepEqual(await statuses('/debug/metrics/prometheus'), [200, 403, 200])
  t.deepEqual(await statuses('/debug/stack'), [403, 403, 200])
  t.deepEqual(await statuses('/undeclared'), [403, 403, 200])
  t.regex((await get('/debug/stack', reader.Token)).text, /takes the access 'admin', and 'reader' has 'read'/)
  t.regex((await get('/undeclared', reader.Token)).text, /takes the access 'admin', and 'reader' has 'read'/)
  t.regex((await get('/debug/stack', bounded.Token)).text, /is none of what 'bounded' may call: pin\/\*\*, \* \/debug\/vars/)
})

test('a token that is removed, or has expired, lets nobody in from then on; removing all leaves the node closed', async t => {
  const { admin, make, ask, tokens, host } = await node(t)
  const short = await make('short', { expires: 1_000_000n })
  while (Date.now() <= Date.parse(short.Expires!)) await new Promise(setImmediate)
  t.is((await ask('id', short.Token)).status, 401)
  t.deepEqual(
    (await tokens()).map(({ Name, Expired, Kind }) => [Name, Expired, Kind]),
    [
      ['admin', false, 'token'],
      ['short', true, 'token']
    ]
  )
  t.is((await ask('token/rm?arg=admin', admin.Token)).status, 200)
  t.is((await ask('id', admin.Token)).status, 401)
  await host.call('token/rm', { args: ['short'] })
  t.is((await ask('id')).status, 401)
})

test('what a token began ends with it, streams and connections that were upgraded, and what another began goes on', async t => {
  const { admin, make, host, rpc } = await node(t)
  const begin = async (token: string) => {
    const headers = { Authorization: `Bearer ${token}` }
    const tail = request(`${rpc}/log/tail`, { method: 'POST', headers }).end()
    const upgraded = request(new URL('/undeclared', rpc), { headers: { ...headers, Connection: 'Upgrade', Upgrade: 'own' } }).end()
    const [[stream], [, socket]] = await Promise.all([once(tail, 'response'), once(upgraded, 'upgrade')])
    return [stream, socket].map(one => {
      one.on('error', () => {})
      one.resume()
      return one
    })
  }
  const gone = await begin((await make('gone', { access: 'admin' })).Token)
  const short = await begin((await make('short', { access: 'admin', expires: 2_000_000_000n })).Token)
  const kept = await begin(admin.Token)
  const ended = Promise.all([...gone, ...short].map(one => new Promise(closed => one.once('close', closed))))
  await host.call('token/rm', { args: ['gone'] })
  await make('gone', { access: 'admin' })
  await ended
  t.deepEqual(
    kept.map(({ closed, destroyed }) => closed || destroyed),
    [false, false]
  )
  for (const one of kept) one.destroy()
})

test('no list and no configuration shows a token, or the hash of one', async t => {
  const { host, admin } = await node(t)
  const said = JSON.stringify([await host.call('token/list'), await host.call('config/show')])
  t.false(said.includes(admin.Token))
  t.false(said.includes('sha256:'))
})

test('names and values that make no token are refused', async t => {
  const { make, host } = await node(t)
  await t.throwsAsync(make('admin'), { code: 'E_TOKEN_EXISTS', message: /'admin'/ })
  await t.throwsAsync(make(''), { code: 'E_TOKEN_NAME' })
  await t.throwsAsync(make('x', { access: 'all' }), { code: 'E_TOKEN_ACCESS', message: /'all'/ })
  await t.throwsAsync(make('x', { expires: 0n }), { code: 'E_TOKEN_EXPIRES' })
  await t.throwsAsync(host.call('token/rm', { args: ['nobody'] }), { code: 'E_TOKEN_ABSENT', message: /'nobody'/ })
})

test('the last use is listed, and known after a restart', async t => {
  const repo = { path: join(await temporaryFolder(t), 'repo'), init: {} }
  const first = await createHost({ repo })
  await first.start()
  const { Token } = (await first.call('token/new', { args: ['one'] })) as Made
  const { rpc } = await serve(first)
  const answer = await fetch(`${rpc}/id`, { method: 'POST', headers: { Authorization: `Bearer ${Token}` } })
  await answer.text()
  t.is(answer.status, 200)
  const used = async (host: typeof first) => ((await host.call('token/list')) as { Tokens: Listed[] }).Tokens[0]?.LastUsed
  const before = await used(first)
  t.truthy(before)
  await first.stop()
  const second = await createHost({ repo })
  await second.start()
  t.teardown(() => second.stop())
  t.is(await used(second), before)
})
