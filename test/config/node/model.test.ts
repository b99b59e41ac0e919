import test from 'ava'
import { nodeConfigModel as model } from '../../../config/node/index.ts'
import type { Identity, Json, NodeConfig } from '../../../core/index.ts'
import { EMPTY, FRESH } from './expected.ts'

const identity: Identity = {
  peerId: FRESH.Identity.PeerID,
  type: 'ed25519',
  publicKey: new Uint8Array(),
  privateKey: Uint8Array.of(1, 2, 3)
}
const fresh = model.create(identity)

/** The document with one value in it: `at('Swarm.ConnMgr.LowWater', 5)`. */
function at(key: string, value: Json): NodeConfig {
  return key.split('.').reduceRight<Json>((below, name) => ({ [name]: below }), value) as NodeConfig
}

test("a fresh configuration is the reference's, with the private key", t => {
  t.deepEqual(fresh, { ...FRESH, Identity: { PeerID: identity.peerId, PrivKey: 'AQID' } })
})

test("a fresh configuration is written in the reference's order of members", t => {
  const text = model.print(fresh)
  t.deepEqual(Object.keys(JSON.parse(text)), [
    ...['Identity', 'Datastore', 'Addresses', 'Mounts', 'Discovery', 'Routing', 'Ipns', 'Bootstrap', 'Gateway', 'API', 'Swarm'],
    ...['AutoNAT', 'Pubsub', 'Peering', 'DNS', 'Migration', 'Provider', 'Reprovider', 'Experimental', 'Plugins', 'Pinning', 'Internal']
  ])
  t.deepEqual(Object.keys(JSON.parse(text).Datastore).slice(0, 3), ['StorageMax', 'StorageGCWatermark', 'GCPeriod'])
  t.true(text.startsWith('{\n  "Identity": {\n    "PeerID": '))
})

test('a changed configuration is written sorted, without a line end, with what HTML would take for its own escaped', t => {
  const text = model.print({ b: [{ z: 1, a: '<&>\u2028' }], a: {}, B: [] }, { sorted: true })
  t.is(text, '{\n  "B": [],\n  "a": {},\n  "b": [\n    {\n      "a": "\\u003c\\u0026\\u003e\\u2028",\n      "z": 1\n    }\n  ]\n}')
})

test('an empty document is every key at its zero', t => {
  t.deepEqual(model.typed({}), EMPTY as NodeConfig)
})

test('the typed view drops what it does not know, reads names in any case, and reading it again changes nothing', t => {
  const typed = model.typed({ datastore: { STORAGEMAX: '44GB' }, Unknown: 1, Swarm: { Unknown: 1 } })
  t.like(typed, { Datastore: { StorageMax: '44GB' } })
  t.false('Unknown' in typed)
  t.deepEqual(typed['Swarm'], FRESH.Swarm as NodeConfig)
  t.deepEqual(model.typed(typed), typed)
})

const KEPT: ReadonlyArray<[key: string, value: Json, written: Json]> = [
  ['Swarm.RelayClient.Enabled', false, false],
  ['Swarm.ConnMgr.LowWater', 0, 0],
  ['Swarm.Transports.Security.TLS', false, false],
  ['Swarm.Transports.Security.TLS', 10, 10],
  ['Swarm.ConnMgr.GracePeriod', '60s', '1m0s'],
  ['Reprovider.Interval', '0s', '0s'],
  ['Reprovider.Interval', 'default', undefined as never],
  ['Reprovider.Interval', null, undefined as never],
  ['Addresses.API', ['/ip4/127.0.0.1/tcp/1'], '/ip4/127.0.0.1/tcp/1'],
  ['Addresses.API', [], null],
  ['Addresses.API', '', null],
  ['Addresses.API', ['/ip4/127.0.0.1/tcp/1', '/unix/run/b'], ['/ip4/127.0.0.1/tcp/1', '/unix/run/b']],
  ['Experimental.GatewayOverLibp2p', false, undefined as never],
  ['Experimental.GatewayOverLibp2p', true, true],
  ['Experimental.GraphsyncEnabled', false, undefined as never],
  ['Swarm.ResourceMgr.Limits', {}, undefined as never],
  ['API.Authorizations', {}, undefined as never],
  ['AutoNAT.Throttle', { GlobalLimit: 0 }, { GlobalLimit: 0, PeerLimit: 0, Interval: '0s' }],
  ['AutoNAT.Throttle', { Interval: '' }, { GlobalLimit: 0, PeerLimit: 0, Interval: '0s' }],
  ['AutoNAT.Throttle', { Interval: null }, { GlobalLimit: 0, PeerLimit: 0, Interval: '0s' }],
  ['Import.UnixFSHAMTDirectorySizeThreshold', 7, '7'],
  ['Import.UnixFSHAMTDirectorySizeThreshold', '256KiB', '256KiB'],
  ['Gateway.PublicGateways', { 'a.b': null }, { 'a.b': null }],
  ['Datastore.StorageGCWatermark', -1, -1],
  ['Datastore.Params', { a: [1] }, { a: [1] }]
]

