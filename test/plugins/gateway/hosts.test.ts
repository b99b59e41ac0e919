import { connect } from 'node:net'
import test, { type ExecutionContext } from 'ava'
import { itemsOf } from '../../../host/testing.ts'
import { asked, hold, onHost, type Row, type Setting, sentOn } from './rows/table.ts'
import { world } from './world.ts'

/** A request to the site's own host. */
const onSite = (title: string, path: string, status: number, text?: string | RegExp) =>
  onHost(title, '{SITE}.ipfs.localhost', path, status, text)

/** `{SITE}` stands for the site's CID, `{V0}` and `{V0AS1}` for one of version 0 and as version 1. */
const ROWS: readonly Row[] = [
  sentOn(
    'a path is sent on to a host of its own',
    'localhost:8080',
    '/ipfs/{SITE}/a.txt?x=y',
    'http://{SITE}.ipfs.localhost:8080/a.txt?x=y'
  ),
  sentOn('so is /net, as /ipfs', 'localhost:8080', '/net/{SITE}/a.txt', 'http://{SITE}.ipfs.localhost:8080/a.txt'),
  sentOn('whatever the letters of the host', 'LocalHost:8080', '/ipfs/{SITE}', 'http://{SITE}.ipfs.localhost:8080/'),
  sentOn('a dot at the end of a host is no other origin', 'localhost.:8080', '/ipfs/{SITE}/', 'http://{SITE}.ipfs.localhost:8080/'),
  sentOn('a CID of version 0 becomes version 1', 'localhost', '/ipfs/{V0}/', 'http://{V0AS1}.ipfs.localhost/'),
  sentOn('https is told by the proxy in front', 'localhost', '/ipfs/{SITE}', 'https://{SITE}.ipfs.localhost/', {
    headers: { 'x-forwarded-proto': 'https' }
  }),
  sentOn('and the host', '127.0.0.1', '/ipfs/{SITE}', 'http://{SITE}.ipfs.localhost:9/', {
    headers: { 'x-forwarded-host': 'localhost:9' }
  }),
  onHost('a long hash fits no label', 'localhost', '/ipfs/{LONG}', 400, /^CID incompatible with DNS label length limit of 63: k/),
  onHost('nor on its own host', '{LONG}.ipfs.localhost', '/', 400, /^CID incompatible/),
  sentOn(
    'a peer ID becomes base36',
    'localhost',
    '/ipns/12D3KooWRBy97UB99e3J6hiPesre1MZeuNQvfan4gBziswrRJsNK/x',
    'http://k51qzi5uqu5dlvj2baxnqndepeb86cbk3ng7n3i46uzyxzyqj2xjonzllnv0v8.ipns.localhost/x'
  ),
  sentOn(
    'on its own host too',
    'QmcJM7PRfkSbcM5cf1QugM5R37TLRKyJGgBEhXjLTB8uA2.ipns.localhost',
    '/x',
    'http://k2k4r8ol4m8kkcqz509c1rcjwunebj02gcnm5excpx842u736nja8ger.ipns.localhost/x'
  ),
  onHost('a site on its own host', '{SITE}.ipfs.localhost:8080', '/', 200, 'home'),
  onHost('with a dot at its end', '{SITE}.ipfs.localhost.:8080', '/', 200, 'home'),
  asked('by what the proxy in front says', '/a.txt', { host: '127.0.0.1', 'x-forwarded-host': '{SITE}.ipfs.localhost' }, 200, {
    text: 'a'
  }),
  sentOn('a folder there is sent on without the CID', '{SITE}.ipfs.localhost', '/docs?x', '/docs/?x'),
  onSite('no namespace is mounted there', '/ipfs/{V0}/', 404, /no link named "ipfs" under {SITE}/),
  onSite('encoded dots do not lead to another site', '/%2e%2e/{V0}/evil.js', 400),
  onSite('nor with an encoded slash', '/..%2f{V0}/evil.js', 400),
  onSite('nor half encoded', '/docs/.%2e/.%2e/{V0}/evil.js', 400),
  sentOn('plain dots end at the root', '{SITE}.ipfs.localhost', '/docs/../../../{V0}/evil.js', '/{V0}/evil.js'),
  onSite('a backslash is a letter of a name', '/\\\\evil.example/', 404),
  sentOn('two slashes do not lead to another host', '{SITE}.ipfs.localhost', '//evil.example/docs', '/evil.example/docs'),
  onHost('escapes in a host are refused', '{SITE}%2eipfs.localhost', '/', 400, /^invalid host/),
  onHost('so is an empty label at the end', 'localhost..', '/ipfs/{SITE}', 400),
  onHost('a host that names no CID', 'nope.ipfs.localhost', '/', 400, /^invalid path "\/ipfs\/nope\/"/),
  onHost('a host with labels too many', '{SITE}.x.ipfs.localhost', '/', 400),
  onHost('other namespaces have no hosts', '{SITE}.ipld.localhost', '/', 404),
  onHost(
    'a listing links to the gateway, not to the site',
    '{SITE}.ipfs.localhost:8080',
    '/docs/',
    200,
    /<a href="\/\/localhost:8080\/ipfs\/{SITE}">{SITE}<\/a>[\s\S]*<a href="\/docs\/x.txt">[\s\S]*href="\/\/localhost:8080\/ipfs\/[a-z0-9]+\?filename=x.txt"/
  ),
  { title: 'other methods are refused there', method: 'POST', host: '{SITE}.ipfs.localhost', path: '/', status: 405 },
  onHost('the root of a gateway has nothing', 'localhost', '/', 404),
  onHost('nor has /version', 'localhost', '/version', 404),
  onHost('an unknown host has paths', 'elsewhere.example', '/ipfs/{SITE}/a.txt', 200, 'a'),

  onHost('a gateway of paths keeps them', 'path.example.com', '/ipfs/{SITE}/a.txt', 200, 'a'),
  onHost('/net is served where /ipfs is', 'path.example.com', '/net/{SITE}/a.txt', 200, 'a'),
  onHost('what is not in its Paths is not served', 'path.example.com', '/ipns/x', 404),
  onHost('it has no hosts of sites', '{SITE}.ipfs.path.example.com', '/', 404),
  sentOn('a pattern stands for one label', 'a.wild.example.com', '/ipfs/{SITE}', 'http://{SITE}.ipfs.a.wild.example.com/'),
  onHost('and not for two', 'a.b.wild.example.com', '/ipfs/{SITE}/a.txt', 200),
  sentOn('a pattern inside of a label', 'foo-x.part.example.com', '/ipfs/{SITE}', 'http://{SITE}.ipfs.foo-x.part.example.com/'),
  sentOn('a port can be a part of a name', 'ported.example.com:9000', '/ipfs/{SITE}', 'http://{SITE}.ipfs.ported.example.com:9000/'),
  onHost('a gateway that vouches for nothing', 'trustless.example.com', '/ipfs/{SITE}/a.txt', 400, /^only trustless requests/),
  onHost('gives blocks', 'trustless.example.com', '/ipfs/{SITE}?format=raw', 200),

  sentOn('_redirects: a rule', '{SITE}.ipfs.localhost', '/old', '/new.html'),
  sentOn(
    '_redirects: the query of the request comes along, and first',
    '{SITE}.ipfs.localhost',
    '/query?a=2&c=3',
    '/new.html?b=1&a=2&c=3',
    { status: 302 }
  ),
  sentOn('_redirects: placeholders', '{SITE}.ipfs.localhost', '/posts/2024/hello', '/articles/hello-2024'),
  sentOn(
    '_redirects: what a placeholder holds stays in the path',
    '{SITE}.ipfs.localhost',
    '/posts/2024/%0d%0aX:%c5%bc',
    '/articles/%0D%0AX:%C5%BC-2024'
  ),
  sentOn('_redirects: the rest of a path', '{SITE}.ipfs.localhost', '/splat/a/b', '/target/a/b', { status: 303 }),
  onSite('_redirects: another page in the stead', '/app/x/y', 200, 'home'),
  onSite('_redirects: a page that says that it is gone', '/gone', 410, 'new'),
  onSite('_redirects: what exists comes first', '/a.txt', 200, 'a'),
  onHost('_redirects: not without an origin of its own', '127.0.0.1', '/ipfs/{SITE}/old', 404),
  onSite('_redirects: not for a form that was asked for', '/old?format=raw', 404),
  onHost(
    '_redirects: what is wrong with it is told',
    '{BAD}.ipfs.localhost',
    '/none',
    500,
    /^trouble processing _redirects file at "\/ipfs\/{BAD}\/_redirects": could not parse _redirects: parsing status "301!": forced/
  ),
  onSite(
    '_redirects: a target is no longer than clients take, however often it names a long value',
    `/amplified/${'a'.repeat(1000)}`,
    500,
    /^the target of a rule in _redirects has more than 16384 characters/
  ),
  onHost('_redirects: but harms no file', '{BAD}.ipfs.localhost', '/a.txt', 200)
]

