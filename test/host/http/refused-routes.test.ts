import test from 'ava'
import type { RouteDeclaration } from '../../../core/index.ts'
import { named } from '../../helpers/plugin.ts'
import { bare, failure, running } from '../parts.ts'
import { answering, serving } from './support/serve.ts'

const twice = (t: Parameters<typeof failure>[0], one: RouteDeclaration, other: RouteDeclaration) =>
  failure(t, { plugins: [serving([one]), serving([other], 'other')] })

test('two plugins with one route are refused before anything starts', async t => {
  t.is(
    await twice(t, answering('/hello'), answering('/hello')),
    "the plugins 'own' and 'other' both declare the route GET /hello on the listener 'own': switch one off under 'plugins'"
  )
})

test('a plugin that declares a route twice is told so', async t => {
  t.is(
    await failure(t, { plugins: [serving([answering('/hello/*'), answering('/hello/*')])] }),
    "the plugin 'own' declares the route GET /hello/* on the listener 'own' twice"
  )
})

test('another method, another path, another listener are another route', async t => {
  const routes = [
    answering('/'),
    answering('/a'),
    answering('/a', { method: 'POST' }),
    answering('/a', { method: '*' }),
    answering('/a/*'),
    answering('/a/')
  ]
  const elsewhere = named('elsewhere', { routes: [answering('/a', { listener: 'rpc' })] })
  await t.notThrowsAsync(bare({ plugins: [serving(routes), elsewhere] }))
})

test('parameters of other names are the same route, and another host is another', async t => {
  t.regex(await twice(t, answering('/hello/:name'), answering('/hello/:other')), /both declare the route GET \/hello\/:other/)
  t.regex(
    await twice(t, answering('/x', { host: ':a.example.net' }), answering('/x', { host: ':b.Example.net' })),
    /both declare the route GET :b.Example.net\/x/
  )
  const hosts = ['api.example.net', ':x.example.net', undefined].map(host => answering('/x', host === undefined ? {} : { host }))
  await t.notThrowsAsync(bare({ plugins: [serving(hosts)] }))
})

test('a path or a host that no request can have is refused with the plugin’s name', async t => {
  const refused: ReadonlyArray<readonly [route: RouteDeclaration, why: RegExp]> = [
    [answering('hello'), /^plugin 'own': its route GET hello cannot be served: the path 'hello' is none: it starts with no slash/],
    [answering('/a//b'), /'\/\/', '\.' or '\.\.'/],
    [answering('/a/../b'), /'\/\/', '\.' or '\.\.'/],
    [answering('/a*'), /only '\/\*' at the end/],
    [answering('/*/a'), /only '\/\*' at the end/],
    [answering('/a-:b'), /'a-:b' is no parameter/],
    [answering('/:'), /':' is no parameter/],
    [answering('/:__proto__'), /':__proto__' is no parameter/],
    [answering('/:a/:a'), /two parameters are called 'a'/],
    [answering('/a?b'), /'\?'/],
    [answering('/ü'), /percent-encoded/],
    [answering('/a', { host: 'a.:b.net' }), /the host 'a\.:b\.net' is none/],
    [answering('/a', { host: ':cid' }), /the host ':cid' is none/],
    [answering('/a', { host: 'a..net' }), /the host 'a\.\.net' is none/],
    [answering('/:a', { host: ':a.example.net' }), /its path and its host both have a parameter 'a'/],
    [answering('/a', { method: 'POST', upgrade: { protocol: 'websocket', handle() {} } }), /an upgrade is asked for by GET, not by POST/]
  ]
  for (const [route, why] of refused) t.regex(await failure(t, { plugins: [serving([route])] }), why)
})

test('the paths of the RPC’s listener that are the host’s own are no plugin’s', async t => {
  for (const path of ['/', '/version', '/webui/*', '/plugins', '/openapi.json', '/docs', '/docs/*', '/api/v0', '/api/v0/*', '/api/v0/add'])
    t.regex(await failure(t, { plugins: [serving([answering(path, { listener: 'rpc' })])] }), /has that path itself/, path)
})

test('a route for a listener that nobody opens is told, and keeps nothing from starting', async t => {
  const stray = named('stray', { routes: [{ ...answering('/x'), listener: 'nowhere' }, answering('/y')] })
  const host = await running(t, { plugins: [stray, serving([])] })
  t.deepEqual(host.planned.doubts, ["plugin 'stray': its route GET /x is for the listener 'nowhere', which no plugin that is on opens"])
})
