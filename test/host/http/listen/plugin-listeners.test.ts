import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import test from 'ava'
import { z } from 'zod'
import { listener, listenerSettings, plugin, route, settings, token } from '../../../../core/index.ts'
import { serve, testHost } from '../../../../host/testing.ts'
import { named } from '../../../helpers/plugin.ts'
import { failure } from '../../parts.ts'

const schema = z.strictObject({ ...listenerSettings(8090), greeting: z.string().default('hello') })

const greeter = plugin({
  name: 'greeter',
  api: '^1',
  about: 'Greets.',
  settings: schema,
  listeners: [listener({ name: 'greetings', help: 'Greets.', needs: { at: settings<typeof schema>() }, at: ({ at }) => at })],
  routes: [
    route({
      listener: 'greetings',
      method: 'GET',
      path: '/hello',
      help: 'Greets.',
      needs: { settings: settings<typeof schema>() },
      handle: ({ settings }, _, response) => void response.end(settings.greeting)
    }),
    route({
      listener: 'greetings',
      method: 'GET',
      path: '/secret',
      access: 'admin',
      help: 'For few.',
      handle: (_, __, response) => void response.end('secret')
    }),
    route({
      listener: 'greetings',
      method: 'GET',
      path: '/broken',
      help: 'Fails.',
      handle: () => {
        throw new Error('no')
      }
    })
  ]
})

const at = (port: number) => ({ plugins: { greeter: { port, greeting: 'hi' } } })

test('a plugin serves routes on a listener of its own, which closes with the host', async t => {
  const host = await testHost({ plugins: [greeter], builtIns: false, configuration: at(0) })
  const { rpc, listeners } = await serve(host)
  t.is(rpc, undefined)
  const url = listeners['greetings']!
  t.regex(url, /^http:\/\/127\.0\.0\.1:\d+$/)
  t.is(await (await fetch(`${url}/hello`)).text(), 'hi')
  t.is((await fetch(`${url}/hello`, { method: 'POST' })).status, 405)
  t.is((await fetch(`${url}/nope`)).status, 404)
  t.is((await fetch(`${url}/api/v0/version`, { method: 'POST' })).status, 404)
  t.is((await fetch(`${url}/broken`)).status, 500)
  t.deepEqual(await host.stop(), [])
  await t.throwsAsync(fetch(`${url}/hello`))
})

test('pages of other sites are turned away, and from routes that let a caller do something all pages are', async t => {
  const host = await testHost({ plugins: [greeter], builtIns: false, configuration: at(0) })
  const url = (await serve(host)).listeners['greetings']!
  const port = new URL(url).port
  const status = async (path: string, headers: Record<string, string>) => {
    const { get } = await import('node:http')
    return new Promise<number | undefined>(resolve => {
      get({ port, host: '127.0.0.1', path, headers, agent: false }, answer => {
        answer.resume()
        resolve(answer.statusCode)
      })
    })
  }
  t.is(await status('/hello', { host: 'evil.example' }), 403)
  t.is(await status('/secret', { origin: 'http://evil.example' }), 403)
  t.is(await status('/secret', {}), 200)
  await host.stop()
})

test('the RPC is served beside it where there is a repo', async t => {
  const host = await testHost({ plugins: [greeter], configuration: at(0) })
  const { rpc, listeners } = await serve(host)
  t.is((await fetch(`${rpc}/version`, { method: 'POST' })).status, 200)
  t.is((await fetch(`${listeners['greetings']}/hello`)).status, 200)
  await host.stop()
})

test('a port that is taken is an error that names the plugin and its listener', async t => {
  const taken = createServer()
  await new Promise<void>(resolve => taken.listen(0, '127.0.0.1', resolve))
  const { port } = taken.address() as AddressInfo
  const host = await testHost({ plugins: [greeter], builtIns: false, configuration: at(port) })
  await t.throwsAsync(serve(host), {
    code: 'E_LISTENER',
    message: /^plugin 'greeter': its listener 'greetings' does not open: cannot listen on \/ip4\/127\.0\.0\.1\/tcp\/\d+: .*EADDRINUSE/
  })
  await host.stop()
  await new Promise(resolve => taken.close(resolve))
})

test('an address that is none, and a second listener of one name, are refused before anything starts', async t => {
  t.regex(
    await failure(t, { plugins: [greeter], configuration: { plugins: { greeter: { address: 'localhost' } } } }),
    /settings of plugin 'greeter': address: an IP address/
  )
  const other = named('other', { listeners: [listener({ name: 'greetings', help: '', at: () => ({ port: 0 }) })] })
  t.is(
    await failure(t, { plugins: [greeter, other] }),
    "the plugins 'greeter' and 'other' both open the listener 'greetings': switch one off under 'plugins'"
  )
  const absent = listener({ name: 'x', help: '', needs: { a: token('test-nobody') }, at: () => ({ port: 0 }) })
  t.regex(
    await failure(t, { plugins: [named('needy', { listeners: [absent] })] }),
    /the service 'test-nobody', which 'a route of needy' needs/
  )
})
