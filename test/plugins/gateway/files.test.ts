import { site } from './browser/site.ts'
import { IMMUTABLE } from './rows/content.ts'
import { asked, hold, type Row } from './rows/table.ts'

const ROWS: readonly Row[] = [
  {
    title: 'a file has its type, Etag, path, roots and how long it holds',
    path: '/ipfs/{SITE}/a.txt',
    status: 200,
    text: 'hello gateway\n',
    fields: {
      'content-type': 'text/plain; charset=utf-8',
      'content-length': '14',
      etag: '"{A}"',
      'cache-control': IMMUTABLE,
      'x-ipfs-path': '/ipfs/{SITE}/a.txt',
      'x-ipfs-roots': '{SITE},{A}',
      'accept-ranges': 'bytes',
      'access-control-allow-origin': '*',
      'content-disposition': undefined,
      'last-modified': undefined
    }
  },
  {
    title: 'HEAD has the fields of GET and no body',
    method: 'HEAD',
    path: '/ipfs/{SITE}/a.txt',
    status: 200,
    text: '',
    fields: { 'content-length': '14' }
  },
  { title: 'a type is told by the ending', path: '/ipfs/{SITE}/page.svg', status: 200, fields: { 'content-type': 'image/svg+xml' } },
  { title: 'else by the bytes', path: '/ipfs/{SITE}/json-without-ending', status: 200, fields: { 'content-type': 'application/json' } },
  {
    title: 'filename gives name and type',
    path: '/ipfs/{A}?filename=test%D1%82.pdf',
    status: 200,
    fields: { 'content-type': 'application/pdf', 'content-disposition': 'inline; filename="test_.pdf"; filename*=UTF-8\'\'test%D1%82.pdf' }
  },
  {
    title: 'a name holds no line ends',
    path: '/ipfs/{SITE}/a.txt?filename=a%0D%0Ab',
    status: 200,
    fields: { 'content-disposition': /filename="a%0D%0Ab"/ }
  },
  {
    title: 'download saves under the name of the path',
    path: '/ipfs/{SITE}/a.txt?download=true',
    status: 200,
    fields: { 'content-disposition': /^attachment; filename="a\.txt"/ }
  },

  asked('a range', '/ipfs/{SITE}/big.bin', { range: 'bytes=1-3' }, 206, {
    text: 'bcd',
    fields: { 'content-range': 'bytes 1-3/5000', 'content-length': '3' }
  }),
  asked('a range over chunks', '/ipfs/{SITE}/big.bin', { range: 'bytes=998-1001' }, 206, { text: 'ijab' }),
  asked('the end of a file', '/ipfs/{SITE}/big.bin', { range: 'bytes=-4' }, 206, {
    text: 'ghij',
    fields: { 'content-range': 'bytes 4996-4999/5000' }
  }),
  asked('from a byte on', '/ipfs/{SITE}/big.bin', { range: 'bytes=4998-' }, 206, { text: 'ij' }),
  asked('more at the end than there is', '/ipfs/{SITE}/a.txt', { range: 'bytes=-999' }, 206, { text: 'hello gateway\n' }),
  asked('a range behind the end', '/ipfs/{SITE}/a.txt', { range: 'bytes=14-' }, 416, {
    text: 'invalid range: failed to overlap\n',
    fields: { 'content-range': 'bytes */14' }
  }),
  asked('no bytes at the end', '/ipfs/{SITE}/a.txt', { range: 'bytes=-0' }, 416),
  asked('a range that is none', '/ipfs/{SITE}/a.txt', { range: 'bytes=5-2' }, 400, {
    text: 'invalid range request: invalid range\n',
    fields: { 'x-ipfs-roots': undefined }
  }),
  {
    title: 'a range of HEAD',
    method: 'HEAD',
    path: '/ipfs/{SITE}/big.bin',
    headers: { range: 'bytes=1-3' },
    status: 206,
    text: '',
    fields: { 'content-length': '3', 'content-range': 'bytes 1-3/5000' }
  },
  asked('several ranges are parts, in their order', '/ipfs/{SITE}/big.bin', { range: 'bytes=10-12, -2' }, 206, {
    text: /^\r\n--([\w-]+)\r\nContent-Type: text\/plain; charset=utf-8\r\nContent-Range: bytes 10-12\/5000\r\n\r\nabc\r\n--\1\r\nContent-Type: text\/plain; charset=utf-8\r\nContent-Range: bytes 4998-4999\/5000\r\n\r\nij\r\n--\1--\r\n$/,
    fields: { 'content-type': /^multipart\/byteranges; boundary=/, 'content-range': undefined }
  }),
  asked('several of a small file too', '/ipfs/{SITE}/a.txt', { range: 'bytes=0-1,3-4' }, 206, {
    text: /\r\n\r\nhe\r\n[\s\S]*\r\n\r\nlo\r\n/
  }),
  asked('ranges that are more than the file are the file', '/ipfs/{SITE}/a.txt', { range: 'bytes=0-,0-' }, 200, {
    text: 'hello gateway\n'
  }),
  {
    title: 'too many ranges are the file',
    path: '/ipfs/{SITE}/big.bin',
    headers: { range: `bytes=${Array.from({ length: 33 }, (_, i) => `${i}-${i}`).join(',')}` },
    status: 200
  },
  asked('If-Range with the Etag', '/ipfs/{SITE}/a.txt', { range: 'bytes=0-1', 'if-range': '"{A}"' }, 206, { text: 'he' }),
  asked('If-Range with another', '/ipfs/{SITE}/a.txt', { range: 'bytes=0-1', 'if-range': '"x"' }, 200),
  asked('a range of a listing is ignored', '/ipfs/{SITE}/docs/', { range: 'bytes=0-1' }, 200, { text: /Index of/ }),

  asked('If-None-Match with the Etag', '/ipfs/{SITE}/a.txt', { 'if-none-match': 'W/"x", "{A}"' }, 304, {
    text: '',
    fields: { etag: '"{A}"', 'cache-control': IMMUTABLE }
  }),
  asked('If-None-Match with any', '/ipfs/{SITE}/a.txt', { 'if-none-match': '*' }, 304),
  asked('If-None-Match with another', '/ipfs/{SITE}/a.txt', { 'if-none-match': '"x"' }, 200),
  asked('If-None-Match of a folder comes before its redirection', '/ipfs/{SITE}', { 'if-none-match': '"{SITE}"' }, 304),
  asked('If-Match with another', '/ipfs/{SITE}/a.txt', { 'if-match': '"x"' }, 412, { text: '' }),
  asked('If-Match with the Etag', '/ipfs/{SITE}/a.txt', { 'if-match': '"{A}"' }, 200),
  asked('only-if-cached of what is here', '/ipfs/{SITE}/a.txt', { 'cache-control': 'only-if-cached' }, 200),
  {
    title: 'only-if-cached by HEAD is a bare yes',
    method: 'HEAD',
    path: '/ipfs/{SITE}/a.txt',
    headers: { 'cache-control': 'only-if-cached' },
    status: 200,
    fields: { etag: undefined }
  },
  asked(
    'only-if-cached of what is not',
    '/ipfs/bafkreiczsvnl7rii4wvvm2dmyj4i2oagntkuacrrqhzefzeyrxut5jcqoy',
    { 'cache-control': 'only-if-cached' },
    412,
    { text: /not in local datastore\n$/ }
  ),
  {
    title: 'a block that is not here is 404',
    path: '/ipfs/bafkreiczsvnl7rii4wvvm2dmyj4i2oagntkuacrrqhzefzeyrxut5jcqoy',
    status: 404,
    text: /could not find bafkreiczsvnl7rii4wvvm2dmyj4i2oagntkuacrrqhzefzeyrxut5jcqoy\n$/
  }
]

hold(undefined, site, ROWS)
