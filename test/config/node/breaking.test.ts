import test from 'ava'
import { nodeConfigModel as model } from '../../../config/node/index.ts'
import type { Json, NodeConfig } from '../../../core/index.ts'

/** The document with one value in it: `at('Swarm.ConnMgr.LowWater', 5)`. */
function at(key: string, value: Json): NodeConfig {
  return key.split('.').reduceRight<Json>((below, name) => ({ [name]: below }), value) as NodeConfig
}

/** Values that would break what uses them much later: every file of the tree, every `add`, every start. */
const BREAKING: ReadonlyArray<readonly [key: string, values: readonly Json[], allowed: RegExp]> = [
  ['Internal.UnixFSShardingSizeThreshold', ['-1', '-5MiB', 'abc', '1e9999', '5XB', '1e30', 7], /a size such as/],
  ['Import.UnixFSHAMTDirectorySizeThreshold', ['-1', '-5MiB', 'abc', '1e9999', '5XB', ''], /a size such as/],
  ['Import.UnixFSHAMTDirectorySizeEstimation', ['abc', '', 1], /"links", "block", "disabled"/],
  ['Import.CidVersion', [-1, 2, 1.5, '1'], /an integer from 0 to 1/],
  ['Import.UnixFSChunker', ['abc', 'size-0', 'size--1', 'size-99999999999', 'rabin-1-2-3', 7], /"size-N"/],
  ['Import.HashFunction', ['abc', '', 'murmur3-x64-64', 18], /a hash function such as/],
  ['Import.UnixFSFileMaxLinks', [-1, 0, 1, 8193, 1e18, '174'], /an integer from 2 to 8192/],
  ['Import.UnixFSDirectoryMaxLinks', [-1, -1e18, 0.5], /an integer from 0 to /],
  ['Import.UnixFSHAMTDirectoryMaxFanout', [-1, 0, 3, 7, 2048, 'x'], /a power of 2 from 8 to 1024/],
  ['Import.UnixFSDAGLayout', ['abc', ''], /"balanced", "trickle"/],
  ['Ipns.ResolveCacheSize', [-1, -1e18], /an integer of 0 or more/]
]

/** Values that nothing could listen at or ask: the reference takes them, and does not start. The text names the part that is wrong. */
const NOWHERE: ReadonlyArray<readonly [key: string, values: readonly Json[], told: RegExp]> = [
  [
    'Addresses.API',
    [
      'junk',
      '/ip4/1.2.3/tcp/1',
      '/ip4/127.0.0.1/tcp/65536',
      '/ip6/127.0.0.1/tcp/1',
      '/ip4/127.0.0.1/udp/1',
      '/unix/',
      '/ip4/127.0.0.1/tcp/1/ws'
    ],
    /Addresses\.API is ".*" \(a string\); allowed: an address such as/
  ],
  ['Addresses.Gateway', [['/ip4/127.0.0.1/tcp/1', 'junk']], /Addresses\.Gateway is "junk" \(a string\); allowed: an address such as/],
  [
    'DNS.Resolvers',
    [{ '.': 'junk' }, { '.': 'http://127.0.0.1/' }, { '.': 'https://' }],
    /DNS\.Resolvers\.\. is ".*" \(a string\); allowed: the URL of/
  ],
  ['DNS.Resolvers', [{ eth: 'https://127.0.0.1/' }], /DNS\.Resolvers\.eth is ".*" \(a string\); allowed: a key that ends in a dot/]
]

for (const [key, values, told] of NOWHERE) {
  test(`${key} is refused where it is set and at the start, if it leads nowhere: ${JSON.stringify(values[0])}`, t => {
    for (const value of values) {
      const config = at(key, value)
      t.throws(() => model.typed(config), { code: 'E_CONFIG_TYPE' }, JSON.stringify(value))
      const { message } = t.throws(() => model.parse(JSON.stringify(config), 'config'), { code: 'E_CONFIG_VALUE' }, JSON.stringify(value))!
      t.regex(message, told)
    }
  })
}

for (const [key, values, allowed] of BREAKING) {
  test(`${key} is refused where it is set and at the start, if nothing could work with it`, t => {
    for (const value of values) {
      const config = at(key, value)
      t.throws(() => model.typed(config), { code: 'E_CONFIG_TYPE' }, `${value}`)
      const { message } = t.throws(() => model.parse(JSON.stringify(config), 'config'), { code: 'E_CONFIG_VALUE' }, `${value}`)!
      t.true(message.startsWith(`config: ${key} is ${JSON.stringify(value)} (a `), message)
      t.regex(message, allowed)
    }
  })
}

test('what can be worked with is taken, also where it is the default', t => {
  const good: ReadonlyArray<readonly [key: string, values: readonly Json[]]> = [
    ['Internal.UnixFSShardingSizeThreshold', ['0', '0.5', '256kiB', '1 MB', '', null]],
    ['Import.UnixFSHAMTDirectorySizeEstimation', ['links', 'block', 'disabled', null]],
    ['Import.CidVersion', [0, 1, null]],
    ['Import.UnixFSChunker', ['size-10', 'size-2096896', 'buzhash', 'rabin', 'rabin-16-32-64', '', null]],
    ['Import.HashFunction', ['sha2-256', 'blake3', 'SHA2-512', null]],
    ['Import.UnixFSFileMaxLinks', [2, 174, 8192, null]],
    ['Import.UnixFSDirectoryMaxLinks', [0, 1e9, null]],
    ['Import.UnixFSHAMTDirectoryMaxFanout', [8, 256, 1024, null]],
    ['Import.UnixFSDAGLayout', ['balanced', 'trickle', null]],
    ['Ipns.ResolveCacheSize', [0, 128, null]],
    ['Addresses.API', ['/ip4/127.0.0.1/tcp/0', '/ip6/::1/tcp/5001/', '/dns4/localhost/tcp/5001/http', '/unix/run/x.sock', '', [], null]],
    ['Addresses.Gateway', [['/ip4/127.0.0.1/tcp/0', '/unix/%2Frun%2Fx'], null]],
    ['DNS.Resolvers', [{ '.': 'auto', 'eth.': '', 'x.y.': 'https://127.0.0.1/dns-query' }, {}, null]],
    // as the reference: repo/stat and doctor say it
    ['Datastore.StorageMax', ['not a size', '']]
  ]
  for (const [key, values] of good)
    for (const value of values) t.notThrows(() => model.parse(JSON.stringify(at(key, value)), 'config'), `${key} ${value}`)
})
