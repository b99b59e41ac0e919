import test from 'ava'
import { route } from '../../../core/index.ts'
import { all } from './support/commands.ts'
import { openTestRpc } from './support/rpc.ts'
import { bodyOf, fieldsOf } from './support/wire.ts'

const follow = { redirect: 'manual' } as const

test('paths are brought to their clean form, and to the slash of what is below them', async t => {
  const rpc = await openTestRpc(t, { commands: all })
  const sent = {
    'POST /api/v0': '/api/v0/',
    'POST /api/v0//one?a=b//c': '/api/v0/one?a=b//c',
    'POST /api/v0/x/../one': '/api/v0/one',
    'GET /webui': '/webui/',
    'GET //version': '/version',
    'GET /./': '/',
    'GET /..': '/'
  }
  for (const [request, to] of Object.entries(sent)) {
    const wire = await rpc.wire()
    wire.ask(`${request} HTTP/1.1`, ['Content-Length: 0', 'Connection: close'])
    const answer = await wire.end()
    t.regex(answer, /^HTTP\/1\.1 301 /, request)
    t.is(fieldsOf(answer)['location'], to)
    t.is(bodyOf(answer), request.startsWith('GET') ? `<a href="${to}">Moved Permanently</a>.\n\n` : '')
  }
})

test('an escaped slash is no slash for redirections', async t => {
  const rpc = await openTestRpc(t, { commands: all })
  t.is((await rpc.post('one/%2Fx%2F..', follow)).status, 404)
})

test('the version, the way to the WebUI, and nothing else', async t => {
  const rpc = await openTestRpc(t, { commands: all })
  for (const method of ['GET', 'POST', 'DELETE']) {
    const version = await fetch(`${rpc.url}/version`, { method })
    t.is(await version.text(), 'Commit: \nClient Version: kubo/0.28.0/\n')
    t.is(
      (await fetch(`${rpc.url}/webui/any/thing`, { method, ...follow })).headers.get('location'),
      '/ipfs/bafybeigggyffcf6yfhx5irtwzx3cgnk6n3dwylkvcpckzhqqrigsxowjwe'
    )
    for (const path of ['/', '/nope', '/api/', '/version/', '/debug/vars', '/ipfs/x']) {
      const response = await fetch(rpc.url + path, { method })
      t.deepEqual([response.status, await response.text()], [404, '404 page not found\n'])
      t.is(response.headers.get('x-content-type-options'), 'nosniff')
    }
  }
})

test('at level 0.42 the WebUI is that of Kubo 0.42, which has the pages for it', async t => {
  const rpc = await openTestRpc(t, { commands: all, configuration: { rpc: { level: '0.42' } } })
  const location = '/ipfs/bafybeihxglpcfyarpm7apn7xpezbuoqgk3l5chyk7w4gvrjwk45rqohlmm'
  t.is((await fetch(`${rpc.url}/webui/`, follow)).headers.get('location'), location)
})

test('HEAD is answered without a body, redirections too', async t => {
  const rpc = await openTestRpc(t, { commands: all })
  for (const [path, status] of [
    ['/version', 200],
    ['/webui', 301],
    ['/webui/', 302],
    ['/nope', 404],
    ['/plugins', 200]
  ] as const) {
    const response = await fetch(rpc.url + path, { method: 'HEAD', ...follow })
    t.is(response.status, status)
  }
  t.is((await rpc.post('one')).status, 200)
})

test('everything else is sent where the configuration says', async t => {
  const rpc = await openTestRpc(t, { commands: all, config: { 'Gateway.RootRedirect': '/ipfs/Qm?<x>' } })
  for (const path of ['/', '/nope']) {
    const response = await fetch(rpc.url + path, follow)
    t.is(response.status, 302)
    t.is(response.headers.get('location'), '/ipfs/Qm?<x>')
    t.is(await response.text(), '<a href="/ipfs/Qm?&lt;x&gt;">Found</a>.\n\n')
  }
})

