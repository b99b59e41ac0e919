/** What the node configuration says of the gateway. */
import type { Json } from '../../../../core/index.ts'
import { content } from './content.ts'
import { asked, hold, onHost, type Row, type Setting } from './table.ts'

const TEXT = 'hello gateway\n'
const html = { accept: 'text/html' }

const ROWS: readonly Row[] = [
  asked('DisableHTMLErrors: no page', '/ipfs/nope', html, 400, {
    text: /^invalid path/,
    fields: { 'content-type': 'text/plain; charset=utf-8' }
  }),
  { title: 'RootRedirect: the root', path: '/', status: 302, fields: { location: '/ipns/home.example' } },
  { title: 'RootRedirect: all that is not mounted', path: '/what/ever?x', status: 302, fields: { location: '/ipns/home.example' } },
  onHost('RootRedirect: not a host with rules', 'plain.example', '/what/ever', 404),
  { title: 'RootRedirect: not /version', path: '/version', status: 200 },
  { title: 'HTTPHeaders: own fields in every answer', path: '/ipfs/nope', status: 400, fields: { 'x-mine': 'one, two' } },
  {
    title: 'HTTPHeaders: Allow-Headers and Expose-Headers grow',
    path: '/ipfs/{A}',
    status: 200,
    fields: {
      'access-control-allow-headers': 'Content-Type, Range, User-Agent, X-Mine, X-Requested-With',
      'access-control-expose-headers': 'Content-Length, Content-Range, X-Chunked-Output, X-Ipfs-Path, X-Ipfs-Roots, X-Mine, X-Stream-Output'
    }
  },
  {
    title: 'HTTPHeaders: Allow-Origin and Allow-Methods are replaced',
    path: '/ipfs/{A}',
    status: 200,
    fields: { 'access-control-allow-origin': 'https://a.example', 'access-control-allow-methods': 'GET' }
  },
  {
    title: 'HTTPHeaders: what says where a body ends, or is about the connection, is passed over, as is what is no name',
    path: '/ipfs/{A}',
    status: 200,
    text: TEXT,
    fields: {
      'transfer-encoding': undefined,
      'content-length': String(TEXT.length),
      trailer: undefined,
      upgrade: undefined,
      connection: 'close'
    }
  },
  onHost('PublicGateways: null takes localhost away', 'localhost', '/ipfs/{A}', 200, TEXT),
  onHost('PublicGateways: no subdomains', 'plain.example', '/ipfs/{A}', 200, TEXT),
  onHost('PublicGateways: nor a host of a root', '{A}.ipfs.plain.example', '/', 404),
  onHost('PublicGateways: no Paths, nothing', 'empty.example', '/ipfs/{A}', 404, '404 page not found\n'),
  {
    title: 'PublicGateways: a pattern',
    host: 'foo-7.x.example',
    path: '/ipfs/{A}',
    status: 301,
    fields: { location: 'http://{A}.ipfs.foo-7.x.example/' }
  },
  onHost('PublicGateways: a root under a pattern', '{A}.ipfs.foo-7.x.example', '/', 200, TEXT),
  onHost('PublicGateways: a pattern stands for part of one label', 'foo-7.y.x.example', '/ipfs/{A}', 200),
  onHost('PublicGateways: a host with its port before one without', 'ported.example:9', '/ipfs/{A}', 301),
  onHost('PublicGateways: and without', 'ported.example:8', '/ipfs/{A}', 200),
  onHost('DeserializedResponses of a host, with any port', 'strict.example:8080', '/ipfs/{A}?format=tar', 406),
  onHost('DeserializedResponses of a pattern', 'any.strict.example', '/ipfs/{A}?format=tar', 406),
  {
    title: 'NoFetch: what is not here is 404',
    path: '/ipfs/{MISSING}',
    status: 404,
    text: /block was not found locally \(offline\): ipld: could not find {MISSING}\n$/
  },
  { title: 'ExposeRoutingAPI is off', path: '/routing/v1/providers/{A}', status: 302 }
]

async function configured(t: Parameters<typeof content>[0]): Promise<Setting> {
  const subdomains = { Paths: ['/ipfs'], UseSubdomains: true }
  const config: Record<string, Json> = {
    'Gateway.NoFetch': true,
    'Gateway.DisableHTMLErrors': true,
    'Gateway.RootRedirect': '/ipns/home.example',
    'Gateway.HTTPHeaders': {
      'X-Mine': ['one', 'two'],
      'transfer-encoding': ['chunked'],
      'Content-Length': ['3'],
      Connection: ['upgrade'],
      Trailer: ['X-Mine'],
      Upgrade: ['h2c'],
      'no name': ['x'],
      'Access-Control-Allow-Headers': ['X-Mine'],
      'Access-Control-Expose-Headers': ['X-Mine'],
      'Access-Control-Allow-Origin': ['https://a.example'],
      'Access-Control-Allow-Methods': ['GET']
    },
    'Gateway.PublicGateways': {
      localhost: null,
      'plain.example': { Paths: ['/ipfs'], UseSubdomains: false },
      'empty.example': {},
      'foo-*.x.example': subdomains,
      'ported.example': { Paths: ['/ipfs'] },
      'ported.example:9': subdomains,
      'strict.example': { Paths: ['/ipfs'], DeserializedResponses: false },
      '*.strict.example': { Paths: ['/ipfs'], DeserializedResponses: false }
    }
  }
  return content(t, { config })
}

hold('configuration', configured, ROWS)
