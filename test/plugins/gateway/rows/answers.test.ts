/** Fields of answers: Etags, how long they hold, names, types. */
import { dagIndexEtag, dirIndexEtag } from '../../../../plugins/gateway/answer/etags.ts'
import { content, FILES, IMMUTABLE, WEEK } from './content.ts'
import { asked, hold, type Row, type Setting } from './table.ts'

const html = { accept: 'text/html' }

/** Of what, its Etag, and what Cache-Control says of it: {@link IMMUTABLE} where nothing is said. */
const TAGS: ReadonlyArray<readonly [path: string, etag: string | RegExp, held?: string, headers?: Record<string, string>]> = [
  ['/ipfs/{A}', '"{A}"'],
  ['/ipfs/{BIG}', '"{BIG}"'],
  ['/ipfs/{OLD}/docs/x.txt', /^"Qm\w+"$/],
  ['/ipfs/{WITH_LINK}/latest', '"{LINK}"'],
  ['/ipfs/{SITE}/', '"{SITE}"'],
  ['/ipfs/{A}?format=raw', '"{A}.raw"'],
  ['/ipfs/{JSON}', '"{JSON}.json"'],
  ['/ipfs/{CBOR}', '"{CBOR}.cbor"'],
  ['/ipfs/{DAGJSON}', '"{DAGJSON}.dag-json"'],
  ['/ipfs/{DAGCBOR}', '"{DAGCBOR}.dag-cbor"'],
  ['/ipfs/{DAGCBOR}?format=cbor', '"{DAGCBOR}.cbor"'],
  ['/ipfs/{SITE}?format=tar', 'W/"{SITE}.x-tar"'],
  ['/ipfs/{SITE}?format=car', /^W\/"{SITE}\.car\.[0-9a-v]+"$/],
  ['/ipfs/{SITE}/docs/', '{LISTING}', WEEK],
  ['/ipfs/{DAGCBOR}/', '{PREVIEW}', WEEK, html]
]

const range = (range: string) => ({ range })
const BIG = String(FILES['big.bin'])

