import { type RequestOptions, request } from 'node:http'
import { join } from 'node:path'
import test from 'ava'
import { z } from 'zod'
import { type ListenAt, listener, listenerSettings, plugin, Repo, ready, settings } from '../../../core/index.ts'
import { openPluginListeners } from '../../../host/http/listen/plugin-listeners.ts'
import { testHost } from '../../../host/testing.ts'
import { temporaryFolder } from '../../helpers/folder.ts'
import { answering, LISTENER, serveRoutes } from './support/serve.ts'

const routes = [answering('/any', { method: '*' }), answering('/secret', { access: 'admin' })]

const listening = (at: ListenAt | readonly ListenAt[]) =>
  plugin({ name: 'own', api: '^1', about: '', listeners: [listener({ name: LISTENER, help: '', at: () => at })], routes })

const PAGE = { Origin: 'https://app.example', 'Sec-Fetch-Site': 'cross-site', 'User-Agent': 'Mozilla/5.0' }

test('a listener may answer any Host and any page', async t => {
  const { ask } = await serveRoutes(t, listening({ port: 0, allowedHosts: ['*'], allowedOrigins: ['*'] }))
  t.is((await ask('GET', '/any', { Host: 'evil.example' })).status, 200)
  for (const method of ['GET', 'POST']) {
    t.is((await ask(method, '/any', PAGE)).status, 200)
    t.is(
      (await ask(method, '/any', { 'Sec-Fetch-Site': 'cross-site', 'Sec-Fetch-Mode': 'no-cors', 'User-Agent': 'Mozilla/5.0' })).status,
      200
    )
  }
  t.is((await ask('POST', '/secret', PAGE)).status, 405)
  t.is((await ask('GET', '/secret', PAGE)).status, 200)
})

test('a listener may have a list of its own, whatever the RPC allows', async t => {
  const at = { port: 0, allowedHosts: ['own.example'], allowedOrigins: ['https://app.example'] }
  const { ask } = await serveRoutes(t, listening(at), { configuration: { rpc: { allowedHosts: ['rpc.example'] } as never } })
  t.is((await ask('GET', '/any', { Host: 'own.example:8090' })).status, 200)
  const refused = await ask('GET', '/any', { Host: 'rpc.example' })
  t.deepEqual(
    [refused.status, refused.text],
    [
      403,
      `403 - Forbidden: "rpc.example" is not a name of the listener 'own'. List it under allowedHosts of the plugin 'own' to let it in.\n`
    ]
  )
  t.is((await ask('POST', '/any', PAGE)).status, 200)
  const page = await ask('GET', '/any', { ...PAGE, Origin: 'https://other.example' })
  t.is(page.status, 403)
  t.regex(page.text, /List its origin under allowedOrigins of the plugin 'own'/)
})

test('a page of the listener’s own may change something under each of its names', async t => {
  const { ask } = await serveRoutes(t, listening({ port: 0, allowedHosts: ['own.example'] }))
  const asked = async (host: string, origin: string) =>
    (await ask('POST', '/any', { Host: host, Origin: origin, 'User-Agent': 'Mozilla/5.0' })).status
  t.is(await asked('own.example', 'https://own.example'), 200)
  t.is(await asked('own.example', 'https://app.own.example'), 403)
  t.is(await asked('evil.example', 'https://evil.example'), 403)
})

test('a route may say that pages of other sites may ask for it', async t => {
  const { ask } = await serveRoutes(t, [answering('/hook', { method: 'POST', crossSite: true }), answering('/other', { method: 'POST' })])
  t.is((await ask('POST', '/hook', PAGE)).status, 200)
  t.is((await ask('POST', '/hook', { ...PAGE, Host: 'evil.example' })).status, 403)
  t.is((await ask('POST', '/other', PAGE)).status, 403)
})

test('the settings of a listener say whom it answers', async t => {
  const schema = z.strictObject(listenerSettings(8090))
  const configured = plugin({
    name: 'own',
    api: '^1',
    about: '',
    settings: schema,
    listeners: [listener({ name: LISTENER, help: '', needs: { at: settings<typeof schema>() }, at: ({ at }) => at })],
    routes
  })
  const place = { port: 0, allowedHosts: ['own.example'], allowedOrigins: ['https://app.example'] }
  const { ask } = await serveRoutes(t, configured, { configuration: { plugins: { own: place } } })
  t.is((await ask('POST', '/any', { ...PAGE, Host: 'own.example' })).status, 200)
  t.is((await ask('POST', '/any', { Host: 'other.example' })).status, 403)
})

const unix = process.platform === 'win32' ? test.skip : test

