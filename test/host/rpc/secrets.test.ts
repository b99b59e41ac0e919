import test, { type ExecutionContext } from 'ava'
import { type Command, command, listener, nothing, plugin, route } from '../../../core/index.ts'
import { openPluginListeners } from '../../../host/http/listen/plugin-listeners.ts'
import { testHost } from '../../../host/testing.ts'
import { all } from './support/commands.ts'
import { openTestRpc } from './support/rpc.ts'
import { fieldsOf } from './support/wire.ts'

const AUTHORIZATIONS = {
  rpc: { AuthSecret: 'bearer:rpc', AllowedPaths: ['/api/v0'] },
  some: { AuthSecret: 'bearer:some', AllowedPaths: ['/api/v0/group/silent', '/tree/open', '/api/v0/one'] },
  routes: { AuthSecret: 'bearer:routes', AllowedPaths: ['/read', '/admin', '/any', '/tree'] },
  none: { AuthSecret: 'bearer:none' },
  umlaut: { AuthSecret: 'bearer:gr\u00fcn', AllowedPaths: ['/api/v0'] }
}

const on = (name: string) => [
  ...(['read', 'admin'] as const).map(access =>
    route({ listener: name, method: '*', path: `/${access}`, help: '', access, handle: (_, __, response) => void response.end('in') })
  ),
  route({ listener: name, method: '*', path: '/any', help: '', handle: (_, __, response) => void response.end('in') }),
  route({
    listener: name,
    method: '*',
    path: '/tree/*',
    help: '',
    access: 'read',
    handle: (_, { url }, response) => void response.end(url)
  })
]

const hidden = command.admin('group/hidden', { help: '', reply: nothing(), run: () => {} })

function open(t: ExecutionContext, commands: readonly Command[] = [...all, hidden]) {
  const routes = on('rpc').map(declaration => ({ plugin: 'test', declaration, services: {} }))
  return openTestRpc(t, { commands, routes, config: { 'API.Authorizations': AUTHORIZATIONS } })
}

const asking = (url: string) => async (path: string, secret?: string) => {
  const headers = secret === undefined ? undefined : { Authorization: `Bearer ${secret}` }
  const response = await fetch(url + path, { headers, redirect: 'manual' })
  await response.body?.cancel()
  return response.status
}

test('where callers need a secret, each route of the RPC listener asks for one that opens its path, on loopback too', async t => {
  const ask = asking((await open(t)).url)
  for (const path of ['/read', '/admin', '/any', '/tree/x']) {
    t.is(await ask(path), 403, path)
    t.is(await ask(path, 'wrong'), 403, path)
    t.is(await ask(path, 'rpc'), 403, path)
    t.is(await ask(path, 'routes'), 200, path)
  }
})

test('what describes the RPC asks for any secret, as its version does', async t => {
  const ask = asking((await open(t)).url)
  for (const path of ['/plugins', '/openapi.json', '/docs', '/docs/page.js']) {
    t.is(await ask(path), 403, path)
    t.is(await ask(path, 'wrong'), 403, path)
    for (const secret of ['rpc', 'none']) t.is(await ask(path, secret), 200, path)
  }
})

test('what every node of this kind answers alike asks for none', async t => {
  const ask = asking((await open(t)).url)
  t.is(await ask('/version'), 200)
  t.is(await ask('/webui/'), 302)
  t.is(await ask('/'), 404)
  t.is(await ask('/nope'), 404)
})

test('a path opens nothing under another spelling', async t => {
  const rpc = await open(t)
  const sent: ReadonlyArray<readonly [path: string, status: number]> = [
    ['/api/v0/group/silent', 200],
    ['/api/v0/group%2Fsilent', 200],
    ['/api/v0/group/hidden', 403],
    ['/api/v0/group/silent/../hidden', 301],
    ['/api/v0//group/hidden', 301],
    ['/api/v0/./group/hidden', 301],
    ['/api/v0/group/silent%2F..%2Fhidden', 404],
    ['/api/v0/group/silent/%2e%2e/hidden', 404],
    ['/api/v0/group/silent/%2E%2E%2Fhidden', 404],
    ['/api/v0/group%2Fhidden', 403],
    ['/api/v0/group/%68idden', 403],
    ['/API/v0/group/hidden', 404],
    ['/api/v0/group/silent%00/../hidden', 301],
    ['/api/v0/group/silent;/%2e%2e/hidden', 404],
    ['/api/v0/group/hidden?x=/api/v0/group/silent', 403],
    ['/api/v0/group/hidden#/api/v0/group/silent', 403],
    ['http://127.0.0.1/api/v0/group/hidden', 403],
    ['http://127.0.0.1/api/v0/group/silent/../hidden', 301],
    ['/api/v0/one%2F..%2Fgroup%2Fhidden', 404],
    ['/tree/open/x', 200],
    ['/tree/closed', 403],
    ['/tree/open/../closed', 301],
    ['/tree/open%2F..%2Fclosed', 403],
    ['/tree/open/%2e%2e/closed', 403],
    ['/tree/open/..%2Fclosed', 403],
    ['/tree/%6Fpen/x', 403]
  ]
  for (const [path, status] of sent) {
    const wire = await rpc.wire()
    wire.ask(`POST ${path} HTTP/1.1`, ['Authorization: Bearer some', 'Content-Length: 0', 'Connection: close'])
    const answer = await wire.end()
    t.is(Number(answer.slice(9, 12)), status, path)
    // what a client follows is asked again under its new name
    if (status === 301) t.regex(fieldsOf(answer)['location']!, /hidden|closed/, path)
  }
})

test('a secret counts byte by byte, whole, and once', async t => {
  const rpc = await open(t)
  const status = async (...fields: string[]) => {
    const wire = await rpc.wire()
    wire.socket.write(
      `POST /api/v0/one HTTP/1.1\r\nHost: 127.0.0.1\r\n${fields.map(field => `${field}\r\n`).join('')}Content-Length: 0\r\nConnection: close\r\n\r\n`
    )
    return Number((await wire.end()).slice(9, 12))
  }
  t.is(await status('Authorization: Bearer rpc'), 200)
  t.is(await status('Authorization: Bearer gr\u00fcn'), 200)
  for (const value of ['', 'Bearer', 'Bearer rp', 'Bearer rpcc', 'bearer rpc', 'Bearer  rpc', 'rpc', '__proto__', 'constructor']) {
    t.is(await status(`Authorization: ${value}`), 403, value)
  }
  t.is(await status('Authorization: Bearer wrong', 'Authorization: Bearer rpc'), 403)
})

test('on a listener of a plugin’s own routes that let a caller do something ask too, and those for everybody do not', async t => {
  const listening = plugin({
    name: 'own',
    api: '^1',
    about: '',
    listeners: [listener({ name: 'own', help: '', at: () => ({ port: 0 }) })],
    routes: on('own')
  })
  const host = await testHost({ plugins: [listening], builtIns: false })
  t.teardown(() => host.stop())
  const repo = { get: () => AUTHORIZATIONS }
  const given = { listeners: () => host.listeners(), routes: (name: string) => host.routes(name), configuration: host.configuration }
  const [opened] = await openPluginListeners({ host: { ...given, service: () => repo as never }, logs: host.logs })
  t.teardown(() => opened!.close())
  const ask = asking(opened!.urls[0])
  t.is(await ask('/any'), 200)
  for (const path of ['/read', '/admin', '/tree/x']) {
    t.is(await ask(path), 403, path)
    t.is(await ask(path, 'rpc'), 403, path)
    t.is(await ask(path, 'routes'), 200, path)
  }
})