const ROWS: readonly Row[] = [
  asked(
    'an unknown form is not told as another address of the one that Accept chose',
    '/ipfs/{A}?format=foo&x=1',
    { accept: 'application/vnd.ipld.raw' },
    200,
    { fields: { 'content-location': '/ipfs/{A}?x=1&format=raw' } }
  ),
  asked(
    'nor is it in escapes, or more than once; what stands beside it stays',
    '/ipfs/{A}?&%66o%72m%61t=foo&&x=%c3%a9&formats=1&informat=2&format&FORMAT=3&',
    { accept: 'application/vnd.ipld.raw' },
    200,
    { fields: { 'content-location': '/ipfs/{A}?x=%C3%A9&formats=1&informat=2&FORMAT=3&format=raw' } }
  ),
  ...TAGS.flatMap(([path, etag, held = IMMUTABLE, headers = {}]): Row[] => [
    { title: `${path} has an Etag`, path, headers, status: 200, fields: { etag, 'cache-control': held, 'last-modified': undefined } },
    { title: `${path} by HEAD`, method: 'HEAD', path, headers, status: 200, text: '', fields: { etag, 'cache-control': held } },
    {
      title: `${path} is there already`,
      path,
      headers: { ...headers, 'if-none-match': typeof etag === 'string' ? `"x", ${etag}` : '*' },
      status: 304,
      text: '',
      fields: { etag, 'cache-control': held, 'content-length': undefined }
    },
    {
      title: `${path} is there in another version`,
      path,
      headers: { ...headers, 'if-none-match': '"x", W/"y"' },
      status: 200,
      fields: { etag }
    }
  ]),
  asked('any Etag, of a form', '/ipfs/{DAGCBOR}?format=cbor', { 'if-none-match': '*' }, 304, { fields: { etag: '"{DAGCBOR}.cbor"' } }),
  asked('Etags are compared without their strength', '/ipfs/{A}', { 'if-none-match': '"x", W/"{A}"' }, 304),
  asked('those of another form do not count', '/ipfs/{A}?format=raw', { 'if-none-match': '"{A}"' }, 200),
  asked('nor those of a path that leads nowhere', '/ipfs/{SITE}/none', { 'if-none-match': '*' }, 404, {
    fields: { 'cache-control': undefined, etag: undefined }
  }),

  asked('no answer is compressed', '/ipfs/{BIG}', { 'accept-encoding': 'gzip, br' }, 200, {
    text: BIG,
    fields: { 'content-encoding': undefined, 'content-length': '2500' }
  }),
  {
    title: 'nothing that only servers of pages say',
    path: '/ipfs/{A}',
    status: 200,
    fields: { 'clear-site-data': undefined, 'strict-transport-security': undefined, 'x-stream-error': undefined, 'set-cookie': undefined }
  },
  {
    title: 'a listing has no length',
    path: '/ipfs/{SITE}/docs/',
    status: 200,
    fields: { 'content-length': undefined, 'accept-ranges': undefined, 'content-type': 'text/html' }
  },
  { title: 'what is sent on is not kept', path: '/ipfs/{SITE}', status: 301, fields: { 'cache-control': undefined, etag: undefined } },
  {
    title: 'X-Ipfs-Path is bytes',
    path: '/ipfs/{SITE}/docs/%C4%85/%C4%99/',
    status: 200,
    fields: { 'x-ipfs-path': '/ipfs/{SITE}/docs/\xc4\x85/\xc4\x99/' }
  },
  {
    title: 'X-Ipfs-Path has no line ends',
    path: '/ipfs/{SITE}/a%0D%0Ab',
    status: 404,
    fields: { 'x-ipfs-path': '/ipfs/{SITE}/a  b' },
    text: /\/a\\r\\nb: no link named "a\\r\\nb"/
  },
  {
    title: 'X-Ipfs-Roots has a CID for each segment',
    path: '/ipfs/{SITE}/docs/x.txt',
    status: 200,
    fields: { 'x-ipfs-roots': '{SITE},{DOCS},{X}' }
  },
  { title: 'and none for an index.html', path: '/ipfs/{SITE}/', status: 200, fields: { 'x-ipfs-roots': '{SITE}' } },
  { title: 'no name where none is asked for', path: '/ipfs/{SITE}/a.txt', status: 200, fields: { 'content-disposition': undefined } },
  ...(
    [
      ['test%D1%82%D0%B5%D1%81%D1%82.pdf', 'test____.pdf', 'test%D1%82%D0%B5%D1%81%D1%82.pdf', 'application/pdf'],
      ["it's (1)*!.txt", 'it%27s%20%281%29%2A%21.txt', 'it%27s%20%281%29%2A%21.txt', 'text/plain; charset=utf-8'],
      ['a%26b$c%2Bd:e=f@g.png', 'a&b$c+d:e=f@g.png', 'a&b$c+d:e=f@g.png', 'image/png'],
      ['a%2Fb%3Bc%2Cd%3Fe.css', 'a%2Fb%3Bc%2Cd%3Fe.css', 'a%2Fb%3Bc%2Cd%3Fe.css', 'text/css; charset=utf-8'],
      ['%22%0D%0A', '%22%0D%0A', '%22%0D%0A', 'text/plain; charset=utf-8']
    ] as const
  ).flatMap(([asked, ascii, utf8, type]): Row[] =>
    [false, true].map(download => ({
      title: `filename=${asked}${download ? ' to be saved' : ''}`,
      path: `/ipfs/{SITE}/a.txt?filename=${asked.replaceAll(' ', '+')}${download ? '&download=true' : ''}`,
      status: 200,
      fields: {
        'content-disposition': `${download ? 'attachment' : 'inline'}; filename="${ascii}"; filename*=UTF-8''${utf8}`,
        'content-type': type
      }
    }))
  ),
  {
    title: 'download without a name',
    path: '/ipfs/{SITE}/a.txt?download=true',
    status: 200,
    fields: { 'content-disposition': /^attachment; filename="a\.txt"/ }
  },
  {
    title: 'download of a root',
    path: '/ipfs/{A}?download=true',
    status: 200,
    fields: { 'content-disposition': /^attachment; filename="{A}"/ }
  },
  { title: 'any other download is none', path: '/ipfs/{A}?download=1', status: 200, fields: { 'content-disposition': undefined } },
  { title: 'a type by what a file holds', path: '/ipfs/{SITE}/no%20ending', status: 200, fields: { 'content-type': 'application/json' } },
  {
    title: 'an empty file is text',
    path: '/ipfs/{SITE}/empty',
    status: 200,
    text: '',
    fields: { 'content-type': 'text/plain', 'content-length': '0' }
  },
  asked('the type of a range within', '/ipfs/{BIG}', range('bytes=5-'), 206, { fields: { 'content-type': 'text/plain; charset=utf-8' } })
]

async function made(t: Parameters<typeof content>[0]): Promise<Setting> {
  const { at, names } = await content(t)
  return { at, names: { ...names, LISTING: dirIndexEtag(names['DOCS']!), PREVIEW: dagIndexEtag(names['DAGCBOR']!) } }
}

hold('answers', made, ROWS)