test('the tree of plugins is shown', async t => {
  const rpc = await openTestRpc(t, { commands: all })
  const response = await fetch(`${rpc.url}/plugins`)
  t.is(response.headers.get('content-type'), 'application/json')
  const [fakes] = (await response.json()) as Array<{ name: string; state: string; commands: string[] }>
  t.like(fakes, { name: 'fakes', state: 'started' })
  t.true(fakes?.commands.includes('group/silent'))
  t.is((await fetch(`${rpc.url}/plugins`, { method: 'POST' })).status, 405)
})

test('plugins serve routes of their own, exact ones and all below a path', async t => {
  const hello = route({ listener: 'rpc', method: 'GET', path: '/hello', help: '', handle: (_, __, response) => void response.end('hello') })
  const below = route({ listener: 'rpc', method: '*', path: '/all/*', help: '', handle: (_, { url }, response) => void response.end(url) })
  const broken = route({
    listener: 'rpc',
    method: 'GET',
    path: '/broken',
    help: '',
    handle: async () => {
      throw new Error('no')
    }
  })
  const rpc = await openTestRpc(t, { routes: [hello, below, broken].map(declaration => ({ plugin: 'test', declaration, services: {} })) })
  t.is(await (await fetch(`${rpc.url}/hello`)).text(), 'hello')
  t.is((await fetch(`${rpc.url}/hello`, { method: 'POST' })).status, 405)
  t.is(await (await fetch(`${rpc.url}/all/x?y`, { method: 'POST' })).text(), '/all/x?y')
  t.is((await fetch(`${rpc.url}/broken`)).status, 500)
  t.is(await (await fetch(`${rpc.url}/hello`)).text(), 'hello')
})

const faults = [
  { name: 'ready-alone', about: 'something is full' },
  { name: 'both', about: 'nothing works', fatal: true }
]

test('load balancers are told whether requests may come, and whether a start would help', async t => {
  const rpc = await openTestRpc(t, { commands: all })
  const ask = async (path: string) => {
    const response = await fetch(rpc.url + path)
    t.is(response.headers.get('cache-control'), 'no-store')
    return [response.status, await response.json()] as const
  }
  const ok = { status: 'ok', faults: [] }
  t.deepEqual(await ask('/health'), [200, ok])
  t.deepEqual(await ask('/ready'), [200, ok])
  const [first, second] = faults.map(fault => rpc.host.health.fault(fault))
  first!.set('in /a/path')
  t.deepEqual(await ask('/health'), [200, ok])
  const [status, report] = await ask('/ready')
  t.is(status, 503)
  t.like(report, { status: 'unavailable', faults: [{ fault: 'ready-alone', about: 'something is full', reason: 'in /a/path' }] })
  second!.set('a reason')
  t.like(await ask('/health'), [503, { faults: [{ fault: 'both' }] }])
  first!.set(undefined)
  second!.set(undefined)
  t.deepEqual(await ask('/ready'), [200, ok])
})

test('the state of a node is told without a secret and then without reasons, and to no other host and page', async t => {
  const config = { 'API.Authorizations': { one: { AuthSecret: 'bearer:secret', AllowedPaths: ['/api/v0'] } } }
  const rpc = await openTestRpc(t, { commands: all, config })
  rpc.host.health.fault(faults[1]!).set('in /a/path')
  const response = await fetch(`${rpc.url}/ready`)
  t.is(response.status, 503)
  t.false((await response.text()).includes('/a/path'))
  t.is((await fetch(`${rpc.url}/ready`, { method: 'POST' })).status, 405)
  t.is((await fetch(`${rpc.url}/ready`, { headers: { 'Sec-Fetch-Site': 'cross-site', Origin: 'http://elsewhere.example' } })).status, 403)
  const wire = await rpc.wire()
  wire.say('GET /ready HTTP/1.1', 'Host: elsewhere.example', 'Connection: close', '', '')
  t.regex(await wire.end(), /^HTTP\/1\.1 403 /)
})