const REDIRECTS = `# rules
/old /new.html
/query /new.html?a=1&b=1 302
/posts/:year/:name /articles/:name-:year
/splat/* /target/:splat 303
/app/* /index.html 200
/gone /new.html 410
/a.txt /new.html
/amplified/* /${':splat'.repeat(100)}
`

async function sites(t: Pick<ExecutionContext, 'teardown'>): Promise<Setting> {
  const known = { Paths: ['/ipfs', '/ipns'], UseSubdomains: true, NoDNSLink: true }
  const at = await world(t, {
    config: {
      'Gateway.PublicGateways': {
        'path.example.com': { Paths: ['/ipfs'], UseSubdomains: false, NoDNSLink: true },
        '*.wild.example.com': known,
        'foo-*.part.example.com': known,
        'ported.example.com:9000': known,
        'trustless.example.com': { ...known, UseSubdomains: false, DeserializedResponses: false }
      }
    }
  })
  const { root: SITE } = await at.add({ 'index.html': 'home', 'a.txt': 'a', 'new.html': 'new', 'docs/x.txt': 'x', _redirects: REDIRECTS })
  const { root: BAD } = await at.add({ 'a.txt': 'a', _redirects: '/x /y 301!' })
  const { root: V0 } = await at.add({ 'evil.js': 'evil' }, { cidVersion: 0 })
  const long = await at.add({ 'l.txt': 'long' }, { cidVersion: 1, hash: 'sha2-512' })
  const [v1] = await itemsOf<{ Formatted: string }>(at.host.call('cid/base32', { args: [V0] }))
  return { at, names: { SITE, BAD, V0AS1: v1!.Formatted, V0, LONG: long.cids.get('l.txt')! } }
}

