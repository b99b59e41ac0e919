import test from 'ava'
import { itemsOf, upload } from '../../../host/testing.ts'
import { type Added, type Answer, type World, world } from './world.ts'

interface Row {
  readonly title: string
  readonly method?: string
  /** `SITE` and `CIDOF(name)` stand for CIDs. */
  readonly path: string
  readonly headers?: Readonly<Record<string, string>>
  readonly status: number
  /** undefined: the field must not be there. */
  readonly fields?: Readonly<Record<string, string | RegExp | undefined>>
  readonly text?: string | RegExp
}

const IMMUTABLE = 'public, max-age=29030400, immutable'
const LISTING = 'public, max-age=604800, stale-while-revalidate=2678400'
const ALLOW = 'GET, HEAD, OPTIONS'
const BIG = Buffer.alloc(5000, 'abcdefghij')

const FILES = {
  'index.html': '<!doctype html><title>home</title>',
  'a.txt': 'hello gateway\n',
  'big.bin': BIG,
  'page.svg': '<svg xmlns="http://www.w3.org/2000/svg"/>',
  'json-without-ending': '{"a":[1,2]}',
  empty: '',
  'docs/read me.md': '# Read\n',
  'docs/<img src=x onerror=alert(1)>"\'#?%.txt': 'escaped',
  'docs/ż.txt': 'polish',
  'bad/index.html/inner.txt': 'a folder named as a page'
}

