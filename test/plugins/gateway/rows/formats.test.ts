/** How the form of an answer is chosen, and what it is by the codec of a block. */
import { content, IMMUTABLE, WEEK } from './content.ts'
import { asked, hold, type Row } from './table.ts'

const TYPES: ReadonlyArray<readonly [format: string, type: string, of: string]> = [
  ['raw', 'application/vnd.ipld.raw', 'A'],
  ['car', 'application/vnd.ipld.car', 'A'],
  ['tar', 'application/x-tar', 'A'],
  ['json', 'application/json', 'JSON'],
  ['cbor', 'application/cbor', 'CBOR'],
  ['dag-json', 'application/vnd.ipld.dag-json', 'DAGJSON'],
  ['dag-cbor', 'application/vnd.ipld.dag-cbor', 'DAGCBOR']
]
const html = { accept: 'text/html' }

const ROWS: readonly Row[] = [
  ...TYPES.flatMap(([format, type, of]): Row[] => [
    {
      title: `?format=${format}`,
      path: `/ipfs/{${of}}?format=${format}`,
      status: 200,
      fields: { 'content-type': new RegExp(`^${type}(;|$)`), 'content-location': undefined, vary: undefined }
    },
    asked(`Accept: ${type}`, `/ipfs/{${of}}?x=1`, { accept: `text/plain;q=1, ${type};q=0.1` }, 200, {
      fields: { 'content-type': new RegExp(`^${type}(;|$)`), 'content-location': `/ipfs/{${of}}?x=1&format=${format}`, vary: 'Accept' }
    })
  ]),
  asked('?format comes before Accept', '/ipfs/{A}?format=raw', { accept: 'application/vnd.ipld.car' }, 200, {
    fields: { 'content-type': 'application/vnd.ipld.raw', 'content-location': undefined }
  }),
  asked(
    'the parameters of Accept count for the same type',
    '/ipfs/{A}?format=car',
    { accept: 'application/vnd.ipld.car;version=1; order=unk;dups=y' },
    200,
    { fields: { 'content-type': 'application/vnd.ipld.car; version=1; order=unk; dups=y' } }
  ),
  asked('but not for another', '/ipfs/{A}?format=raw', { accept: 'application/vnd.ipld.car;version=2' }, 200),
  asked(
    'those of the URL come before them',
    '/ipfs/{A}?car-order=dfs&car-dups=n',
    { accept: 'application/vnd.ipld.car;order=unk;dups=y' },
    200,
    { fields: { 'content-type': 'application/vnd.ipld.car; version=1; order=dfs; dups=n' } }
  ),
  asked('parameters of Accept are in Content-Location', '/ipfs/{A}', { accept: 'application/vnd.ipld.car; order=unk; dups=y' }, 200, {
    fields: { 'content-location': '/ipfs/{A}?format=car&car-order=unk&car-dups=y' }
  }),
  asked(
    'the first known type counts, whatever its weight',
    '/ipfs/{A}',
    { accept: 'application/vnd.ipld.car;q=0, application/vnd.ipld.raw' },
    200,
    { fields: { 'content-type': /^application\/vnd\.ipld\.car/ } }
  ),
  asked('an unknown one of these makers', '/ipfs/{A}', { accept: 'application/vnd.ipld.foo' }, 400, {
    text: 'unsupported format "application/vnd.ipld.foo"\n'
  }),
  asked('a type that cannot be read', '/ipfs/{A}', { accept: 'application/vnd.ipld.car; version' }, 400, {
    text: /^error while processing the Accept header: /
  }),
  asked('any type', '/ipfs/{A}', { accept: '*/*' }, 200, { fields: { 'content-type': 'text/plain; charset=utf-8', vary: undefined } }),
  { title: 'an unknown form is none', path: '/ipfs/{A}?format=foo', status: 200, fields: { 'content-type': 'text/plain; charset=utf-8' } },
  asked('what programs accept makes no data of a file', '/ipfs/{SITE}/no%20ending', { accept: 'application/json, text/plain, */*' }, 200, {
    text: '{"a":[1,2]}',
    fields: { 'content-type': 'application/json' }
  }),
  {
    title: 'json of a text is a text',
    path: '/ipfs/{A}?format=json',
    status: 200,
    text: 'hello gateway\n',
    fields: { 'content-type': 'text/plain; charset=utf-8' }
  },
  { title: 'cbor of a folder is the folder', path: '/ipfs/{SITE}/docs/?format=cbor', status: 200, text: /Index of/ },

  {
    title: 'a symlink says where it leads',
    path: '/ipfs/{WITH_LINK}/latest',
    status: 200,
    text: 'docs/x.txt',
    fields: { 'content-type': 'inode/symlink', etag: '"{LINK}"', 'cache-control': IMMUTABLE }
  },
  { title: 'and is not followed', path: '/ipfs/{WITH_LINK}/latest/x', status: 404 },
  { title: 'dag-pb without UnixFS', path: '/ipfs/{NOT_UNIXFS}', status: 500 },
  { title: 'which can be had as a block', path: '/ipfs/{NOT_UNIXFS}?format=raw', status: 200 },
  {
    title: 'json',
    path: '/ipfs/{JSON}',
    status: 200,
    text: '{"a":1}',
    fields: { 'content-type': 'application/json', etag: '"{JSON}.json"', 'content-disposition': /^inline; filename="{JSON}\.json"/ }
  },
  {
    title: 'cbor',
    path: '/ipfs/{CBOR}',
    status: 200,
    fields: { 'content-type': 'application/cbor', etag: '"{CBOR}.cbor"', 'content-disposition': /^attachment; filename="{CBOR}\.cbor"/ }
  },
  {
    title: 'dag-json',
    path: '/ipfs/{DAGJSON}',
    status: 200,
    fields: {
      'content-type': 'application/vnd.ipld.dag-json',
      etag: '"{DAGJSON}.dag-json"',
      'content-disposition': /^inline; filename="{DAGJSON}\.json"/
    }
  },
  {
    title: 'dag-json as json',
    path: '/ipfs/{DAGJSON}?format=json',
    status: 200,
    fields: { 'content-type': 'application/json', etag: '"{DAGJSON}.json"', 'x-content-type-options': 'nosniff' }
  },
  {
    title: 'dag-cbor',
    path: '/ipfs/{DAGCBOR}',
    status: 200,
    fields: {
      'content-type': 'application/vnd.ipld.dag-cbor',
      etag: '"{DAGCBOR}.dag-cbor"',
      'content-disposition': /^attachment; filename="{DAGCBOR}\.cbor"/,
      'content-length': /^\d+$/
    }
  },
  {
    title: 'data under a name of its own',
    path: '/ipfs/{JSON}?filename=x%20y.json',
    status: 200,
    fields: { 'content-disposition': 'inline; filename="x%20y.json"; filename*=UTF-8\'\'x%20y.json' }
  },
  {
    title: 'data to be saved',
    path: '/ipfs/{JSON}?download=true',
    status: 200,
    fields: { 'content-disposition': /^attachment; filename="{JSON}\.json"/ }
  },
  ...(
    [
      ['JSON', 'dag-json'],
      ['JSON', 'cbor'],
      ['CBOR', 'dag-cbor'],
      ['CBOR', 'json'],
      ['DAGJSON', 'dag-cbor'],
      ['DAGJSON', 'cbor'],
      ['DAGCBOR', 'dag-json'],
      ['DAGCBOR', 'json'],
      ['A', 'dag-json'],
      ['SITE', 'dag-cbor']
    ] as const
  ).map(
    ([of, format]): Row => ({
      title: `${of} is not made ${format}`,
      path: `/ipfs/{${of}}?format=${format}`,
      status: 406,
      text: /^format "application\/[\w.-]+" requested but block has codec "[\w-]+": codec conversion is not supported, fetch raw block with \?format=raw and convert client-side\n$/
    })
  ),
  ...['DAGJSON', 'DAGCBOR'].flatMap((of): Row[] => [
    asked(`a range of ${of}`, `/ipfs/{${of}}`, { range: 'bytes=1-3' }, 206, {
      fields: { 'content-range': /^bytes 1-3\/\d+$/, 'content-length': '3', 'accept-ranges': 'bytes' }
    }),
    asked(`the end of ${of}`, `/ipfs/{${of}}`, { range: 'bytes=-2' }, 206, { fields: { 'content-length': '2' } }),
    asked(`two ranges of ${of}`, `/ipfs/{${of}}`, { range: 'bytes=0-0,2-2' }, 206, {
      fields: { 'content-type': /^multipart\/byteranges/ }
    }),
    asked(`a range behind ${of}`, `/ipfs/{${of}}`, { range: 'bytes=9999-' }, 416, { fields: { 'content-range': /^bytes \*\/\d+$/ } }),
    asked(`a range of ${of} that cannot be read`, `/ipfs/{${of}}`, { range: 'bytes=x' }, 400, {
      text: 'invalid range request: invalid range\n'
    }),
    { title: `${of} by HEAD`, method: 'HEAD', path: `/ipfs/{${of}}`, status: 200, text: '', fields: { 'content-length': /^\d\d+$/ } },
    {
      title: `${of} through a link`,
      path: `/ipfs/{${of}}/file`,
      status: 200,
      text: 'hello gateway\n',
      fields: { etag: '"{A}"', 'x-ipfs-roots': `{${of}},{A}` }
    },
    {
      title: `${of} has no such field`,
      path: `/ipfs/{${of}}/none`,
      status: 404,
      text: new RegExp(`no link named "none" under {${of}}\n$`)
    },
    asked(`${of} as a page`, `/ipfs/{${of}}/`, html, 200, {
      text: new RegExp(`<dd>{${of}}</dd>[\\s\\S]*0x\\w+[\\s\\S]*\\?format=raw[\\s\\S]*href="/ipfs/{A}"`),
      fields: {
        'content-type': 'text/html',
        etag: new RegExp(`^"DagIndex-[\\w-]+_CID-{${of}}"$`),
        'content-disposition': undefined,
        'cache-control': WEEK
      }
    }),
    asked(`${of} is no page where a form is asked for`, `/ipfs/{${of}}?format=${of === 'DAGJSON' ? 'json' : 'cbor'}`, html, 200, {
      fields: { 'content-disposition': /\w/ }
    }),
    asked(`${of} is no page to be saved`, `/ipfs/{${of}}?download=true`, html, 200, { fields: { 'content-disposition': /^attachment/ } })
  ]),
  { title: 'a value inside of a block', path: '/ipfs/{DAGCBOR}/map', status: 501, text: /try reading "\/ipfs\/{DAGCBOR}" instead\n$/ },
  { title: 'a number inside of a block', path: '/ipfs/{DAGJSON}/n', status: 501 },
  asked('json has no page', '/ipfs/{JSON}', html, 200, { fields: { 'content-type': 'application/json' } }),

  {
    title: 'raw is the block at the end of the path',
    path: '/ipfs/{SITE}/a.txt?format=raw',
    status: 200,
    text: 'hello gateway\n',
    fields: {
      'content-disposition': /^attachment; filename="{A}\.bin"/,
      'x-content-type-options': 'nosniff',
      etag: '"{A}.raw"',
      'content-length': '14',
      'accept-ranges': 'bytes',
      'cache-control': IMMUTABLE,
      'x-ipfs-roots': '{SITE},{A}'
    }
  },
  asked('a part of it', '/ipfs/{A}?format=raw', { range: 'bytes=6-' }, 206, {
    text: 'gateway\n',
    fields: { 'content-range': 'bytes 6-13/14' }
  }),
  {
    title: 'under a name',
    path: '/ipfs/{A}?format=raw&filename=x.txt',
    status: 200,
    fields: { 'content-disposition': /^attachment; filename="x\.txt"/, 'content-type': 'application/vnd.ipld.raw' }
  },
  { title: 'of what is nowhere', path: '/ipfs/{MISSING}?format=raw', status: 404 },
  { title: 'by HEAD, too', method: 'HEAD', path: '/ipfs/{MISSING}?format=raw', status: 404, text: '' }
]

hold('formats', content, ROWS)
