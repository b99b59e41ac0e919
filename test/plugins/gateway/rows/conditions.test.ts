/** Ranges and conditions. */
import { UnixFS } from 'ipfs-unixfs'
import { content, FILES, IMMUTABLE, MISSING, putFile, putUnixFs, RAW } from './content.ts'
import { hold, type Row, type Setting } from './table.ts'

const html = { accept: 'text/html' }
const range = (range: string) => ({ range })
const since = (date: string) => ({ 'if-modified-since': date })
const BIG = String(FILES['big.bin'])

const ROWS: readonly Row[] = [
  ...(
    [
      ['bytes=0-0', '0-0', 1],
      ['bytes=10-19', '10-19', 10],
      ['bytes=2490-', '2490-2499', 10],
      ['bytes=2490-9999', '2490-2499', 10],
      ['bytes=-10', '2490-2499', 10],
      ['bytes=-9999', '0-2499', 2500],
      ['bytes=990-1010', '990-1010', 21]
    ] as const
  ).map(([asked, sent, length]): Row => {
    const [from, to] = sent.split('-').map(Number) as [number, number]
    return {
      title: asked,
      path: '/ipfs/{BIG}',
      headers: range(asked),
      status: 206,
      text: BIG.slice(from, to + 1),
      fields: {
        'content-range': `bytes ${sent}/2500`,
        'content-length': String(length),
        etag: '"{BIG}"',
        'cache-control': IMMUTABLE,
        'accept-ranges': 'bytes'
      }
    }
  }),
  {
    title: 'several ranges',
    path: '/ipfs/{BIG}',
    headers: range('bytes=0-1, 10-12'),
    status: 206,
    text: /Content-Range: bytes 0-1\/2500\r\n\r\nab\r\n[\s\S]*Content-Range: bytes 10-12\/2500\r\n\r\nabc\r\n/,
    fields: { 'content-type': /^multipart\/byteranges; boundary=/ }
  },
  {
    title: 'ranges that are more than the file',
    path: '/ipfs/{A}',
    headers: range('bytes=0-13,0-13'),
    status: 200,
    text: 'hello gateway\n'
  },
  {
    title: 'a range behind the end',
    path: '/ipfs/{BIG}',
    headers: range('bytes=2500-'),
    status: 416,
    text: 'invalid range: failed to overlap\n',
    fields: { 'content-range': 'bytes */2500', 'content-type': 'text/plain; charset=utf-8' }
  },
  {
    title: 'it is text for a browser, too',
    path: '/ipfs/{BIG}',
    headers: { ...range('bytes=2500-'), ...html },
    status: 416,
    text: 'invalid range: failed to overlap\n'
  },
  { title: 'a range of an empty file', path: '/ipfs/{SITE}/empty', headers: range('bytes=0-9'), status: 200, text: '' },
  ...['bytes=x-y', 'bytes=5-2', 'bytes', 'lines=0-1'].map(
    (asked): Row => ({
      title: `${asked} cannot be read`,
      path: '/ipfs/{A}',
      headers: range(asked),
      status: 400,
      text: 'invalid range request: invalid range\n'
    })
  ),
  { title: 'a range of a listing', path: '/ipfs/{SITE}/docs/', headers: range('bytes=0-1'), status: 200, text: /Index of/ },
  { title: 'a range of a symlink', path: '/ipfs/{WITH_LINK}/latest', headers: range('bytes=0-3'), status: 206, text: 'docs' },
  { title: 'a range before what is missing', path: '/ipfs/{HOLES}', headers: range('bytes=0-9'), status: 206, text: 'aaaaaaaaaa' },
  { title: 'a range behind it', path: '/ipfs/{HOLES}', headers: range('bytes=20-29'), status: 206, text: 'cccccccccc' },
  {
    title: 'HEAD does not look further than it needs',
    method: 'HEAD',
    path: '/ipfs/{LACKING}',
    status: 200,
    fields: { 'content-length': '12000' }
  },
  {
    title: 'HEAD of a range',
    method: 'HEAD',
    path: '/ipfs/{BIG}',
    headers: range('bytes=1-3'),
    status: 206,
    text: '',
    fields: { 'content-range': 'bytes 1-3/2500', 'content-length': '3' }
  },

  { title: 'If-Match: another', path: '/ipfs/{A}', headers: { 'if-match': '"x"' }, status: 412, text: '' },
  { title: 'If-Match: it must be strong', path: '/ipfs/{A}', headers: { 'if-match': 'W/"{A}"' }, status: 412 },
  { title: 'If-Match: that one', path: '/ipfs/{A}', headers: { 'if-match': '"x", "{A}"' }, status: 200 },
  { title: 'If-Match: any', path: '/ipfs/{A}', headers: { 'if-match': '*' }, status: 200 },
  { title: 'If-Range: that one', path: '/ipfs/{A}', headers: { ...range('bytes=0-4'), 'if-range': '"{A}"' }, status: 206, text: 'hello' },
  { title: 'If-Range: another', path: '/ipfs/{A}', headers: { ...range('bytes=0-4'), 'if-range': '"x"' }, status: 200 },
  { title: 'If-Range: it must be strong', path: '/ipfs/{A}', headers: { ...range('bytes=0-4'), 'if-range': 'W/"{A}"' }, status: 200 },
  { title: 'If-Modified-Since of what says no time', path: '/ipfs/{A}', headers: since('Sat, 01 Jan 2050 00:00:00 GMT'), status: 200 },
  {
    title: 'a file tells when it was changed',
    path: '/ipfs/{DATED}',
    status: 200,
    fields: { 'last-modified': 'Sun, 09 Sep 2001 01:46:40 GMT' }
  },
  {
    title: 'If-Modified-Since: no',
    path: '/ipfs/{DATED}',
    headers: since('Sun, 09 Sep 2001 01:46:40 GMT'),
    status: 304,
    text: '',
    fields: { etag: '"{DATED}"' }
  },
  { title: 'If-Modified-Since: yes', path: '/ipfs/{DATED}', headers: since('Sun, 09 Sep 2001 01:46:39 GMT'), status: 200 },
  {
    title: 'If-Modified-Since does not count beside If-None-Match',
    path: '/ipfs/{DATED}',
    headers: { ...since('Sun, 09 Sep 2001 01:46:40 GMT'), 'if-none-match': '"x"' },
    status: 200
  },
  {
    title: 'If-Unmodified-Since: it was',
    path: '/ipfs/{DATED}',
    headers: { 'if-unmodified-since': 'Sun, 09 Sep 2001 01:46:39 GMT' },
    status: 412
  },
  {
    title: 'If-Unmodified-Since: it was not',
    path: '/ipfs/{DATED}',
    headers: { 'if-unmodified-since': 'Sun, 09 Sep 2001 01:46:40 GMT' },
    status: 200
  },
  {
    title: 'If-Range: a time',
    path: '/ipfs/{DATED}',
    headers: { ...range('bytes=0-1'), 'if-range': 'Sun, 09 Sep 2001 01:46:40 GMT' },
    status: 206
  },
  {
    title: 'If-Range: another time',
    path: '/ipfs/{DATED}',
    headers: { ...range('bytes=0-1'), 'if-range': 'Sun, 09 Sep 2001 01:46:41 GMT' },
    status: 200
  },

  {
    title: 'only-if-cached of what is here',
    path: '/ipfs/{SITE}/a.txt',
    headers: { 'cache-control': 'only-if-cached' },
    status: 200,
    text: 'hello gateway\n',
    fields: { etag: '"{A}"' }
  },
  {
    title: 'by HEAD it says no more',
    method: 'HEAD',
    path: '/ipfs/{SITE}/a.txt',
    headers: { 'cache-control': 'only-if-cached' },
    status: 200,
    fields: { etag: undefined, 'x-ipfs-path': undefined, 'content-length': undefined }
  },
  {
    title: 'of what is not',
    path: '/ipfs/{MISSING}',
    headers: { 'cache-control': 'only-if-cached' },
    status: 412,
    text: '"/ipfs/{MISSING}" not in local datastore\n'
  },
  {
    title: 'of what is not, for a browser',
    path: '/ipfs/{MISSING}',
    headers: { 'cache-control': 'only-if-cached', ...html },
    status: 412,
    text: '"/ipfs/{MISSING}" not in local datastore\n'
  },
  {
    title: 'of what is not, by HEAD',
    method: 'HEAD',
    path: '/ipfs/{MISSING}',
    headers: { 'cache-control': 'only-if-cached' },
    status: 412,
    text: ''
  },
  { title: 'of a path that leads nowhere', path: '/ipfs/{SITE}/none', headers: { 'cache-control': 'only-if-cached' }, status: 412 },
  {
    title: 'said among others it does not count',
    path: '/ipfs/{MISSING}',
    headers: { 'cache-control': 'only-if-cached, max-age=0' },
    status: 404
  }
]

async function made(t: Parameters<typeof content>[0]): Promise<Setting> {
  const { at, names } = await content(t)
  const [a, c] = await Promise.all(['a', 'c'].map(letter => at.put(Buffer.alloc(10, letter), RAW)))
  const large = await at.put(Buffer.alloc(4000, 'large'), RAW)
  const dated = new UnixFS({ type: 'file', data: Buffer.from('dated'), mtime: { secs: 1_000_000_000n } })
  return {
    at,
    names: {
      ...names,

      HOLES: await putFile(at, [a!, MISSING, c!], 10),
      LACKING: await putFile(at, [large, MISSING, MISSING], 4000),
      DATED: await putUnixFs(at, dated)
    }
  }
}

hold('conditions', made, ROWS)
