import { FILES, site } from './browser/site.ts'
import { WEEK } from './rows/content.ts'
import { asked, hold, type Row } from './rows/table.ts'

const ALLOW = 'GET, HEAD, OPTIONS'

const ROWS: readonly Row[] = [
  {
    title: '/net is another name of /ipfs',
    path: '/net/{SITE}/a.txt',
    status: 200,
    fields: { 'x-ipfs-path': '/net/{SITE}/a.txt' },
    text: 'hello gateway\n'
  },
  {
    title: 'a folder is sent on to its slash, with the query',
    path: '/ipfs/{SITE}?x=y',
    status: 301,
    fields: { location: '/ipfs/{SITE}/?x=y' }
  },
  {
    title: 'a folder with an index.html is that page, under its own Etag',
    path: '/ipfs/{SITE}/',
    status: 200,
    text: FILES['index.html'],
    fields: { etag: '"{SITE}"', 'content-type': 'text/html' }
  },
  { title: 'go-get is answered without a redirection', path: '/ipfs/{SITE}?go-get=1', status: 200, text: FILES['index.html'] },
  {
    title: 'an index.html that is a folder is told',
    path: '/ipfs/{SITE}/bad/',
    status: 422,
    text: /index\.html" could not be read: file isn't a regular file\n$/
  },
  {
    title: 'a folder without a page is listed',
    path: '/ipfs/{SITE}/docs/',
    status: 200,
    text: /Index of/,
    fields: { etag: /^"DirIndex-[\w-]+_CID-{DOCS}"$/, 'cache-control': WEEK }
  },
  {
    title: 'HEAD of a listing has no body',
    method: 'HEAD',
    path: '/ipfs/{SITE}/docs/',
    status: 200,
    text: '',
    fields: { etag: /^"DirIndex-/ }
  },
  {
    title: 'a name that is no ASCII is found, and told as its bytes',
    path: '/ipfs/{SITE}/docs/%C5%BC.txt',
    status: 200,
    text: 'polish',
    fields: { 'x-ipfs-path': '/ipfs/{SITE}/docs/\xc5\xbc.txt' }
  },
  {
    title: 'a redirection has its escapes in capitals',
    path: '/ipfs/{SITE}/%64ocs?%c5',
    status: 301,
    fields: { location: '/ipfs/{SITE}/%64ocs/?%C5' }
  },
  {
    title: 'a missing name is 404 and says which',
    path: '/ipfs/{SITE}/docs/none',
    status: 404,
    text: /no link named "none" under {DOCS}\n$/,
    fields: { 'content-type': 'text/plain; charset=utf-8', 'x-content-type-options': 'nosniff', etag: undefined }
  },
  asked('a browser gets an error as a page, in which the path is text', '/ipfs/{SITE}/%3Cscript%3E', { accept: 'text/html' }, 404, {
    text: /<h1>404 Not Found<\/h1>[\s\S]*&lt;script&gt;/,
    fields: { 'content-type': 'text/html' }
  }),
  {
    title: 'what is no CID is 400',
    path: '/ipfs/nope',
    status: 400,
    text: 'invalid path "/ipfs/nope": invalid cid: selected encoding not supported\n'
  },
  { title: 'an escape that is none is 400', path: '/ipfs/{SITE}/%zz', status: 400 },
  {
    title: 'a name that is no UTF-8 is looked up as its bytes',
    path: '/ipfs/{SITE}/%FF',
    status: 404,
    text: /no link named "\\xff" under {SITE}/
  },
  { title: 'encoded dots lead nowhere', path: '/ipfs/{SITE}/docs/%2e%2e/a.txt', status: 400, text: /'\.\.'/ },
  { title: 'an encoded slash is a slash', path: '/ipfs/{SITE}%2Fa.txt', status: 200, text: 'hello gateway\n' },
  { title: 'an unmounted path is 404', path: '/IPFS/{SITE}', status: 404, text: '404 page not found\n' },
  { title: 'the RPC is not here', path: '/api/v0/version', status: 404 },
  { title: '/ipfs is sent on to /ipfs/', path: '/ipfs', status: 301, fields: { location: '/ipfs/' } },
  {
    title: 'a namespace too many is left out',
    path: '/ipfs/ipfs/{SITE}/a.txt?x=y',
    status: 301,
    fields: { location: '/ipfs/{SITE}/a.txt?x=y' }
  },
  { title: 'that holds for /net too', path: '/net/ipfs/{SITE}', status: 301, fields: { location: '/ipfs/{SITE}' } },
  {
    title: 'a namespace too many before nothing is 400',
    path: '/ipfs/ipfs/nope',
    status: 400,
    text: /^invalid ipfs path: invalid path "\/ipfs\/nope"/
  },
  {
    title: 'a peer ID is sent on to base36',
    path: '/ipns/12D3KooWRBy97UB99e3J6hiPesre1MZeuNQvfan4gBziswrRJsNK/x?y',
    status: 302,
    fields: { location: '/ipns/k51qzi5uqu5dlvj2baxnqndepeb86cbk3ng7n3i46uzyxzyqj2xjonzllnv0v8/x?y' }
  },
  {
    title: 'so is one that is a hash',
    path: '/ipns/QmcJM7PRfkSbcM5cf1QugM5R37TLRKyJGgBEhXjLTB8uA2',
    status: 302,
    fields: { location: '/ipns/k2k4r8ol4m8kkcqz509c1rcjwunebj02gcnm5excpx842u736nja8ger' }
  },
  {
    title: 'a protocol handler is sent on',
    path: '/ipfs/?uri=ipfs://{SITE}/a%20b%3Fc',
    status: 301,
    fields: { location: '/ipfs/{SITE}/a%20b?c' }
  },
  {
    title: 'nothing raw gets into a Location',
    path: '/?uri=ipfs://{SITE}/%0D%0AX:%20y%C5%BC%5C',
    status: 301,
    fields: { location: '/ipfs/{SITE}/%0D%0AX:%20y%C5%BC%5C', x: undefined }
  },
  { title: 'a protocol handler of another scheme is 400', path: '/?uri=https://example.com/', status: 400 },
  asked('a service worker over all content is refused', '/ipfs/{SITE}', { 'service-worker': 'script' }, 400, {
    text: /registration is not allowed/
  }),
  asked('so under /net', '/net/{SITE}?x', { 'service-worker': 'script' }, 400),
  {
    title: 'OPTIONS tells the methods',
    method: 'OPTIONS',
    path: '/ipfs/{SITE}',
    status: 200,
    text: '',
    fields: { allow: ALLOW, 'access-control-allow-methods': ALLOW }
  },
  {
    title: 'other methods are refused',
    method: 'PUT',
    path: '/ipfs/{SITE}',
    status: 405,
    text: 'Method PUT not allowed: read only access\n',
    fields: { allow: ALLOW }
  },
  { title: 'so is one that only others know', method: 'PROPFIND', path: '/ipfs/{SITE}', status: 405, fields: { allow: ALLOW } },
  { title: 'a target that names a host is read', path: 'http://elsewhere.example/ipfs/{SITE}/a.txt', status: 200, text: 'hello gateway\n' },
  { title: 'an identity CID needs no block', path: '/ipfs/bafkqac3imvwgy3zao5xxe3de', status: 200, text: 'hello world' },
  {
    title: 'the empty file is text without bytes',
    path: '/ipfs/bafkqaaa',
    status: 200,
    text: '',
    fields: { 'content-type': 'text/plain', 'content-length': '0' }
  },
  asked('a range of nothing is nothing', '/ipfs/bafkqaaa', { range: 'bytes=0-3' }, 200)
]

hold(undefined, site, ROWS)