unix('a listener opens at several addresses, of IPv6 and in the file system too, each with callers of its own', async t => {
  const socket = join(await temporaryFolder(t), 'own.sock')
  const at: ListenAt[] = [{ port: 0 }, { address: '::1', port: 0, allowedHosts: ['*'] }, { socket }]
  const host = await testHost({ plugins: [listening(at)], builtIns: false })
  t.teardown(() => host.stop())
  const [opened] = await openPluginListeners({ host, logs: host.logs })
  host.beforeStop(opened!.close)
  const [four, six = '', file, ...more] = opened!.urls
  t.deepEqual(more, [])
  t.regex(four, /^http:\/\/127\.0\.0\.1:\d+$/)
  t.regex(six, /^http:\/\/\[::1\]:\d+$/)
  t.is(file, `unix:${socket}`)
  const status = (options: RequestOptions) =>
    new Promise((resolve, reject) => {
      request({ ...options, path: '/any', agent: false }, response => resolve(response.resume().statusCode))
        .on('error', reject)
        .end()
    })
  t.is(await status({ host: '127.0.0.1', port: new URL(four).port }), 200)
  t.is(await status({ host: '::1', port: new URL(six).port, headers: { Host: 'any.example' } }), 200)
  t.is(await status({ host: '127.0.0.1', port: new URL(four).port, headers: { Host: 'any.example' } }), 403)
  t.is(await status({ socketPath: socket }), 200)
})

test('an address that others reach is refused where a route lets callers do something and none needs a secret', async t => {
  const opened = async (at: ListenAt, secrets?: object) => {
    const repo = { get: (key: string) => (key === 'API.Authorizations' ? secrets : undefined) } as unknown as Repo
    const host = await testHost({ plugins: [listening([{ port: 0 }, at])], builtIns: false, services: [ready(Repo, repo)] })
    t.teardown(() => host.stop())
    const [opened] = await openPluginListeners({ host, logs: host.logs })
    await opened!.close()
  }
  // an address of no interface of any machine: whoever is let try fails for that
  const at = { address: '192.0.2.1', port: 0 }
  const refused = (await t.throwsAsync(opened(at), { code: 'E_LISTENER' })).message
  t.regex(refused, /^plugin 'own': its listener 'own' does not open: others reach \/ip4\/192\.0\.2\.1\/tcp\/0/)
  t.regex(
    refused,
    /GET \/secret of plugin 'own'[\s\S]*API\.Authorizations[\s\S]*loopback[\s\S]*allowedHosts: \['\*'\], allowedOrigins: \['\*'\]/
  )
  for (const one of [
    { ...at, allowedHosts: ['*'] },
    { ...at, allowedOrigins: ['*'] },
    { address: '::', port: 0 }
  ])
    t.regex((await t.throwsAsync(opened(one))).message, /others reach/)
  const isTried = { code: 'E_LISTENER', message: /EADDRNOTAVAIL/ }
  await t.throwsAsync(opened({ ...at, allowedHosts: ['*'], allowedOrigins: ['*'] }), isTried)
  await t.throwsAsync(opened(at, { owner: { AuthSecret: 'bearer:o', AllowedPaths: ['/'] } }), isTried)
  const harmless = await testHost({
    plugins: [
      plugin({
        name: 'own',
        api: '^1',
        about: '',
        listeners: [listener({ name: LISTENER, help: '', at: () => at })],
        routes: [answering('/any')]
      })
    ],
    builtIns: false
  })
  t.teardown(() => harmless.stop())
  await t.throwsAsync(openPluginListeners({ host: harmless, logs: harmless.logs }), isTried)
})

test('an address that is none is told in the words of a listener', async t => {
  for (const at of [{ address: 'own.example', port: 0 }, { port: 70_000 }]) {
    const host = await testHost({ plugins: [listening(at)], builtIns: false })
    t.teardown(() => host.stop())
    const { message } = await t.throwsAsync(openPluginListeners({ host, logs: host.logs }), { code: 'E_LISTENER' })
    t.regex(message, /: 'own\.example:0' is no IP address|: '127\.0\.0\.1:70000' is no IP address/)
    t.notRegex(message, /RPC/)
  }
})

test('a listener without an address, and one whose second address is taken, open nowhere', async t => {
  const taken = await serveRoutes(t, listening({ port: 0 }))
  const refused = async (at: readonly ListenAt[]) => {
    const host = await testHost({ plugins: [listening(at)], builtIns: false })
    t.teardown(() => host.stop())
    return (await t.throwsAsync(openPluginListeners({ host, logs: host.logs }), { code: 'E_LISTENER' })).message
  }
  t.is(await refused([]), "plugin 'own': its listener 'own' does not open: it names no address")
  t.regex(await refused([{ port: 0 }, { port: taken.port }]), /EADDRINUSE/)
})
