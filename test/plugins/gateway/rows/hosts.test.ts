/** Hosts of content's own, and hosts with rules. */
import { CID } from 'multiformats/cid'
import { sha512 } from 'multiformats/hashes/sha2'
import { RAW } from '../../../../core/cid/index.ts'
import { content } from './content.ts'
import { asked, hold, onHost, type Row, type Setting, sentOn } from './table.ts'

const KEY = 'k51qzi5uqu5dlvj2baxnqndepeb86cbk3ng7n3i46uzyxzyqj2xjonzllnv0v8'
const KEY_BASE32 = 'bafzaajaiaejcbzdibmxyzdjbbehgvizh6g5tikvy47mshdy6gwbruvgwvd24seje'
const LONG_NAME = `${'a-'.repeat(20)}x.${'b'.repeat(20)}.example`
const host = 'localhost:8080'

const ROWS: readonly Row[] = [
  sentOn('the root of a site has a slash', host, '/ipfs/{SITE}', 'http://{SITE}.ipfs.localhost:8080/'),
  sentOn('a site by HEAD', host, '/ipfs/{SITE}/', 'http://{SITE}.ipfs.localhost:8080/', { method: 'HEAD', text: '' }),
  sentOn('form and query come along', host, '/ipfs/{SITE}/a?format=raw&x', 'http://{SITE}.ipfs.localhost:8080/a?format=raw&x'),
  sentOn(
    'a path stays readable: what may stand in it is not escaped, all else is',
    host,
    '/ipfs/{SITE}/Portugal%252C+Espa%c3%b1a=Peninsula%20Ib%C3%A9rica.txt',
    'http://{SITE}.ipfs.localhost:8080/Portugal%252C+Espa%C3%B1a=Peninsula%20Ib%C3%A9rica.txt'
  ),
  sentOn('marks that may stand in a path', host, '/ipfs/{SITE}/+=&$,:;@', 'http://{SITE}.ipfs.localhost:8080/+=&$,:;@'),
  sentOn('http where the proxy says something else', host, '/ipfs/{SITE}', 'http://{SITE}.ipfs.localhost:8080/', {
    headers: { 'x-forwarded-proto': 'ws' }
  }),
  onHost('what is below is not looked at', host, '/ipfs/{SITE}/none/at/all', 301),
  onHost(
    'what is no CID is not sent on, and told in its own letters',
    host,
    '/ipfs/QmInvalidCID',
    400,
    /^invalid path "\/ipfs\/QmInvalidCID"/
  ),
  sentOn('a CID of a key that is too long in base32', host, `/ipfs/${KEY_BASE32}`, `http://${KEY}.ipfs.localhost:8080/`),
  onHost('a hash that fits in no base', host, '/ipfs/{LONG}', 400, /^CID incompatible with DNS label length limit of 63: k\w+\n$/),
  onHost('nor as a host', '{LONG}.ipfs.localhost', '/', 400, /^CID incompatible with DNS label length limit of 63: k\w+\n$/),
  sentOn('a long label is sent on to one that fits', `${KEY_BASE32}.ipfs.localhost`, '/x', `http://${KEY}.ipfs.localhost/x`),

  sentOn('a key in base32', host, `/ipns/${KEY_BASE32}/x`, `http://${KEY}.ipns.localhost:8080/x`),
  sentOn('a name that is a CID of another codec', '{OLD_V1}.ipns.localhost', '/x', 'http://{OLD_KEY}.ipns.localhost/x'),
  sentOn('so by its path', host, '/ipns/{OLD_V1}', 'http://{OLD_KEY}.ipns.localhost:8080/'),
  {
    title: 'a key that nobody knows',
    host: `${KEY}.ipns.localhost`,
    path: '/',
    status: 500,
    text: new RegExp(`^failed to resolve /ipns/${KEY}/: could not resolve name\n$`)
  },

  onHost(
    'a DNSLink that has too many letters as one label',
    'inline.example',
    `/ipns/${LONG_NAME}`,
    400,
    /^inlined DNSLink incompatible with DNS label length limit of 63: /
  ),
  sentOn('a DNSLink keeps its dots', host, '/ipns/my-site.example/x', 'http://my-site.example.ipns.localhost:8080/x'),
  sentOn('but not over https', host, '/ipns/my-site.example/x', 'https://my--site-example.ipns.localhost:8080/x', {
    headers: { 'x-forwarded-proto': 'https' }
  }),
  sentOn('nor where the host inlines', 'inline.example', '/ipns/my-site.example/x', 'http://my--site-example.ipns.inline.example/x'),
  sentOn(
    'a name without a DNSLink keeps them',
    'inline.example',
    '/ipns/no-site.example/x',
    'http://no-site.example.ipns.inline.example/x'
  ),
  sentOn('a name as one label, by its path', host, '/ipns/my--site-example/x', 'http://my-site.example.ipns.localhost:8080/x'),
  {
    title: 'with dots',
    host: 'my-site.example.ipns.localhost',
    path: '/a.txt',
    status: 200,
    text: 'hello gateway\n',
    fields: { 'x-ipfs-path': '/ipns/my-site.example/a.txt' }
  },
  {
    title: 'as one label',
    host: 'my--site-example.ipns.localhost',
    path: '/a.txt',
    status: 200,
    text: 'hello gateway\n',
    fields: { 'x-ipfs-path': '/ipns/my-site.example/a.txt' }
  },
  onHost('a label with dashes that is a DNSLink as it is', 'dashed-name.ipns.localhost', '/a.txt', 200, 'hello gateway\n'),
  onHost(
    'one that is none is named by what it stands for',
    'no--site-example.ipns.localhost',
    '/',
    500,
    /^failed to resolve \/ipns\/no-site\.example\/: /
  ),

  {
    title: 'a site on its host',
    host: '{SITE}.ipfs.localhost',
    path: '/',
    status: 200,
    fields: { 'x-ipfs-path': '/ipfs/{SITE}/', etag: '"{SITE}"' }
  },
  onHost('a folder called ipfs is a folder', '{SITE}.ipfs.localhost', '/ipfs/inner.txt', 200, 'a folder named as a namespace'),
  onHost('a folder that is not there', '{SITE}.ipfs.localhost', '/ipns/{SITE}', 404, /no link named "ipns" under {SITE}/),
  {
    title: 'a service worker is allowed on it',
    host: '{SITE}.ipfs.localhost',
    path: '/a.txt',
    headers: { 'service-worker': 'script' },
    status: 200
  },
  onHost('what a namespace has no place for', 'x.p2p.localhost', '/', 404, '404 page not found\n'),

  onHost('Paths without /ipns have no names', 'half.example', '/ipns/my-site.example', 404, '404 page not found\n'),
  onHost('nor hosts of names', 'my-site.example.ipns.half.example', '/', 404, '404 page not found\n'),
  onHost('nor a namespace too many', 'names.example', '/ipfs/ipfs/{SITE}', 404, '404 page not found\n'),
  onHost('an unknown host that is no DNSLink has paths', 'fake.domain.example', '/ipfs/{SITE}/a.txt', 200, 'hello gateway\n'),
  asked(
    'what a proxy says of the host counts alone',
    '/ipfs/{A}',
    { host: '{SITE}.ipfs.localhost', 'x-forwarded-host': 'plain.example' },
    200,
    { text: 'hello gateway\n' }
  ),
  sentOn('also in Location', '127.0.0.1', '/ipfs/{SITE}', 'https://{SITE}.ipfs.localhost:1/', {
    headers: { 'x-forwarded-host': 'localhost:1', 'x-forwarded-proto': 'https' }
  }),

  onHost('a host with rules that is a DNSLink is one where its Paths end', 'both.example', '/a.txt', 200, 'hello gateway\n'),
  onHost('and a gateway under them', 'both.example', '/ipfs/{A}', 200, 'hello gateway\n'),
  onHost('but not where it has NoDNSLink', 'neither.example', '/a.txt', 404, '404 page not found\n'),
  sentOn('a DNSLink sends a folder on without its name', 'my-site.example', '/docs?x', '/docs/?x'),
  onHost('a DNSLink has its own root alone', 'my-site.example', '/ipfs/{OLD}', 404, /no link named "{OLD}" under/),
  onHost('a peer ID as a host is no DNSLink', '12D3KooWRBy97UB99e3J6hiPesre1MZeuNQvfan4gBziswrRJsNK', '/', 404)
]

