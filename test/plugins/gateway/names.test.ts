import test from 'ava'
import { Names, ready, TxtResolver } from '../../../core/index.ts'
import { testHost } from '../../../host/testing.ts'
import { noNames } from '../../../plugins/gateway/names.ts'
import { world } from './world.ts'

const MINUTE = 60_000_000_000n

test('a name leads where its record says, for as long as that says', async t => {
  const at = await world(t)
  const { root } = await at.add({ 'index.html': 'home', 'docs/a.txt': 'a' })
  const names = at.host.service(Names)!
  const { name } = await names.publish(`/ipfs/${root}`, { allowOffline: true, ttl: 2n * MINUTE })
  const page = await at.get(`/ipns/${name}/`)
  t.deepEqual([page.status, page.text], [200, 'home'])
  t.deepEqual(
    ['cache-control', 'etag', 'x-ipfs-path', 'x-ipfs-roots'].map(field => page.headers[field]),
    ['public, max-age=120', `"${root}"`, `/ipns/${name}/`, root]
  )
  t.truthy(page.headers['last-modified'])
  const again = await at.get(`/ipns/${name}/`, { 'if-modified-since': page.headers['last-modified']! })
  t.is(again.status, 304)
  const listed = await at.get(`/ipns/${name}/docs/`)
  t.is(listed.headers['cache-control'], 'public, max-age=120, stale-while-revalidate=2678400')
  t.is((await at.get(`/ipns/${name}/none`)).status, 404)

  await names.publish(`/ipfs/${root}/docs`, { allowOffline: true, ttl: 0n })
  const below = await at.get(`/ipns/${name}/a.txt`)
  t.deepEqual([below.status, below.text, below.headers['cache-control']], [200, 'a', undefined])
  t.regex(String(below.headers['x-ipfs-roots']), new RegExp(`^${root},`))
})

test('a host that is a DNSLink is a site of its own', async t => {
  const texts = new Map<string, readonly string[]>()
  const resolver = { texts: async (domain: string) => texts.get(domain) ?? [] }
  const config = { 'Gateway.PublicGateways': { 'gate.example': { Paths: ['/ipfs', '/ipns'], UseSubdomains: true, InlineDNSLink: true } } }
  const at = await world(t, { services: [ready(TxtResolver, resolver)], config })
  const files = { 'index.html': 'home', 'docs/a.txt': 'a', _redirects: '/* /index.html 200' }
  const { root } = await at.add(files)
  texts.set('_dnslink.my-site.example.', [`dnslink=/ipfs/${root}`])
  for (const host of ['my-site.example', 'My-Site.Example.:8080', 'my--site-example.ipns.localhost', 'my-site.example.ipns.gate.example']) {
    const answer = await at.get('/', { host })
    t.deepEqual([answer.status, answer.text], [200, 'home'], host)
    t.is(answer.headers['x-ipfs-path'], '/ipns/my-site.example/', host)
    t.is((await at.get('/any/where', { host })).text, 'home', host)
    t.is((await at.get('/%2e%2e/x', { host })).status, 400, host)
  }
  const listing = await at.get('/docs/', { host: 'my-site.example' })
  t.regex(listing.text, /\/ipns\/<a href="\/\/my-site\.example\/">my-site\.example<\/a>\/<a href="\/\/my-site\.example\/docs">docs<\/a>/)
  t.regex(listing.text, /href="https:\/\/cid\.ipfs\.tech\/#/)
  const sent = await at.get('/ipns/my-site.example/docs/', { host: 'gate.example' })
  t.is(sent.headers.location, 'http://my--site-example.ipns.gate.example/docs/')
  const secure = await at.get('/ipns/my-site.example/', { host: 'localhost', 'x-forwarded-proto': 'https' })
  t.is(secure.headers.location, 'https://my--site-example.ipns.localhost/')
  const dotted = await at.get('/ipns/my-site.example/', { host: 'localhost' })
  t.is(dotted.headers.location, 'http://my-site.example.ipns.localhost/')
  // a name without a link is no site
  t.is((await at.get('/', { host: 'other.example' })).status, 404)
  t.regex((await at.get('/ipns/other.example/')).text, /^failed to resolve \/ipns\/other\.example\//)
})

test('no host is looked up where Gateway.NoDNSLink says so', async t => {
  let asked = 0
  const resolver = {
    async texts() {
      asked++
      return []
    }
  }
  const at = await world(t, { services: [ready(TxtResolver, resolver)], config: { 'Gateway.NoDNSLink': true } })
  t.is((await at.get('/', { host: 'my-site.example' })).status, 404)
  t.is((await at.get('/', { host: '192.0.2.1' })).status, 404)
  t.is((await at.get('/', { host: 'localhost' })).status, 404)
  t.is(asked, 0)
})

test('a node without names says so', async t => {
  t.false(await noNames.hasDnsLink('example.com', {}))
  t.throws(() => void noNames.resolve('x', [], {}), { code: 'E_GATEWAY_NO_NAMES' })
  const host = await testHost({ configuration: { plugins: { name: 'off' } } })
  t.teardown(() => host.stop())
  t.is(host.plugins().find(({ name }) => name === 'gateway')?.state, 'started')
})

test('no answer may be kept for longer than the record of its name is good, and no record is made that never is', async t => {
  const at = await world(t)
  const { root } = await at.add({ 'a.txt': 'a' })
  const publish = (lifetime: string) =>
    at.host.call('name/publish', { args: [`/ipfs/${root}`], options: { allowOffline: true, ttl: '1h', lifetime } })
  const { Name } = (await publish('100s')) as { readonly Name: string }
  const [, age] = /^public, max-age=(\d+)/.exec(String((await at.get(`/ipns/${Name}/a.txt`)).headers['cache-control'])) ?? []
  t.true(Number(age) > 0 && Number(age) <= 100, age)
  for (const lifetime of ['0', '0s', '-1h'])
    await t.throwsAsync(publish(lifetime), { message: `lifetime must be greater than zero, got ${lifetime}` })
})
