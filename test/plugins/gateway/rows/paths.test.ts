/** Forms of URLs, and where they are sent on to. */
import { content, IMMUTABLE } from './content.ts'
import { asked, hold, type Row } from './table.ts'

const BASE36 = 'k51qzi5uqu5dlvj2baxnqndepeb86cbk3ng7n3i46uzyxzyqj2xjonzllnv0v8'
const BASE32 = 'bafzaajaiaejcbzdibmxyzdjbbehgvizh6g5tikvy47mshdy6gwbruvgwvd24seje'

const to = (location: string) => ({ location })

const ROWS: readonly Row[] = [
  ...['SITE_BASE16', 'SITE_BASE36', 'SITE_BASE58', 'SITE_BASE64URL', 'SITE_UPPER'].map(
    (name): Row => ({
      title: `a CID in another base (${name})`,
      path: `/ipfs/{${name}}/a.txt`,
      status: 200,
      text: 'hello gateway\n',
      fields: { 'x-ipfs-roots': '{SITE},{A}', 'x-ipfs-path': `/ipfs/{${name}}/a.txt` }
    })
  ),
  {
    title: 'a CID of version 0 stays one',
    path: '/ipfs/{OLD}/',
    status: 200,
    text: 'old',
    fields: { etag: '"{OLD}"', 'x-ipfs-roots': '{OLD}' }
  },
  { title: 'so under /net', path: '/net/{OLD}/docs/x.txt', status: 200, text: 'x' },
  { title: 'segments are decoded once', path: '/ipfs/{SITE}/a%2541.txt', status: 200, text: 'percent' },
  { title: 'and not twice', path: '/ipfs/{SITE}/a%41.txt', status: 404, text: /no link named "aA.txt"/ },
  {
    title: 'a comma that is escaped in a name',
    path: '/ipfs/{SITE}/Portugal%252C+Espa%C3%B1a=Peninsula%20Ib%C3%A9rica.txt',
    status: 200,
    text: 'comma'
  },
  {
    title: 'a slash behind a file is let be, and told',
    path: '/ipfs/{SITE}/a.txt/',
    status: 200,
    text: 'hello gateway\n',
    fields: { 'x-ipfs-path': '/ipfs/{SITE}/a.txt/' }
  },
  { title: 'slashes too many are taken out', path: '/ipfs//{SITE}//a.txt', status: 301, fields: to('/ipfs/{SITE}/a.txt') },
  { title: 'dots as segments, too', path: '/ipfs/{SITE}/docs/../a.txt?x=y', status: 301, fields: to('/ipfs/{SITE}/a.txt?x=y') },
  { title: 'a path behind a file', path: '/ipfs/{SITE}/a.txt/more', status: 404, text: /no link named "more" under {A}\n$/ },
  { title: 'no CID at all', path: '/ipfs/', status: 400, text: 'invalid path "/ipfs/": path does not have enough components\n' },
  asked('identity', '/ipfs/bafkqaaa', { range: 'bytes=0-' }, 200, {
    fields: { 'content-type': 'text/plain', 'content-length': '0', etag: '"bafkqaaa"' }
  }),
  { title: 'other parameters are ignored', path: '/ipfs/{A}?x=y&go-get=2', status: 200 },
  {
    title: 'and kept where a path is sent on',
    path: '/ipfs/{SITE}/docs?x=%C5%BC&y',
    status: 301,
    fields: to('/ipfs/{SITE}/docs/?x=%C5%BC&y')
  },
  {
    title: '/version is text',
    path: '/version',
    status: 200,
    text: /^Commit: .*\nClient Version: kubo\/0\.28\.0/,
    fields: { 'content-type': 'text/plain; charset=utf-8' }
  },
  { title: 'the root has nothing', path: '/', status: 404, text: '404 page not found\n' },
  { title: 'the RPC has no place here', path: '/api/v0/id', status: 404, text: '404 page not found\n' },
  { title: 'nor has a page of it', path: '/webui', status: 404 },

  {
    title: 'a folder, with an index.html',
    path: '/ipfs/{SITE}',
    status: 301,
    fields: { ...to('/ipfs/{SITE}/'), 'cache-control': undefined }
  },
  { title: 'a folder, without', path: '/ipfs/{SITE}/docs', status: 301, fields: to('/ipfs/{SITE}/docs/') },
  { title: 'by HEAD', method: 'HEAD', path: '/ipfs/{SITE}/docs', status: 301, text: '', fields: to('/ipfs/{SITE}/docs/') },
  { title: 'by its host, without the root', host: '{SITE}.ipfs.localhost', path: '/docs', status: 301, fields: to('/docs/') },
  {
    title: 'letters of an escape are capitals',
    path: '/ipfs/{SITE}/docs/%c4%85/%c4%99',
    status: 301,
    fields: to('/ipfs/{SITE}/docs/%C4%85/%C4%99/')
  },
  { title: 'not for go-get', path: '/ipfs/{SITE}/docs?go-get=1', status: 200, text: /Index of/ },
  ...['raw', 'car', 'tar'].map((format): Row => ({ title: `not for ${format}`, path: `/ipfs/{SITE}/docs?format=${format}`, status: 200 })),
  { title: 'nor for data', path: '/ipfs/{SITE}/docs?format=dag-json', status: 406 },
  {
    title: 'index.html is the folder',
    path: '/ipfs/{SITE}/',
    status: 200,
    text: '<!doctype html><title>home</title>',
    fields: { 'content-type': 'text/html', etag: '"{SITE}"', 'cache-control': IMMUTABLE, 'x-ipfs-roots': '{SITE}', 'content-length': '34' }
  },
  {
    title: 'index.html by its name is itself',
    path: '/ipfs/{SITE}/index.html',
    status: 200,
    fields: { 'x-ipfs-roots': /^{SITE},bafk\w+$/ }
  },
  { title: 'an index.html that is a folder', path: '/ipfs/{SITE}/bad/', status: 422, text: /file isn't a regular file\n$/ },

  {
    title: 'a peer ID',
    path: '/ipns/12D3KooWRBy97UB99e3J6hiPesre1MZeuNQvfan4gBziswrRJsNK/a?b',
    status: 302,
    fields: to(`/ipns/${BASE36}/a?b`)
  },
  { title: 'a key in base32', path: `/ipns/${BASE32}`, status: 302, fields: to(`/ipns/${BASE36}`) },
  { title: 'a key in base36 is looked up', path: `/ipns/${BASE36}`, status: 500, text: /could not resolve name\n$/ },
  { title: '/ipfs/ipns/…', path: `/ipfs/ipns/${BASE36}/x?y`, status: 301, fields: to(`/ipns/${BASE36}/x?y`) },
  { title: '/net/ipns/…', path: '/net/ipns/example.com', status: 301, fields: to('/ipns/example.com') },
  { title: '/net/net/…', path: '/net/net/{SITE}', status: 301, fields: to('/net/{SITE}') },
  { title: '/ipfs/net/…', path: '/ipfs/net/{SITE}', status: 301, fields: to('/net/{SITE}') },
  { title: '/ipfs/ipfs/ of nothing', path: '/ipfs/ipfs/nope', status: 400, text: /^invalid ipfs path: / },
  asked('data without its slash, for a browser', '/ipfs/{DAGCBOR}?a', { accept: 'text/html' }, 301, { fields: to('/ipfs/{DAGCBOR}/?a') }),

  ...[
    ['ipfs://{SITE}/a.txt', '/ipfs/{SITE}/a.txt'],
    ['ipns://example.com/a%3Fb%3Dc', '/ipns/example.com/a?b=c'],
    ['net://{SITE}', '/net/{SITE}'],
    ['IPFS://{SITE}', '/ipfs/{SITE}'],
    ['ipfs://{SITE}/a%23fragment', '/ipfs/{SITE}/a']
  ].flatMap(([uri, location]): Row[] =>
    ['/ipfs/', '/ipfs', '/ipns/', '/'].map(path => ({
      title: `${path}?uri=${uri}`,
      path: `${path}?uri=${uri}`,
      status: 301,
      fields: to(location!)
    }))
  ),
  {
    title: 'a URI of another scheme',
    path: '/ipfs/?uri=https://{SITE}',
    status: 400,
    text: /^uri query parameter scheme must be ipfs or ipns/
  },
  { title: 'a URI that is none', path: '/ipfs/?uri=ipfs://%25zz', status: 400, text: /^failed to parse uri query parameter/ },
  { title: 'an empty URI is none', path: '/ipfs/{A}?uri=', status: 200 }
]

hold('paths', content, ROWS)