const ROWS: readonly Row[] = [
  {
    title: 'a file has its type, Etag, path, roots and how long it holds',
    path: '/ipfs/SITE/a.txt',
    status: 200,
    text: 'hello gateway\n',
    fields: {
      'content-type': 'text/plain; charset=utf-8',
      'content-length': '14',
      etag: '"CIDOF(a.txt)"',
      'cache-control': IMMUTABLE,
      'x-ipfs-path': '/ipfs/SITE/a.txt',
      'x-ipfs-roots': 'SITE,CIDOF(a.txt)',
      'accept-ranges': 'bytes',
      'access-control-allow-origin': '*',
      'content-disposition': undefined,
      'last-modified': undefined
    }
  },
  {
    title: 'HEAD has the fields of GET and no body',
    method: 'HEAD',
    path: '/ipfs/SITE/a.txt',
    status: 200,
    text: '',
    fields: { 'content-length': '14' }
  },
  {
    title: '/net is another name of /ipfs',
    path: '/net/SITE/a.txt',
    status: 200,
    fields: { 'x-ipfs-path': '/net/SITE/a.txt' },
    text: 'hello gateway\n'
  },
  {
    title: 'a folder is sent on to its slash, with the query',
    path: '/ipfs/SITE?x=y',
    status: 301,
    fields: { location: '/ipfs/SITE/?x=y' }
  },
  {
    title: 'a folder with an index.html is that page, under its own Etag',
    path: '/ipfs/SITE/',
    status: 200,
    text: FILES['index.html'],
    fields: { etag: '"SITE"', 'content-type': 'text/html' }
  },
  { title: 'go-get is answered without a redirection', path: '/ipfs/SITE?go-get=1', status: 200, text: FILES['index.html'] },
  {
    title: 'an index.html that is a folder is told',
    path: '/ipfs/SITE/bad/',
    status: 422,
    text: /index\.html" could not be read: file isn't a regular file\n$/
  },
  {
    title: 'a folder without a page is listed',
    path: '/ipfs/SITE/docs/',
    status: 200,
    text: /Index of/,
    fields: { etag: /^"DirIndex-[\w-]+_CID-CIDOF\(docs\)"$/, 'cache-control': LISTING }
  },
  {
    title: 'HEAD of a listing has no body',
    method: 'HEAD',
    path: '/ipfs/SITE/docs/',
    status: 200,
    text: '',
    fields: { etag: /^"DirIndex-/ }
  },
  {
    title: 'a name that is no ASCII is found, and told as its bytes',
    path: '/ipfs/SITE/docs/%C5%BC.txt',
    status: 200,
    text: 'polish',
    fields: { 'x-ipfs-path': '/ipfs/SITE/docs/\xc5\xbc.txt' }
  },
  {
    title: 'a redirection has its escapes in capitals',
    path: '/ipfs/SITE/%64ocs?%c5',
    status: 301,
    fields: { location: '/ipfs/SITE/%64ocs/?%C5' }
  },
  {
    title: 'a missing name is 404 and says which',
    path: '/ipfs/SITE/docs/none',
    status: 404,
    text: /no link named "none" under CIDOF\(docs\)\n$/,
    fields: { 'content-type': 'text/plain; charset=utf-8', 'x-content-type-options': 'nosniff', etag: undefined }
  },
  {
    title: 'a browser gets an error as a page, in which the path is text',
    path: '/ipfs/SITE/%3Cscript%3E',
    headers: { accept: 'text/html' },
    status: 404,
    text: /<h1>404 Not Found<\/h1>[\s\S]*&lt;script&gt;/,
    fields: { 'content-type': 'text/html' }
  },
  {
    title: 'what is no CID is 400',
    path: '/ipfs/nope',
    status: 400,
    text: 'invalid path "/ipfs/nope": invalid cid: selected encoding not supported\n'
  },
  { title: 'an escape that is none is 400', path: '/ipfs/SITE/%zz', status: 400 },
  {
    title: 'a name that is no UTF-8 is looked up as its bytes',
    path: '/ipfs/SITE/%FF',
    status: 404,
    text: /no link named "\\xff" under SITE/
  },
  { title: 'encoded dots lead nowhere', path: '/ipfs/SITE/docs/%2e%2e/a.txt', status: 400, text: /'\.\.'/ },
  { title: 'an encoded slash is a slash', path: '/ipfs/SITE%2Fa.txt', status: 200, text: 'hello gateway\n' },
  { title: 'an unmounted path is 404', path: '/IPFS/SITE', status: 404, text: '404 page not found\n' },
  { title: 'the RPC is not here', path: '/api/v0/version', status: 404 },
  { title: '/ipfs is sent on to /ipfs/', path: '/ipfs', status: 301, fields: { location: '/ipfs/' } },
  {
    title: 'a namespace too many is left out',
    path: '/ipfs/ipfs/SITE/a.txt?x=y',
    status: 301,
    fields: { location: '/ipfs/SITE/a.txt?x=y' }
  },
  { title: 'that holds for /net too', path: '/net/ipfs/SITE', status: 301, fields: { location: '/ipfs/SITE' } },
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
    path: '/ipfs/?uri=ipfs://SITE/a%20b%3Fc',
    status: 301,
    fields: { location: '/ipfs/SITE/a%20b?c' }
  },
  {
    title: 'nothing raw gets into a Location',
    path: '/?uri=ipfs://SITE/%0D%0AX:%20y%C5%BC%5C',
    status: 301,
    fields: { location: '/ipfs/SITE/%0D%0AX:%20y%C5%BC%5C', x: undefined }
  },
  { title: 'a protocol handler of another scheme is 400', path: '/?uri=https://example.com/', status: 400 },
  {
    title: 'a service worker over all content is refused',
    path: '/ipfs/SITE',
    headers: { 'service-worker': 'script' },
    status: 400,
    text: /registration is not allowed/
  },
  { title: 'so under /net', path: '/net/SITE?x', headers: { 'service-worker': 'script' }, status: 400 },
  {
    title: 'OPTIONS tells the methods',
    method: 'OPTIONS',
    path: '/ipfs/SITE',
    status: 200,
    text: '',
    fields: { allow: ALLOW, 'access-control-allow-methods': ALLOW }
  },
  {
    title: 'other methods are refused',
    method: 'PUT',
    path: '/ipfs/SITE',
    status: 405,
    text: 'Method PUT not allowed: read only access\n',
    fields: { allow: ALLOW }
  },
  { title: 'so is one that only others know', method: 'PROPFIND', path: '/ipfs/SITE', status: 405, fields: { allow: ALLOW } },
  { title: 'a target that names a host is read', path: 'http://elsewhere.example/ipfs/SITE/a.txt', status: 200, text: 'hello gateway\n' },
  { title: 'an identity CID needs no block', path: '/ipfs/bafkqac3imvwgy3zao5xxe3de', status: 200, text: 'hello world' },
  {
    title: 'the empty file is text without bytes',
    path: '/ipfs/bafkqaaa',
    status: 200,
    text: '',
    fields: { 'content-type': 'text/plain', 'content-length': '0' }
  },
  { title: 'a range of nothing is nothing', path: '/ipfs/bafkqaaa', headers: { range: 'bytes=0-3' }, status: 200 },

  { title: 'a type is told by the ending', path: '/ipfs/SITE/page.svg', status: 200, fields: { 'content-type': 'image/svg+xml' } },
  { title: 'else by the bytes', path: '/ipfs/SITE/json-without-ending', status: 200, fields: { 'content-type': 'application/json' } },
  {
    title: 'filename gives name and type',
    path: '/ipfs/CIDOF(a.txt)?filename=test%D1%82.pdf',
    status: 200,
    fields: { 'content-type': 'application/pdf', 'content-disposition': 'inline; filename="test_.pdf"; filename*=UTF-8\'\'test%D1%82.pdf' }
  },
  {
    title: 'a name holds no line ends',
    path: '/ipfs/SITE/a.txt?filename=a%0D%0Ab',
    status: 200,
    fields: { 'content-disposition': /filename="a%0D%0Ab"/ }
  },
  {
    title: 'download saves under the name of the path',
    path: '/ipfs/SITE/a.txt?download=true',
    status: 200,
    fields: { 'content-disposition': /^attachment; filename="a\.txt"/ }
  },

  {
    title: 'a range',
    path: '/ipfs/SITE/big.bin',
    headers: { range: 'bytes=1-3' },
    status: 206,
    text: 'bcd',
    fields: { 'content-range': 'bytes 1-3/5000', 'content-length': '3' }
  },
  { title: 'a range over chunks', path: '/ipfs/SITE/big.bin', headers: { range: 'bytes=998-1001' }, status: 206, text: 'ijab' },
  {
    title: 'the end of a file',
    path: '/ipfs/SITE/big.bin',
    headers: { range: 'bytes=-4' },
    status: 206,
    text: 'ghij',
    fields: { 'content-range': 'bytes 4996-4999/5000' }
  },
  { title: 'from a byte on', path: '/ipfs/SITE/big.bin', headers: { range: 'bytes=4998-' }, status: 206, text: 'ij' },
  {
    title: 'more at the end than there is',
    path: '/ipfs/SITE/a.txt',
    headers: { range: 'bytes=-999' },
    status: 206,
    text: 'hello gateway\n'
  },
  {
    title: 'a range behind the end',
    path: '/ipfs/SITE/a.txt',
    headers: { range: 'bytes=14-' },
    status: 416,
    text: 'invalid range: failed to overlap\n',
    fields: { 'content-range': 'bytes */14' }
  },
  { title: 'no bytes at the end', path: '/ipfs/SITE/a.txt', headers: { range: 'bytes=-0' }, status: 416 },
  {
    title: 'a range that is none',
    path: '/ipfs/SITE/a.txt',
    headers: { range: 'bytes=5-2' },
    status: 400,
    text: 'invalid range request: invalid range\n',
    fields: { 'x-ipfs-roots': undefined }
  },
  {
    title: 'a range of HEAD',
    method: 'HEAD',
    path: '/ipfs/SITE/big.bin',
    headers: { range: 'bytes=1-3' },
    status: 206,
    text: '',
    fields: { 'content-length': '3', 'content-range': 'bytes 1-3/5000' }
  },
  {
    title: 'several ranges are parts, in their order',
    path: '/ipfs/SITE/big.bin',
    headers: { range: 'bytes=10-12, -2' },
    status: 206,
    text: /^\r\n--([\w-]+)\r\nContent-Type: text\/plain; charset=utf-8\r\nContent-Range: bytes 10-12\/5000\r\n\r\nabc\r\n--\1\r\nContent-Type: text\/plain; charset=utf-8\r\nContent-Range: bytes 4998-4999\/5000\r\n\r\nij\r\n--\1--\r\n$/,
    fields: { 'content-type': /^multipart\/byteranges; boundary=/, 'content-range': undefined }
  },
  {
    title: 'several of a small file too',
    path: '/ipfs/SITE/a.txt',
    headers: { range: 'bytes=0-1,3-4' },
    status: 206,
    text: /\r\n\r\nhe\r\n[\s\S]*\r\n\r\nlo\r\n/
  },
  {
    title: 'ranges that are more than the file are the file',
    path: '/ipfs/SITE/a.txt',
    headers: { range: 'bytes=0-,0-' },
    status: 200,
    text: 'hello gateway\n'
  },
  {
    title: 'too many ranges are the file',
    path: '/ipfs/SITE/big.bin',
    headers: { range: `bytes=${Array.from({ length: 33 }, (_, i) => `${i}-${i}`).join(',')}` },
    status: 200
  },
  {
    title: 'If-Range with the Etag',
    path: '/ipfs/SITE/a.txt',
    headers: { range: 'bytes=0-1', 'if-range': '"CIDOF(a.txt)"' },
    status: 206,
    text: 'he'
  },
  { title: 'If-Range with another', path: '/ipfs/SITE/a.txt', headers: { range: 'bytes=0-1', 'if-range': '"x"' }, status: 200 },
  { title: 'a range of a listing is ignored', path: '/ipfs/SITE/docs/', headers: { range: 'bytes=0-1' }, status: 200, text: /Index of/ },

  {
    title: 'If-None-Match with the Etag',
    path: '/ipfs/SITE/a.txt',
    headers: { 'if-none-match': 'W/"x", "CIDOF(a.txt)"' },
    status: 304,
    text: '',
    fields: { etag: '"CIDOF(a.txt)"', 'cache-control': IMMUTABLE }
  },
  { title: 'If-None-Match with any', path: '/ipfs/SITE/a.txt', headers: { 'if-none-match': '*' }, status: 304 },
  { title: 'If-None-Match with another', path: '/ipfs/SITE/a.txt', headers: { 'if-none-match': '"x"' }, status: 200 },
  {
    title: 'If-None-Match of a folder comes before its redirection',
    path: '/ipfs/SITE',
    headers: { 'if-none-match': '"SITE"' },
    status: 304
  },
  { title: 'If-Match with another', path: '/ipfs/SITE/a.txt', headers: { 'if-match': '"x"' }, status: 412, text: '' },
  { title: 'If-Match with the Etag', path: '/ipfs/SITE/a.txt', headers: { 'if-match': '"CIDOF(a.txt)"' }, status: 200 },
  { title: 'only-if-cached of what is here', path: '/ipfs/SITE/a.txt', headers: { 'cache-control': 'only-if-cached' }, status: 200 },
  {
    title: 'only-if-cached by HEAD is a bare yes',
    method: 'HEAD',
    path: '/ipfs/SITE/a.txt',
    headers: { 'cache-control': 'only-if-cached' },
    status: 200,
    fields: { etag: undefined }
  },
  {
    title: 'only-if-cached of what is not',
    path: '/ipfs/bafkreiczsvnl7rii4wvvm2dmyj4i2oagntkuacrrqhzefzeyrxut5jcqoy',
    headers: { 'cache-control': 'only-if-cached' },
    status: 412,
    text: /not in local datastore\n$/
  },
  {
    title: 'a block that is not here is 404',
    path: '/ipfs/bafkreiczsvnl7rii4wvvm2dmyj4i2oagntkuacrrqhzefzeyrxut5jcqoy',
    status: 404,
    text: /could not find bafkreiczsvnl7rii4wvvm2dmyj4i2oagntkuacrrqhzefzeyrxut5jcqoy\n$/
  },

  {
    title: 'dag-cbor is sent as it is, to be saved',
    path: '/ipfs/CBOR',
    status: 200,
    fields: {
      'content-type': 'application/vnd.ipld.dag-cbor',
      'content-disposition': /^attachment; filename="CBOR\.cbor"/,
      etag: '"CBOR.dag-cbor"',
      vary: 'Accept'
    }
  },
  {
    title: 'a browser is sent on to its page',
    path: '/ipfs/CBOR',
    headers: { accept: 'text/html' },
    status: 301,
    fields: { location: '/ipfs/CBOR/', vary: 'Accept' }
  },
  {
    title: 'which shows its values as text, with links',
    path: '/ipfs/CBOR/',
    headers: { accept: 'text/html' },
    status: 200,
    text: /<a href="\/ipfs\/CIDOF\(a\.txt\)">[\s\S]*&lt;b&gt;/,
    fields: { 'content-type': 'text/html', etag: /^"DagIndex-/, vary: 'Accept', 'content-disposition': undefined }
  },
  {
    title: 'download is no page',
    path: '/ipfs/CBOR?download=true',
    headers: { accept: 'text/html' },
    status: 200,
    fields: { 'content-type': 'application/vnd.ipld.dag-cbor' }
  },
  {
    title: 'cbor of dag-cbor',
    path: '/ipfs/CBOR?format=cbor',
    status: 200,
    fields: { 'content-type': 'application/cbor', etag: '"CBOR.cbor"' }
  },
  {
    title: 'Accept chooses a format, and its URL is told',
    path: '/ipfs/CBOR?x',
    headers: { accept: 'application/cbor' },
    status: 200,
    fields: { 'content-type': 'application/cbor', 'content-location': '/ipfs/CBOR?x&format=cbor' }
  },
  {
    title: 'the URL comes before Accept',
    path: '/ipfs/CBOR?format=dag-cbor',
    headers: { accept: 'application/cbor' },
    status: 200,
    fields: { 'content-type': 'application/vnd.ipld.dag-cbor', 'content-location': undefined }
  },
  { title: 'one codec is not made another', path: '/ipfs/CBOR?format=dag-json', status: 406, text: /codec conversion is not supported/ },
  { title: 'nor a file made data', path: '/ipfs/SITE/a.txt?format=dag-cbor', status: 406, text: /block has codec "raw"/ },
  {
    title: 'json of a file is the file',
    path: '/ipfs/SITE/json-without-ending?format=json',
    status: 200,
    text: '{"a":[1,2]}',
    fields: { 'content-type': 'application/json' }
  },
  {
    title: 'a path through data to a file',
    path: '/ipfs/CBOR/map/inner',
    status: 200,
    text: 'hello gateway\n',
    fields: { 'x-ipfs-roots': 'CBOR,CBOR,CIDOF(a.txt)' }
  },
  {
    title: 'a path that ends inside a block is 501 and says what to ask for',
    path: '/ipfs/CBOR/map',
    status: 501,
    text: /try reading "\/ipfs\/CBOR" instead\n$/
  },
  { title: 'a field that is not there is 404', path: '/ipfs/CBOR/none', status: 404, text: /no link named "none" under CBOR\n$/ },
  { title: 'a range of data', path: '/ipfs/CBOR', headers: { range: 'bytes=0-0' }, status: 206, fields: { 'content-length': '1' } },
  {
    title: 'an unknown media type of a known kind is 400',
    path: '/ipfs/SITE',
    headers: { accept: 'application/vnd.ipld.nonsense' },
    status: 400,
    text: 'unsupported format "application/vnd.ipld.nonsense"\n'
  },
  {
    title: 'a media type that cannot be read is 400',
    path: '/ipfs/SITE',
    headers: { accept: 'application/json;=' },
    status: 400,
    text: /Accept header/
  },
  { title: 'an unknown format is ignored', path: '/ipfs/SITE/a.txt?format=nonsense', status: 200 },
  {
    title: 'a name of which no record is known',
    path: '/ipns/k51qzi5uqu5dlvj2baxnqndepeb86cbk3ng7n3i46uzyxzyqj2xjonzllnv0v8',
    status: 500,
    text: /^failed to resolve \/ipns\/k51\w+: could not resolve name\n$/
  }
]

let at: World
let site: Added
let cbor: string
const finished: Array<() => unknown> = []

test.before(async () => {
  at = await world({ teardown: fn => void finished.push(fn) })
  site = await at.add(FILES, { cidVersion: 1, chunker: 'size-1000' })
  const { root, cids } = site
  const link = (cid: string) => ({ '/': cid })
  const { Cid } = (await put({ text: '<b>', map: { inner: link(cids.get('a.txt')!), n: 1 }, site: link(root) })) as { Cid: { '/': string } }
  cbor = Cid['/']
})

async function put(value: unknown): Promise<unknown> {
  const [item] = await itemsOf(await at.host.call('dag/put', { body: upload(JSON.stringify(value)) }))
  return item
}

test.after.always(async () => {
  for (const finish of finished) await finish()
})

function filled(text: string): string {
  return text
    .replaceAll('SITE', site.root)
    .replaceAll('CBOR', cbor)
    .replace(/CIDOF\(([^)]*)\)/g, (_, name: string) => site.cids.get(name)!)
}