for (const [key, value, written] of KEPT) {
  test(`${key} ${JSON.stringify(value)} is kept as ${JSON.stringify(written)}`, t => {
    const found = key.split('.').reduce<Json | undefined>((whole, name) => (whole as NodeConfig)[name], model.typed(at(key, value)))
    t.deepEqual(found, written)
  })
}

const JSON_ERROR = 'json: cannot unmarshal'
const MISFITS: ReadonlyArray<[key: string, value: Json, text: string]> = [
  ['Datastore.StorageGCWatermark', '80', `${JSON_ERROR} string into Go struct field Datastore.Datastore.StorageGCWatermark of type int64`],
  [
    'Datastore.StorageGCWatermark',
    80.5,
    `${JSON_ERROR} number 80.5 into Go struct field Datastore.Datastore.StorageGCWatermark of type int64`
  ],
  ['Discovery.MDNS.Enabled', 'true', `${JSON_ERROR} string into Go struct field MDNS.Discovery.MDNS.Enabled of type bool`],
  ['Discovery', [], `${JSON_ERROR} array into Go struct field Config.Discovery of type config.Discovery`],
  ['Gateway.HTTPHeaders', { 'X-One': 'x' }, `${JSON_ERROR} string into Go struct field Gateway.Gateway.HTTPHeaders of type []string`],
  ['Gateway.DeserializedResponses', 'maybe', 'failed to unmarshal "\\"maybe\\"" into a flag: must be null/undefined, true, or false'],
  ['Swarm.ConnMgr.GracePeriod', 'soon', 'time: invalid duration "soon"'],
  ['Swarm.ConnMgr.LowWater', 'x', `${JSON_ERROR} string into Go struct field ConnMgr.Swarm.ConnMgr.LowWater of type int64`],
  ['Swarm.Transports.Security.TLS', true, "'true' is not a valid priority"],
  ['Swarm.Transports.Security.TLS', -5, 'priority must be positive: -5 <= 0'],
  ['AutoNAT.Throttle', { Interval: 7 }, 'time: missing unit in duration "7"'],
  ['AutoNAT.ServiceMode', 'wild', 'unknown autonat mode: wild'],
  ['Addresses.API', 5001, `${JSON_ERROR} number into Go struct field Addresses.Addresses.API of type string`],
  ['Addresses.API', ['a', 1], `${JSON_ERROR} number into Go struct field Addresses.Addresses.API of type string`],
  ['Bootstrap', [1], `${JSON_ERROR} number into Go struct field Config.Bootstrap of type string`],
  ['Bootstrap', 'x', `${JSON_ERROR} string into Go struct field Config.Bootstrap of type []string`]
]

/** What Kubo 0.28 and 0.42 say to routers. */
const ROUTERS: ReadonlyArray<readonly [router: Json, why: string | undefined]> = [
  [{ Type: 'http', Parameters: { Endpoint: 'http://127.0.0.1', MaxProvideBatchSize: 1 } }, undefined],
  [{ Type: 'http', Parameters: {} }, undefined],
  [{ type: 'http', parameters: { endpoint: 'http://127.0.0.1' } }, undefined],
  [{ Type: 'dht', Parameters: { Mode: 'auto', AcceleratedDHTClient: false, Other: 1 } }, undefined],
  [{ Type: 'parallel', Parameters: { Routers: [{ RouterName: 'a', Timeout: 5 }], Timeout: '90s' } }, undefined],
  [{ Type: 'reframe', Parameters: 7 }, undefined],
  [{ Parameters: {} }, undefined],
  [{ Type: 'http', Parameters: 7 }, 'number'],
  [{ Type: 'http', Parameters: { Endpoint: 7 } }, 'number'],
  [{ Type: 'http', Parameters: { MaxProvideBatchSize: 'x' } }, 'string'],
  [{ Type: 'dht', Parameters: { Mode: 7 } }, 'number'],
  [{ Type: 'dht', Parameters: { PublicIPNetwork: 'x' } }, 'string'],
  [{ Type: 'sequential', Parameters: { Routers: {} } }, 'object'],
  [{ Type: 'sequential', Parameters: { Routers: [{ IgnoreErrors: 1 }] } }, 'number'],
  [{ Type: 'sequential', Parameters: { Routers: [{ Timeout: 'x' }] } }, 'time: invalid duration "x"'],
  [{ Type: 'sequential', Parameters: { Routers: [{ Timeout: null }] } }, 'but got <nil>'],
  [{ Type: 'parallel', Parameters: { Routers: [{ Timeout: '5' }] } }, 'time: missing unit in duration "5"'],
  [{ Type: 'parallel', Parameters: { Timeout: 'x' } }, 'time: invalid duration "x"'],
  [{ Type: 'http' }, 'unexpected end of JSON input'],
  [{ Type: 'http', Parameters: null }, 'unexpected end of JSON input'],
  [{}, 'unexpected end of JSON input'],
  [null, 'unexpected end of JSON input'],
  [{ Type: 7, Parameters: {} }, 'number'],
  [7, 'number'],
  ['x', 'string'],
  [[], 'array']
]

