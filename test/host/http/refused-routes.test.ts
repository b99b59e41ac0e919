import test from 'ava'
import type { RouteDeclaration } from '../../../core/index.ts'
import { failure, named } from '../parts.ts'
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
  await t.notThrowsAsync(async () => {
    const { createHost } = await import('../../../host/host.ts')
    await createHost({ catalogue: [], plugins: [serving(routes), elsewhere] })
  })
})
