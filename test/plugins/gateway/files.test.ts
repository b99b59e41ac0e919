import { holdRows, IMMUTABLE, type Row, withSite } from './browser/site.ts'

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
  }
]

holdRows(ROWS, withSite())