for (const [router, why] of ROUTERS) {
  test(`the router ${JSON.stringify(router)} is ${why === undefined ? 'taken' : 'refused'} as by the reference`, t => {
    const config = at('Routing.Routers', { mine: router })
    if (why === undefined) return t.notThrows(() => model.typed(config))
    const { message } = t.throws(() => model.typed(config), { code: 'E_CONFIG_TYPE' })!
    t.true(message.includes(why.includes(' ') ? why : `${JSON_ERROR} ${why} into Go `), message)
    t.throws(() => model.parse(JSON.stringify(config), 'config'), { code: 'E_CONFIG_VALUE', message: /Routing\.Routers\.mine is / })
  })
}

for (const [key, value, text] of MISFITS) {
  test(`${key} ${JSON.stringify(value)} is refused in the reference's words`, t => {
    t.throws(() => model.typed(at(key, value)), { code: 'E_CONFIG_TYPE', message: text })
  })
}

for (const [key, value] of [
  ['Swarm.ResourceMgr.Limits', { System: {} }],
  ['Experimental.AcceleratedDHTClient', true],
  ['Experimental.GraphsyncEnabled', true]
] as const) {
  test(`${key} is gone, and a file that relies on it is refused`, t => {
    t.throws(() => model.parse(JSON.stringify(at(key, value)), '/repo/config'), {
      message: new RegExp(`^/repo/config: ${key} is .*; allowed: nothing`)
    })
  })
}

test('a file is read as it stands, keys that nobody knows included', t => {
  const text = '{"Unknown":{"a":[1,{"b":null}]},"Datastore":{"Mine":true},"__proto__":{"x":1}}'
  t.is(JSON.stringify(model.parse(text, 'config')), text)
})

test('a value of the wrong kind is named by file and key, with what is allowed', t => {
  const message = (key: string, value: Json) => t.throws(() => model.parse(JSON.stringify(at(key, value)), '/repo/config'))?.message
  t.is(message('Ipns.ResolveCacheSize', 'x'), '/repo/config: Ipns.ResolveCacheSize is "x" (a string); allowed: an integer of 0 or more')
  t.is(message('Swarm.AddrFilters', ['a', 1]), '/repo/config: Swarm.AddrFilters[1] is 1 (a number); allowed: a string')
  t.is(
    message('DNS.Resolvers', { 'eth.': 1 }),
    '/repo/config: DNS.Resolvers.eth. is 1 (a number); allowed: the URL of a DNS-over-HTTPS server, "auto" or ""'
  )
  t.is(
    message('Reprovider.Interval', '7d'),
    '/repo/config: Reprovider.Interval is "7d" (a string); allowed: a duration such as "1m30s" (units: ns, us, ms, s, m, h), "default" or null'
  )
})

test('an error does not show what may be a secret', t => {
  const key = 'Pinning.RemoteServices.x.API.Key'
  const message = t.throws(() => model.parse(JSON.stringify(at(key, 4711)), 'config'))?.message
  t.is(message, `config: ${key} is a number; allowed: a string`)
  t.is(
    t.throws(() => model.parse('{"Identity":{"PrivKey":4711}}', 'config'))?.message,
    'config: Identity.PrivKey is a number; allowed: a string'
  )
})