const made = hold(
  undefined,
  sites,
  ROWS.map(row => ({ ...row, fields: { location: undefined, ...row.fields } }))
)

test('a request with two Host fields is refused', async t => {
  const { at, names } = await made()
  const socket = connect(at.port, '127.0.0.1')
  socket.write(`GET /ipfs/${names['SITE']}/a.txt HTTP/1.1\r\nHost: a.example\r\nHost: b.example\r\nConnection: close\r\n\r\n`)
  let text = ''
  for await (const piece of socket) text += piece
  t.regex(text, /^HTTP\/1\.1 400 /)
})

test('load balancers are told how a gateway does, without reasons; a site has its own page of that name', async t => {
  const at = await world(t)
  const { root } = await at.add({ health: 'of the site' })
  const fault = at.host.health.fault({ name: 'test', about: 'nothing works' })
  t.deepEqual(JSON.parse((await at.get('/ready')).text), { status: 'ok', faults: [] })
  fault.set('in /a/path')
  for (const host of ['127.0.0.1', 'localhost']) {
    const { status, text, headers } = await at.get('/ready', { host })
    t.is(status, 503)
    t.is(headers['cache-control'], 'no-store')
    t.like(JSON.parse(text), { status: 'unavailable', faults: [{ fault: 'test', about: 'nothing works' }] })
    t.false(text.includes('/a/path'))
  }
  t.is((await at.get('/health', { host: '127.0.0.1' })).status, 200)
  const site = await at.get('/health', { host: `${root}.ipfs.localhost` })
  t.deepEqual([site.status, site.text], [200, 'of the site'])
})
