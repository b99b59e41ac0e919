import { site } from './browser/site.ts'
import { asked, hold, type Row } from './rows/table.ts'

const ROWS: readonly Row[] = [
  {
    title: 'dag-cbor is sent as it is, to be saved',
    path: '/ipfs/{CBOR}',
    status: 200,
    fields: {
      'content-type': 'application/vnd.ipld.dag-cbor',
      'content-disposition': /^attachment; filename="{CBOR}\.cbor"/,
      etag: '"{CBOR}.dag-cbor"',
      vary: 'Accept'
    }
  },
  asked('a browser is sent on to its page', '/ipfs/{CBOR}', { accept: 'text/html' }, 301, {
    fields: { location: '/ipfs/{CBOR}/', vary: 'Accept' }
  }),
  asked('which shows its values as text, with links', '/ipfs/{CBOR}/', { accept: 'text/html' }, 200, {
    text: /<a href="\/ipfs\/{A}">[\s\S]*&lt;b&gt;/,
    fields: { 'content-type': 'text/html', etag: /^"DagIndex-/, vary: 'Accept', 'content-disposition': undefined }
  }),
  asked(
    'a page is not told to be there by the tag of the data',
    '/ipfs/{CBOR}/',
    { accept: 'text/html', 'if-none-match': '"{CBOR}.dag-cbor"' },
    200,
    { fields: { etag: /^"DagIndex-/ } }
  ),
  asked(
    'nor the data by that of a page, and a cache learns whom either is for',
    '/ipfs/{CBOR}/',
    { 'if-none-match': '"DagIndex-x_CID-{CBOR}", "{CBOR}.dag-cbor"' },
    304,
    { fields: { etag: '"{CBOR}.dag-cbor"', vary: 'Accept' } }
  ),
  asked('download is no page', '/ipfs/{CBOR}?download=true', { accept: 'text/html' }, 200, {
    fields: { 'content-type': 'application/vnd.ipld.dag-cbor' }
  }),
  {
    title: 'cbor of dag-cbor',
    path: '/ipfs/{CBOR}?format=cbor',
    status: 200,
    fields: { 'content-type': 'application/cbor', etag: '"{CBOR}.cbor"' }
  },
  asked('Accept chooses a format, and its URL is told', '/ipfs/{CBOR}?x', { accept: 'application/cbor' }, 200, {
    fields: { 'content-type': 'application/cbor', 'content-location': '/ipfs/{CBOR}?x&format=cbor' }
  }),
  asked('the URL comes before Accept', '/ipfs/{CBOR}?format=dag-cbor', { accept: 'application/cbor' }, 200, {
    fields: { 'content-type': 'application/vnd.ipld.dag-cbor', 'content-location': undefined }
  }),
  { title: 'one codec is not made another', path: '/ipfs/{CBOR}?format=dag-json', status: 406, text: /codec conversion is not supported/ },
  { title: 'nor a file made data', path: '/ipfs/{SITE}/a.txt?format=dag-cbor', status: 406, text: /block has codec "raw"/ },
  {
    title: 'json of a file is the file',
    path: '/ipfs/{SITE}/json-without-ending?format=json',
    status: 200,
    text: '{"a":[1,2]}',
    fields: { 'content-type': 'application/json' }
  },
  {
    title: 'a path through data to a file',
    path: '/ipfs/{CBOR}/map/inner',
    status: 200,
    text: 'hello gateway\n',
    fields: { 'x-ipfs-roots': '{CBOR},{CBOR},{A}' }
  },
  {
    title: 'a path that ends inside a block is 501 and says what to ask for',
    path: '/ipfs/{CBOR}/map',
    status: 501,
    text: /try reading "\/ipfs\/{CBOR}" instead\n$/
  },
  { title: 'a field that is not there is 404', path: '/ipfs/{CBOR}/none', status: 404, text: /no link named "none" under {CBOR}\n$/ },
  asked('a range of data', '/ipfs/{CBOR}', { range: 'bytes=0-0' }, 206, { fields: { 'content-length': '1' } }),
  asked('an unknown media type of a known kind is 400', '/ipfs/{SITE}', { accept: 'application/vnd.ipld.nonsense' }, 400, {
    text: 'unsupported format "application/vnd.ipld.nonsense"\n'
  }),
  asked('a media type that cannot be read is 400', '/ipfs/{SITE}', { accept: 'application/json;=' }, 400, { text: /Accept header/ }),
  { title: 'an unknown format is ignored', path: '/ipfs/{SITE}/a.txt?format=nonsense', status: 200 },
  {
    title: 'a name of which no record is known',
    path: '/ipns/k51qzi5uqu5dlvj2baxnqndepeb86cbk3ng7n3i46uzyxzyqj2xjonzllnv0v8',
    status: 500,
    text: /^failed to resolve \/ipns\/k51\w+: could not resolve name\n$/
  },
  asked(
    'a form that Accept alone chose is told to caches, whatever it is',
    '/ipfs/{SITE}/a.txt',
    { accept: 'application/vnd.ipld.raw' },
    200,
    { fields: { vary: 'Accept', 'content-location': '/ipfs/{SITE}/a.txt?format=raw' } }
  ),
  asked(
    'a form that nobody knows is not told in its address',
    '/ipfs/{SITE}/a.txt?format=foo&x=1',
    { accept: 'application/vnd.ipld.raw' },
    200,
    { fields: { 'content-location': '/ipfs/{SITE}/a.txt?x=1&format=raw' } }
  ),
  asked(
    'so where the client has it already',
    '/ipfs/{SITE}/a.txt',
    { accept: 'application/vnd.ipld.raw', 'if-none-match': '"{A}.raw"' },
    304,
    { fields: { vary: 'Accept' } }
  ),
  asked('a form that the URL says is the same for all', '/ipfs/{SITE}/a.txt?format=raw', { accept: 'application/vnd.ipld.raw' }, 200, {
    fields: { vary: undefined }
  })
]

hold(undefined, site, ROWS)
