import { request } from 'node:http'
import test from 'ava'
import { listener, plugin, route } from '../../../core/index.ts'
import { serve, testHost } from '../../../host/testing.ts'
import { say } from './support/commands.ts'
import { openTestRpc } from './support/rpc.ts'

/** What a browser, or a name that was turned at this machine, says of a page of another site. */
const FOREIGN: ReadonlyArray<Record<string, string>> = [
  { Host: 'evil.example' },
  { Host: 'evil.example:5001' },
  { Host: '127.0.0.1.evil.example' },
  { Host: 'localhost.evil.example' },
  { Origin: 'http://evil.example', 'Sec-Fetch-Site': 'cross-site' },
  { Origin: 'null', 'Sec-Fetch-Site': 'cross-site' },
  { 'Sec-Fetch-Site': 'cross-site', 'Sec-Fetch-Mode': 'no-cors' }
]

interface Answer {
  readonly status: number | undefined
  readonly allowed: string | undefined
}

function ask(url: string, method: string, headers: Record<string, string>): Promise<Answer> {
  return new Promise((resolve, reject) => {
    request(url, { method, headers, agent: false }, response => {
      response.resume()
      resolve({ status: response.statusCode, allowed: response.headers['access-control-allow-origin'] })
    })
      .on('error', reject)
      .end()
  })
}

const guarded = plugin({
  name: 'own',
  api: '^1',
  about: '',
  listeners: [listener({ name: 'own', help: '', at: () => ({ port: 0 }) })],
  routes: [route({ listener: 'own', method: '*', path: '/any', help: '', handle: (_, __, response) => void response.end('in') })]
})

test('pages of other sites are let in by no listener and no route', async t => {
  const host = await testHost({ plugins: [guarded] })
  t.teardown(() => host.stop())
  const { rpc, listeners } = await serve(host)
  const base = new URL(rpc!).origin
  const paths: ReadonlyArray<readonly [method: string, url: string]> = [
    ...['version', 'id', 'shutdown', 'repo/version'].map(path => ['POST', `${base}/api/v0/${path}`] as const),
    ...[
      '/version',
      '/webui/',
      '/plugins',
      '/openapi.json',
      '/docs',
      '/',
      '/debug/vars',
      '/debug/stack',
      '/debug/metrics/prometheus',
      '/logs'
    ].map(path => ['GET', base + path] as const),
    ['POST', `${base}/debug/pprof-mutex/?fraction=1`],
    ['GET', `${listeners['own']}/any`],
    ['POST', `${listeners['own']}/any`]
  ]
  for (const [method, url] of paths) {
    for (const headers of FOREIGN) {
      t.deepEqual(await ask(url, method, headers), { status: 403, allowed: undefined }, `${method} ${url} ${JSON.stringify(headers)}`)
    }
  }
  t.is((await ask(`${base}/api/v0/version`, 'POST', {})).status, 200)
})

test('options with the names of what every object has are none', async t => {
  const rpc = await openTestRpc(t, { commands: [say] })
  const names = [
    '__proto__',
    'constructor',
    'prototype',
    'toString',
    'hasOwnProperty',
    '__proto__.flag',
    '__proto__[flag]',
    'constructor[prototype][flag]'
  ]
  for (const name of names) {
    const response = await rpc.post(`say/x?${encodeURIComponent(name)}=true&list=a`)
    t.deepEqual([response.status, await response.json()], [200, { first: 'x', others: [], list: ['a'], encoding: 'json' }], name)
  }
  t.is(({} as { flag?: unknown }).flag, undefined)
})

test('a request that names two hosts is refused: which of them was looked at, by a proxy in front or here, nobody can say', async t => {
  const rpc = await openTestRpc(t, { commands: [say], plugins: [guarded] })
  const status = async (line: string, fields: readonly string[]) => {
    const wire = await rpc.wire()
    wire.say(line, ...fields, 'Content-Length: 0', '', '')
    return Number((await wire.until(/^HTTP\/1\.1 \d{3}/)).slice(9, 12))
  }
  const own = `127.0.0.1:${rpc.port}`
  const path = '/api/v0/say?arg=x'
  t.is(await status(`POST ${path} HTTP/1.1`, [`Host: ${own}`]), 200)
  t.is(await status(`POST http://${own}${path} HTTP/1.1`, [`Host: ${own}`]), 200)
  for (const target of [path, '/version', '/any', '*']) {
    t.is(await status(`POST ${target} HTTP/1.1`, [`Host: ${own}`, 'Host: evil.example']), 400, target)
    t.is(await status(`POST ${target} HTTP/1.1`, ['Host: evil.example', `host: ${own}`]), 400, target)
  }
  for (const host of ['evil.example', `evil.example@${own}`, '']) {
    t.is(await status(`POST http://${host}${path} HTTP/1.1`, [`Host: ${own}`]), 400, host)
  }
  t.is(await status(`POST http://${own}${path} HTTP/1.1`, ['Host: evil.example']), 400)
  t.is(await status(`POST http://evil.example${path} HTTP/1.1`, ['Host: evil.example']), 403)
  t.is(await status(`POST http://evil.example${path} HTTP/1.0`, []), 400)
})

test('a page that may call may ask for streams, is told why another method is none, and of no connection that stays', async t => {
  const origin = 'http://app.example'
  const config = { 'API.HTTPHeaders': { 'Access-Control-Allow-Origin': [origin] } }
  const rpc = await openTestRpc(t, { commands: [say], config })
  const preflight = async (from: string, headers: string) => {
    const fields = { Origin: from, 'Access-Control-Request-Method': 'POST', 'Access-Control-Request-Headers': headers }
    return (await rpc.post('say', { method: 'OPTIONS', headers: fields })).headers
  }
  const allowed = await preflight(origin, 'x-stream-output, content-type')
  t.is(allowed.get('access-control-allow-origin'), origin)
  t.is(allowed.get('access-control-allow-headers'), 'X-Stream-Output, Content-Type')
  t.is((await preflight(origin, 'x-other')).get('access-control-allow-origin'), null)
  t.is((await preflight('http://other.example', 'x-stream-output')).get('access-control-allow-origin'), null)
  const by = (Origin: string) => rpc.post('say', { method: 'GET', headers: { Origin } })
  const other = await by(origin)
  t.deepEqual([other.status, other.headers.get('access-control-allow-origin')], [405, origin])
  t.is((await by('http://other.example')).headers.get('access-control-allow-origin'), null)
  const wire = await rpc.wire()
  for (let turn = 0; turn < 2; turn++) {
    wire.seen = ''
    wire.ask('POST /api/v0/say?arg=x HTTP/1.1', ['Content-Length: 0'])
    const head = await wire.until(/\r\n0\r\n(?:.*\r\n)*\r\n$/)
    t.notRegex(head, /^keep-alive:/im)
  }
})
