/** What a gateway answers that vouches for nothing, and records of names. */
import { content } from './content.ts'
import { asked, hold, onHost, type Row, type Setting } from './table.ts'

const KEY = 'k51qzi5uqu5dlvj2baxnqndepeb86cbk3ng7n3i46uzyxzyqj2xjonzllnv0v8'
const ONLY = 'only trustless requests are accepted on this gateway: https://specs.ipfs.tech/http-gateways/trustless-gateway/\n'
const NO_FORM = /^only trustless requests are accepted on this gateway, and this one says no form: ask with \?format=raw or \?format=car: /
const refused = { status: 406, text: ONLY }

const ROWS: readonly Row[] = [
  {
    title: 'a block',
    path: '/ipfs/{A}?format=raw',
    status: 200,
    text: 'hello gateway\n',
    fields: { 'content-disposition': /^attachment; filename="{A}\.bin"/, 'content-type': 'application/vnd.ipld.raw', etag: '"{A}.raw"' }
  },
  asked('a block, by Accept', '/ipfs/{A}', { accept: 'application/vnd.ipld.raw' }, 200, { text: 'hello gateway\n' }),
  { title: 'a block, by HEAD', method: 'HEAD', path: '/ipfs/{A}?format=raw', status: 200, text: '', fields: { 'content-length': '14' } },
  { title: 'a block under /net', path: '/net/{A}?format=raw', status: 200, text: 'hello gateway\n' },
  { title: 'a block of a folder', path: '/ipfs/{SITE}?format=raw', status: 200 },
  onHost('a block on a host of its own', '{A}.ipfs.localhost', '/?format=raw', 200, 'hello gateway\n'),
  { title: 'a block that is not there', path: '/ipfs/{MISSING}?format=raw', status: 404 },
  {
    title: 'a CAR',
    path: '/ipfs/{A}?format=car',
    status: 200,
    blocks: ['{A}'],
    fields: {
      'content-type': 'application/vnd.ipld.car; version=1; order=dfs; dups=n',
      'content-disposition': /^attachment; filename="{A}\.car"/
    }
  },
  { title: 'a CAR of a path', path: '/ipfs/{SITE}/a.txt?format=car&dag-scope=block', status: 200, blocks: ['{SITE}', '{A}'] },
  { title: 'a CAR that is not there', path: '/ipfs/{MISSING}?format=car', status: 404 },
  { title: 'the probe of blocks', path: '/ipfs/bafkqaaa?format=raw', status: 200, text: '', fields: { 'content-length': '0' } },
  { title: 'the probe of blocks, by HEAD', method: 'HEAD', path: '/ipfs/bafkqaaa?format=raw', status: 200, text: '' },
  { title: 'the probe of CARs', path: '/ipfs/bafkqaaa?format=car', status: 200, roots: ['bafkqaaa'], blocks: [] },
  { title: 'no form at all', path: '/ipfs/{A}', status: 400, text: NO_FORM },
  { title: 'nor of a path', path: '/ipfs/{SITE}/a.txt', status: 400, text: NO_FORM },
  { title: 'nor of a folder', path: '/ipfs/{SITE}/', status: 400, text: NO_FORM },
  { title: 'nor of a name', path: `/ipns/${KEY}`, status: 400, text: NO_FORM },
  { title: 'an unknown form is none', path: '/ipfs/{A}?format=foo', status: 400, text: NO_FORM },
  { title: 'any form', path: '/ipfs/{A}', headers: { accept: '*/*' }, ...refused },
  asked('a page', '/ipfs/{A}', { accept: 'text/html' }, 406, {
    text: /<h1>406 Not Acceptable<\/h1>/,
    fields: { 'content-type': 'text/html' }
  }),
  { title: 'a block behind a path', path: '/ipfs/{SITE}/a.txt?format=raw', ...refused },
  ...['tar', 'json', 'cbor', 'dag-json', 'dag-cbor', 'ipns-record'].map(
    (format): Row => ({ title: `${format} of a CID`, path: `/ipfs/{A}?format=${format}`, ...refused })
  ),
  ...['raw', 'car', 'tar', 'json'].map(
    (format): Row => ({ title: `${format} of a name`, path: `/ipns/${KEY}?format=${format}`, ...refused })
  ),
  { title: 'a record of a DNSLink', path: '/ipns/example.com?format=ipns-record', ...refused },
  { title: 'a record below a key', path: `/ipns/${KEY}/x?format=ipns-record`, ...refused },
  { title: 'a record is looked for', path: `/ipns/${KEY}?format=ipns-record`, status: 500, text: 'routing: not found\n' },
  { title: 'the path is told with the refusal', path: '/ipfs/{A}?format=tar', status: 406, fields: { 'x-ipfs-path': '/ipfs/{A}' } },
  onHost('a host that vouches, beside', 'trusting.example', '/ipfs/{A}', 200, 'hello gateway\n'),
  onHost('localhost does as all', 'localhost', '/ipfs/{A}?format=tar', 301)
]

const strict = (t: Parameters<typeof content>[0]): Promise<Setting> =>
  content(t, {
    config: {
      'Gateway.DeserializedResponses': false,
      'Gateway.PublicGateways': { 'trusting.example': { Paths: ['/ipfs'], DeserializedResponses: true } }
    }
  })

hold('trustless', strict, ROWS)