test('what is no JSON is named by file and place', t => {
  const message = (text: string) => t.throws(() => model.parse(text, '/repo/config'), { code: 'E_CONFIG_SYNTAX' })?.message ?? ''
  t.regex(message('{\n  "a": 1,\n}'), /^\/repo\/config is not JSON: .*line 3 column 1/)
  t.regex(message('{\n  "a": '), /^\/repo\/config is not JSON: .*line 2 column 8/)
  t.regex(message('\uFEFF{\n  "a": 1,\n}'), /^\/repo\/config is not JSON: .*line 3 column 1/)
  t.regex(message(''), /^\/repo\/config is not JSON: .*line 1 column 1/)
  t.is(
    message('{\n  "Identity": {\n    "PrivKey":x"CAESQsecret"\n  }\n}\n'),
    "/repo/config is not JSON: invalid character 'x' looking for beginning of value (line 3 column 15, in Identity.PrivKey)"
  )
  t.throws(() => model.parse('[]', '/repo/config'), { message: '/repo/config: the whole file is a list; allowed: one JSON object' })
})

test('a typed configuration is laid upon the file: objects member by member, everything else replaced', t => {
  const file = { Keep: { a: 1 }, Gateway: { HTTPHeaders: { A: ['1'], B: ['2'] }, NoFetch: true }, Bootstrap: ['x', 'y'] }
  const merged = model.merge(file, { Gateway: { HTTPHeaders: { B: ['3'] }, NoFetch: false }, Bootstrap: [], Other: null })
  t.deepEqual(merged, {
    Keep: { a: 1 },
    Gateway: { HTTPHeaders: { A: ['1'], B: ['3'] }, NoFetch: false },
    Bootstrap: [],
    Other: null
  })
  t.deepEqual(model.merge({ a: { b: 1 } }, { a: null }), { a: null })
  t.deepEqual(model.merge({ a: [1] }, { a: { b: 1 } }), { a: { b: 1 } })
})

test('a key called __proto__ is a key like any other', t => {
  const file = JSON.parse('{"__proto__":{"a":1}}') as NodeConfig
  const merged = model.merge(file, JSON.parse('{"__proto__":{"b":2}}') as NodeConfig)
  t.is(model.print(merged, { sorted: true }), '{\n  "__proto__": {\n    "a": 1,\n    "b": 2\n  }\n}')
  t.is(({} as { a?: unknown }).a, undefined)
  t.false('a' in model.effective(merged))
})

test('every default that the node works with stands in for what the file does not say', t => {
  const effective = model.effective({ ...fresh, Extra: { a: 1 }, Swarm: { ConnMgr: { LowWater: 0 }, mine: 1 } })
  t.like(effective, {
    Routing: { Type: 'auto', AcceleratedDHTClient: false },
    Ipns: { RepublishPeriod: '4h', RecordLifetime: '48h', ResolveCacheSize: 128, UsePubsub: false },
    Gateway: { DeserializedResponses: true, DisableHTMLErrors: false, ExposeRoutingAPI: false, NoFetch: false },
    Pubsub: { Router: 'gossipsub', Enabled: false, SeenMessagesTTL: '2m0s', SeenMessagesStrategy: 'last-seen' },
    Reprovider: { Interval: '22h0m0s', Strategy: 'all' },
    Migration: { DownloadSources: ['HTTPS', 'IPFS'], Keep: 'cache' },
    AutoNAT: { Throttle: { GlobalLimit: 30, PeerLimit: 3, Interval: '1m0s' } },
    Swarm: {
      ConnMgr: { Type: 'basic', LowWater: 0, HighWater: 96, GracePeriod: '20s' },
      EnableHolePunching: true,
      Transports: { Network: { QUIC: true, WebRTCDirect: false }, Security: { TLS: 100, Noise: 300 }, Multiplexers: { Yamux: 100 } },
      RelayService: { MaxReservations: 128, BufferSize: 2048, ConnectionDurationLimit: '2m0s' },
      mine: 1
    } as never,
    Internal: { UnixFSShardingSizeThreshold: '256kiB', Bitswap: { TaskWorkerCount: 8, ProviderSearchDelay: '1s' } },
    Experimental: { GatewayOverLibp2p: false },
    Extra: { a: 1 } as never
  })
})

test('effective values of entries that users name are filled in too', t => {
  const { Gateway } = model.effective(at('Gateway.PublicGateways', { 'x.org': { Paths: ['/ipfs'], InlineDNSLink: true }, 'y.org': null }))
  t.deepEqual((Gateway as NodeConfig)['PublicGateways'], {
    'x.org': { Paths: ['/ipfs'], UseSubdomains: false, NoDNSLink: false, InlineDNSLink: true, DeserializedResponses: true },
    'y.org': null
  })
})

test('a node does not start with sharding switched on by hand', t => {
  const config = at('Experimental.ShardingEnabled', true)
  t.notThrows(() => model.parse(JSON.stringify(config), 'config'))
  t.throws(() => model.checkStart(config, 'config'), { code: 'E_CONFIG_VALUE' })
  t.notThrows(() => model.checkStart(fresh, 'config'))
})
