import test from 'ava'
import type { RouteDeclaration } from '../../../core/index.ts'
import { bare, failure, named } from '../parts.ts'
import { own, serving } from './support/serve.ts'

const twice = (t: Parameters<typeof failure>[0], one: RouteDeclaration, other: RouteDeclaration) =>
  failure(t, { plugins: [serving([one]), serving([other], 'other')] })

test('two plugins with one route are refused before anything starts', async t => {
  t.is(
    await twice(t, own('/hello'), own('/hello')),
    "the plugins 'own' and 'other' both declare the route GET /hello on the listener 'own': switch one off under 'plugins'"
  )
})

test('a plugin that declares a route twice is told so', async t => {
  t.is(
    await failure(t, { plugins: [serving([own('/hello/*'), own('/hello/*')])] }),
    "the plugin 'own' declares the route GET /hello/* on the listener 'own' twice"
  )
})

test('another method, another path, another listener are another route', async t => {
  const routes = [own('/'), own('/a'), own('/a', { method: 'POST' }), own('/a', { method: '*' }), own('/a/*'), own('/a/')]
  const elsewhere = named('elsewhere', { routes: [own('/a', { listener: 'rpc' })] })
  await t.notThrowsAsync(bare({ plugins: [serving(routes), elsewhere] }))
})

test('parameters of other names are the same route, and another host is another', async t => {
  t.regex(await twice(t, own('/hello/:name'), own('/hello/:other')), /both declare the route GET \/hello\/:other/)
  t.regex(
    await twice(t, own('/x', { host: ':a.example.net' }), own('/x', { host: ':b.Example.net' })),
    /both declare the route GET :b.Example.net\/x/
  )
  const hosts = ['api.example.net', ':x.example.net', undefined].map(host => own('/x', host === undefined ? {} : { host }))
  await t.notThrowsAsync(bare({ plugins: [serving(hosts)] }))
})

test('a path or a host that no request can have is refused with the plugin’s name', async t => {
  const refused: ReadonlyArray<readonly [route: RouteDeclaration, why: RegExp]> = [
    [own('hello'), /^plugin 'own': its route GET hello cannot be served: the path 'hello' is none: it starts with no slash/],
    [own('/a//b'), /'\/\/', '\.' or '\.\.'/],
    [own('/a/../b'), /'\/\/', '\.' or '\.\.'/],
    [own('/a*'), /only '\/\*' at the end/],
    [own('/*/a'), /only '\/\*' at the end/],
    [own('/a-:b'), /'a-:b' is no parameter/],
    [own('/:'), /':' is no parameter/],
    [own('/:__proto__'), /':__proto__' is no parameter/],
    [own('/:a/:a'), /two parameters are called 'a'/],
    [own('/a?b'), /'\?'/],
    [own('/ü'), /percent-encoded/],
    [own('/a', { host: 'a.:b.net' }), /the host 'a\.:b\.net' is none/],
    [own('/a', { host: ':cid' }), /the host ':cid' is none/],
    [own('/a', { host: 'a..net' }), /the host 'a\.\.net' is none/],
    [own('/:a', { host: ':a.example.net' }), /its path and its host both have a parameter 'a'/],
    [own('/a', { method: 'POST', upgrade: { protocol: 'websocket', handle() {} } }), /an upgrade is asked for by GET, not by POST/]
  ]
  for (const [route, why] of refused) t.regex(await failure(t, { plugins: [serving([route])] }), why)
})

test('the paths of the RPC’s listener that are the host’s own are no plugin’s', async t => {
  for (const path of ['/', '/version', '/webui/*', '/plugins', '/openapi.json', '/docs', '/docs/*', '/api/v0', '/api/v0/*', '/api/v0/add'])
    t.regex(await failure(t, { plugins: [serving([own(path, { listener: 'rpc' })])] }), /has that path itself/, path)
})

test('a route for a listener that nobody opens is told, and keeps nothing from starting', async t => {
  const stray = named('stray', { routes: [{ ...own('/x'), listener: 'nowhere' }, own('/y')] })
  const host = await bare({ plugins: [stray, serving([])] })
  t.deepEqual(host.planned.doubts, ["plugin 'stray': its route GET /x is for the listener 'nowhere', which no plugin that is on opens"])
  await host.start()
  await host.stop()
})