const pattern = (found: RegExp) =>
  new RegExp(filled(found.source.replaceAll('\\(', '(').replaceAll('\\)', ')').replaceAll('a\\.txt', 'a.txt')), found.flags)

for (const { title, method, path, headers = {}, status, fields = {}, text } of ROWS) {
  test(title, async t => {
    const sent = Object.fromEntries(Object.entries(headers).map(([name, value]) => [name, filled(value)]))
    const answer = await at.ask({ method, path: filled(path), headers: sent })
    t.is(answer.status, status, answer.text.slice(0, 500))
    t.false(answer.isCut)
    for (const [name, value] of Object.entries(fields)) check(t, answer, name, value)
    if (typeof text === 'string') t.is(answer.text, text)
    else if (text !== undefined) t.regex(answer.text, holdsCids(text) ? pattern(text) : text)
  })
}

const holdsCids = ({ source }: RegExp) => /SITE|CBOR|CIDOF/.test(source)

function check(t: import('ava').ExecutionContext, { headers }: Answer, name: string, value: string | RegExp | undefined): void {
  const found = headers[name] as string | undefined
  if (value === undefined) t.is(found, undefined, name)
  else if (typeof value === 'string') t.is(found, filled(value), name)
  else t.regex(found ?? '', holdsCids(value) ? pattern(value) : value, name)
}

test('a listing shows every name as text, leads nowhere else, and needs nothing from elsewhere', async t => {
  const { text } = await at.get(`/ipfs/${site.root}/docs/`)
  t.false(text.includes('<img'))
  t.false(/<script|<link|<[^>]*\ssrc=|url\(/i.test(text))
  t.true(text.includes('&lt;img src=x onerror=alert(1)&gt;&#34;&#39;#?%.txt'))
  const hrefs = [...text.matchAll(/href="([^"]*)"/g)].map(([, href]) => href!)
  t.true(
    hrefs.every(href => href.startsWith('/ipfs/')),
    hrefs.join('\n')
  )
  t.true(hrefs.includes(`/ipfs/${site.root}/docs/..`))
  t.regex(text, /<a class="ipfs-hash" translate="no" href="\/ipfs\/[a-z0-9]+\?filename=[^"]*%2525\.txt">/)
  for (const href of hrefs.filter(one => one.startsWith(`/ipfs/${site.root}/docs/`) && !one.endsWith('..'))) {
    t.is((await at.get(href)).status, 200, href)
  }
})
