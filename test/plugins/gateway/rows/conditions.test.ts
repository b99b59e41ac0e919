/** Ranges and conditions. */
import { UnixFS } from 'ipfs-unixfs'
import { RAW } from '../../../../core/cid/index.ts'
import { content, FILES, IMMUTABLE, MISSING, putFile, putUnixFs } from './content.ts'
import { asked, hold, type Row, type Setting } from './table.ts'

const html = { accept: 'text/html' }
const range = (range: string) => ({ range })
const since = (date: string) => ({ 'if-modified-since': date })
const BIG = String(FILES['big.bin'])

const ROWS: readonly Row[] = [
  ...(
    [
      ['bytes=0-0', '0-0'],
      ['bytes=10-19', '10-19'],
      ['bytes=2490-', '2490-2499'],
      ['bytes=2490-9999', '2490-2499'],
      ['bytes=-10', '2490-2499'],
      ['bytes=-9999', '0-2499'],
      ['bytes=990-1010', '990-1010']
    ] as const
  ).map(([range, sent]): Row => {
    const [from, to] = sent.split('-').map(Number) as [number, number]
    return {
      title: range,
      path: '/ipfs/{BIG}',
      headers: { range },
      status: 206,
      text: BIG.slice(from, to + 1),
      fields: {
        'content-range': `bytes ${sent}/2500`,
        'content-length': String(to - from + 1),
        etag: '"{BIG}"',
        'cache-control': IMMUTABLE,
        'accept-ranges': 'bytes'
      }
    }
  }),
  asked('several ranges', '/ipfs/{BIG}', range('bytes=0-1, 10-12'), 206, {
    text: /Content-Range: bytes 0-1\/2500\r\n\r\nab\r\n[\s\S]*Content-Range: bytes 10-12\/2500\r\n\r\nabc\r\n/,
    fields: { 'content-type': /^multipart\/byteranges; boundary=/ }
  }),
  asked('ranges that are more than the file', '/ipfs/{A}', range('bytes=0-13,0-13'), 200, { text: 'hello gateway\n' }),
  asked('a range behind the end', '/ipfs/{BIG}', range('bytes=2500-'), 416, {
    text: 'invalid range: failed to overlap\n',
    fields: { 'content-range': 'bytes */2500', 'content-type': 'text/plain; charset=utf-8' }
  }),
  asked('it is text for a browser, too', '/ipfs/{BIG}', { ...range('bytes=2500-'), ...html }, 416, {
    text: 'invalid range: failed to overlap\n'
  }),
  asked('a range of an empty file', '/ipfs/{SITE}/empty', range('bytes=0-9'), 200, { text: '' }),
  ...['lines=0-1', 'none=', 'x-y=whatever'].map(
    (other): Row => asked(`${other} is ignored`, '/ipfs/{A}', range(other), 200, { text: 'hello gateway\n' })
  ),
  asked('a suffix that is longer than any file', '/ipfs/{A}', range(`bytes=-${'9'.repeat(5000)}`), 206, {
    text: 'hello gateway\n',
    fields: { 'content-range': 'bytes 0-13/14' }
  }),
  asked('a range behind the end of any file', '/ipfs/{A}', range(`bytes=${'9'.repeat(20)}-`), 416, {
    text: 'invalid range: failed to overlap\n'
  }),
  ...['bytes=x-y', 'bytes=5-2', 'bytes', '0-1'].map(
    (none): Row => asked(`${none} cannot be read`, `/ipfs/{A}`, range(none), 400, { text: 'invalid range request: invalid range\n' })
  ),
  asked('a range of a listing', '/ipfs/{SITE}/docs/', range('bytes=0-1'), 200, { text: /Index of/ }),
  asked('a range of a symlink', '/ipfs/{WITH_LINK}/latest', range('bytes=0-3'), 206, { text: 'docs' }),
  asked('a range before what is missing', '/ipfs/{HOLES}', range('bytes=0-9'), 206, { text: 'aaaaaaaaaa' }),
  asked('a range behind it', '/ipfs/{HOLES}', range('bytes=20-29'), 206, { text: 'cccccccccc' }),
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

  asked('If-Match: another', '/ipfs/{A}', { 'if-match': '"x"' }, 412, { text: '' }),
  asked('If-Match: it must be strong', '/ipfs/{A}', { 'if-match': 'W/"{A}"' }, 412),
  asked('If-Match: that one', '/ipfs/{A}', { 'if-match': '"x", "{A}"' }, 200),
  asked('If-Match: any', '/ipfs/{A}', { 'if-match': '*' }, 200),
  asked('If-Range: that one', '/ipfs/{A}', { ...range('bytes=0-4'), 'if-range': '"{A}"' }, 206, { text: 'hello' }),
  asked('If-Range: another', '/ipfs/{A}', { ...range('bytes=0-4'), 'if-range': '"x"' }, 200),
  asked('If-Range: it must be strong', '/ipfs/{A}', { ...range('bytes=0-4'), 'if-range': 'W/"{A}"' }, 200),
  asked('If-Modified-Since of what says no time', '/ipfs/{A}', since('Sat, 01 Jan 2050 00:00:00 GMT'), 200),
  {
    title: 'a file tells when it was changed',
    path: '/ipfs/{DATED}',
    status: 200,
    fields: { 'last-modified': 'Sun, 09 Sep 2001 01:46:40 GMT' }
  },
  asked('If-Modified-Since: no', '/ipfs/{DATED}', since('Sun, 09 Sep 2001 01:46:40 GMT'), 304, { text: '', fields: { etag: '"{DATED}"' } }),
  asked('If-Modified-Since: yes', '/ipfs/{DATED}', since('Sun, 09 Sep 2001 01:46:39 GMT'), 200),
  asked(
    'If-Modified-Since does not count beside If-None-Match',
    '/ipfs/{DATED}',
    { ...since('Sun, 09 Sep 2001 01:46:40 GMT'), 'if-none-match': '"x"' },
    200
  ),
  asked('If-Unmodified-Since: it was', '/ipfs/{DATED}', { 'if-unmodified-since': 'Sun, 09 Sep 2001 01:46:39 GMT' }, 412),
  asked('If-Unmodified-Since: it was not', '/ipfs/{DATED}', { 'if-unmodified-since': 'Sun, 09 Sep 2001 01:46:40 GMT' }, 200),
  asked('If-Range: a time', '/ipfs/{DATED}', { ...range('bytes=0-1'), 'if-range': 'Sun, 09 Sep 2001 01:46:40 GMT' }, 206),
  asked('If-Range: another time', '/ipfs/{DATED}', { ...range('bytes=0-1'), 'if-range': 'Sun, 09 Sep 2001 01:46:41 GMT' }, 200),

  asked('only-if-cached of what is here', '/ipfs/{SITE}/a.txt', { 'cache-control': 'only-if-cached' }, 200, {
    text: 'hello gateway\n',
    fields: { etag: '"{A}"' }
  }),
  {
    title: 'by HEAD it says no more',
    method: 'HEAD',
    path: '/ipfs/{SITE}/a.txt',
    headers: { 'cache-control': 'only-if-cached' },
    status: 200,
    fields: { etag: undefined, 'x-ipfs-path': undefined, 'content-length': undefined }
  },
  asked('of what is not', '/ipfs/{MISSING}', { 'cache-control': 'only-if-cached' }, 412, {
    text: '"/ipfs/{MISSING}" not in local datastore\n'
  }),
  asked('of what is not, for a browser', '/ipfs/{MISSING}', { 'cache-control': 'only-if-cached', ...html }, 412, {
    text: '"/ipfs/{MISSING}" not in local datastore\n'
  }),
  {
    title: 'of what is not, by HEAD',
    method: 'HEAD',
    path: '/ipfs/{MISSING}',
    headers: { 'cache-control': 'only-if-cached' },
    status: 412,
    text: ''
  },
  asked('of a path that leads nowhere', '/ipfs/{SITE}/none', { 'cache-control': 'only-if-cached' }, 412),
  asked('said among others it does not count', '/ipfs/{MISSING}', { 'cache-control': 'only-if-cached, max-age=0' }, 404)
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