async function sites(t: Parameters<typeof content>[0]): Promise<Setting> {
  const rules = { Paths: ['/ipfs', '/ipns'], UseSubdomains: true }
  const fixed: Record<string, string> = {}
  const config = {
    'Gateway.PublicGateways': {
      'inline.example': { ...rules, InlineDNSLink: true },
      'half.example': { ...rules, Paths: ['/ipfs'] },
      'names.example': { ...rules, Paths: ['/ipns'], UseSubdomains: false },
      'both.example': { Paths: ['/ipfs'] },
      'neither.example': { Paths: ['/ipfs'], NoDNSLink: true }
    }
  }
  // what the node holds is the same each time, and so is its CID
  const { names } = await content(t)
  for (const name of ['my-site.example', 'dashed-name', 'both.example', 'neither.example', LONG_NAME])
    fixed[name] = `/ipfs/${names['SITE']}`
  const { at } = await content(t, { config, others: { name: { dns: 'none', fixed } } })
  const old = CID.parse(names['OLD_V1']!)
  const { base36 } = await import('multiformats/bases/base36')
  const LONG = CID.createV1(RAW, await sha512.digest(Buffer.from('long'))).toString()
  return { at, names: { ...names, LONG, OLD_KEY: CID.createV1(0x72, old.multihash).toString(base36) } }
}

hold('hosts', sites, ROWS)
