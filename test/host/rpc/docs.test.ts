import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import test from 'ava'
import { OriginRules } from '../../../host/http/access/cors.ts'
import { Guard } from '../../../host/http/access/guard.ts'
import { HostRule } from '../../../host/http/access/host-names.ts'
import { listenAddress } from '../../../host/http/listen/addresses.ts'
import { Router } from '../../../host/http/routes/router.ts'
import { Documents } from '../../../host/rpc/documents.ts'
import { openRpc } from '../../../host/rpc/listener.ts'
import { addRoutes } from '../../../host/rpc/pages.ts'
import { ResponseHeaders } from '../../../host/rpc/response/headers.ts'
import { testHost } from '../../../host/testing.ts'
import { all } from './support/commands.ts'
import { openTestRpc } from './support/rpc.ts'

const SOURCES = /(?:src|href)="([^"]+)"/g

test('the page and all that it names come from this listener', async t => {
  const rpc = await openTestRpc(t, { commands: all })
  const page = await fetch(`${rpc.url}/docs`)
  t.is(page.status, 200)
  t.is(page.headers.get('content-type'), 'text/html; charset=utf-8')
  const html = await page.text()
  const named = [...html.matchAll(SOURCES)].map(([, name]) => name!)
  t.deepEqual(named.sort(), ['docs/favicon-32x32.png', 'docs/page.js', 'docs/swagger-ui-bundle.js', 'docs/swagger-ui.css'])
  for (const name of named) {
    const response = await fetch(new URL(name, `${rpc.url}/docs`))
    t.is(response.status, 200, name)
    t.not(response.headers.get('content-type'), null)
    t.is(response.headers.get('x-content-type-options'), 'nosniff')
    t.true((await response.arrayBuffer()).byteLength > 100, name)
  }
  const script = await (await fetch(`${rpc.url}/docs/page.js`)).text()
  const [, document] = /url: '([^']+)'/.exec(script)!
  t.is((await fetch(new URL(document!, `${rpc.url}/docs`))).status, 200)
  const bundle = await (await fetch(`${rpc.url}/docs/swagger-ui-bundle.js`)).text()
  t.true(bundle.includes('SwaggerUIBundle'))
})

test('its policy allows nothing inline and nobody else', async t => {
  const rpc = await openTestRpc(t, { commands: all })
  const page = await fetch(`${rpc.url}/docs`)
  const policy = page.headers.get('content-security-policy')!
  t.regex(policy, /default-src 'none'; script-src 'self'; style-src 'self';/)
  t.false(policy.includes('unsafe'))
  t.regex(policy, /frame-ancestors 'none'/)
  const html = await page.text()
  t.notRegex(html, /<script>|<script [^>]*>[^<]|<style|\son[a-z]+=|style=/)
  t.notRegex(html, /https?:/)
})

test('the page may call the API as a browser does from it', async t => {
  const rpc = await openTestRpc(t, { commands: all })
  for (const host of ['127.0.0.1', 'localhost']) {
    const origin = `http://${host}:${rpc.port}`
    const headers = { origin, referer: `${origin}/docs`, 'user-agent': 'Mozilla/5.0', 'sec-fetch-site': 'same-origin' }
    t.is((await rpc.post('one', { headers })).status, 200, host)
    t.is((await rpc.post('one', { headers: { ...headers, origin: `http://${host}:1` } })).status, 403)
  }
})

test('a page on another loopback address may call the address it came from', async t => {
  const host = await testHost({ builtIns: false })
  const rpc = await openRpc({
    calls: host.calls,
    repo: { get: () => undefined },
    host,
    logs: host.logs,
    addresses: ['/ip4/127.0.0.2/tcp/0']
  })
  t.teardown(async () => {
    await rpc.close()
    await host.stop()
  })
  const listenerUrl = `http://127.0.0.2:${rpc.addresses[0]!.split('/').at(-1)}`
  const ask = (origin: string) => fetch(`${listenerUrl}/api/v0/nope`, { method: 'POST', headers: { origin, 'user-agent': 'Mozilla/5.0' } })
  t.is((await ask(listenerUrl)).status, 404)
  t.is((await ask('http://127.0.0.3:5001')).status, 403)
})

test('other names and methods below it are refused', async t => {
  const rpc = await openTestRpc(t, { commands: all })
  const docs = (path: string, init?: RequestInit) => fetch(`${rpc.url}/docs${path}`, { redirect: 'manual', ...init })
  t.is((await docs('/')).headers.get('location'), '/docs')
  for (const path of ['/nope', '/LICENSE/x', '/serve.js', '/constructor', '/%2e%2e/serve.js']) t.is((await docs(path)).status, 404, path)
  t.deepEqual([(await docs('', { method: 'POST' })).status, (await docs('', { method: 'HEAD' })).status], [405, 200])
  t.is((await docs('', { headers: { 'sec-fetch-site': 'cross-site' } })).status, 403)
})

test('a listener that others reach serves no page, but the document', async t => {
  const rpc = await openTestRpc(t, { commands: all })
  const router = new Router({ onError: error => t.fail(String(error)) })
  const headers = new ResponseHeaders({}, '0.28')
  const guard = new Guard(new HostRule(await listenAddress('/ip4/127.0.0.1/tcp/0'), []), new OriginRules({}))
  const documents = new Documents(rpc.host.calls, rpc.host)
  addRoutes({
    router,
    guard,
    authorizations: undefined,
    headers,
    host: rpc.host,
    documents,
    local: false,
    rootRedirect: ''
  })
  const server = createServer((request, response) => router.lookup(request)(request as never, response as never, () => {}))
  t.teardown(() => server.close())
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  const page = await fetch(`${url}/docs`)
  t.is(page.status, 404)
  t.regex(await page.text(), /loopback addresses only/)
  t.is((await fetch(`${url}/docs/page.js`)).status, 404)
  t.is((await fetch(`${url}/openapi.json`)).status, 200)
  server.closeAllConnections()
})
