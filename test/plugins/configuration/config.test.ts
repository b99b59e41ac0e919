import { lstat, mkdir, readFile, readlink, rename, symlink, utimes, writeFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import test from 'ava'
import { type NodeConfig, Repo } from '../../../core/index.ts'
import { identityIn } from '../../../core/repo/identity.ts'
import { upload } from '../../../host/testing.ts'
import { configuredHost } from './host.ts'

test('a value that is set stands in the file and is what the node works with', async t => {
  const { host, get, set, onDisk } = await configuredHost(t)
  t.is(await set('Datastore.StorageMax', '20GB'), '20GB')
  t.is(await get('Datastore.StorageMax'), '20GB')
  t.is((await onDisk())['Datastore']!['StorageMax'], '20GB')
  t.is(host.service(Repo)!.get('Datastore.StorageMax'), '20GB')
})

test('what does not fit a key is refused, and the file stays as it is', async t => {
  const { call, text } = await configuredHost(t)
  const before = await text()
  const error = await t.throwsAsync(call('config', ['Bootstrap', 'x']))
  t.regex(error!.message, /^failed to set config value: failure to decode config: json: cannot unmarshal string .* \(maybe use --json\?\)$/)
  await t.throwsAsync(call('config', ['Datastore.StorageMax.x', 'y']), { code: 'E_CONFIG_SET' })
  await t.throwsAsync(call('config', ['My', '{'], { json: true }), { code: 'E_CONFIG_JSON' })
  t.is(await text(), before)
})

test('peers of Peering are refused where their IDs or addresses are none, by config, config/replace and at the start', async t => {
  const { call, host, text, path } = await configuredHost(t)
  const peer = '12D3KooWJ1TsijH7H5F74hfAD5XishQz3sxrmAtVY37GtNd9CqYf'
  const set = (peers: unknown) => call('config', ['Peering.Peers', JSON.stringify(peers)], { json: true })
  const before = await text()
  const wrong: ReadonlyArray<readonly [peers: unknown, why: string]> = [
    [[{ ID: 'bad' }], 'failed to parse peer ID: invalid cid: invalid cid: expected 1 as the cid version number, got: 0'],
    [[{ ID: '', Addrs: [] }], 'failed to parse peer ID: invalid cid: cid too short'],
    [[{ ID: peer, Addrs: ['bad'] }], 'failed to parse multiaddr "bad": must begin with /']
  ]
  for (const [peers, why] of wrong) {
    const message = `failed to set config value: failure to decode config: ${why} (maybe use --json?)`
    t.is((await t.throwsAsync(set(peers))).message, message)
    const document = JSON.stringify({ Peering: { Peers: peers } })
    await t.throwsAsync(host.call('config/replace', { body: upload(document) }), { code: 'E_CONFIG_DECODE' })
  }
  t.is(await text(), before)
  for (const peers of [[{ ID: peer, Addrs: ['/ip4/127.0.0.1/tcp/1'] }], [{ Addrs: [] }], [{ ID: peer }], []]) await set(peers)
  await host.stop()
  const document = JSON.parse(await text()) as { Peering: unknown }
  document.Peering = { Peers: [{ ID: 'bad' }] }
  await writeFile(join(path, 'config'), JSON.stringify(document))
  const { createHost } = await import('../../../host/create.ts')
  const again = await createHost({ repo: { path } })
  const { message } = await t.throwsAsync(again.start())
  t.regex(message, /Peering\.Peers\[0\]\.ID is "bad" \(a string\); allowed: a peer ID/)
})

/** Values whose types fit, with which a plugin that reads them does not start. */
const STOPPING: ReadonlyArray<readonly [key: string, ...values: unknown[]]> = [
  ['Addresses.API', '/ip4/0.0.0.0/tcp/5001', '/ip6/::/tcp/5001', ['/ip4/127.0.0.1/tcp/0', '/ip4/10.0.0.1/tcp/0']],
  ['Addresses.Swarm', ['junk'], ['/ip4/1.2.3'], [null], ['/ip4/127.0.0.1/tcp/1', '']],
  ['Addresses.Announce', ['junk']],
  ['Addresses.AppendAnnounce', ['http://x y']],
  ['Addresses.NoAnnounce', ['junk'], ['/ip4/10.0.0.0/ipcidr/33']],
  ['AutoNAT.Throttle.PeerLimit', -1],
  ['Datastore.GCPeriod', 'junk', '-1s'],
  ['Experimental.ShardingEnabled', true],
  ['Internal.BackupBootstrapInterval', '-1s'],
  ['Internal.Libp2pForceReachability', 'junk'],
  ['Ipns.DelegatedPublishers', ['junk'], ['ftp://example.com'], [null]],
  ['Ipns.RecordLifetime', 'junk', '0s', '-1s', '99999999h'],
  ['Ipns.RepublishPeriod', 'junk', '2d', '-1s'],
  ['Provide.DHT.Interval', '-1s'],
  ['Pubsub.Router', 'junk'],
  ['Pubsub.SeenMessagesStrategy', 'junk'],
  ['Pubsub.SeenMessagesTTL', '-1s', '0s', 0],
  ['Reprovider.Interval', '-1s'],
  ['Reprovider.Strategy', 'junk'],
  ['Routing.Type', 'junk', 'supernode', 'custom'],
  ['Swarm.AddrFilters', ['junk'], ['/ip4/1.2.3.4/tcp/1'], ['/ip4/1.2.3.4/ipcidr/33'], [null]],
  ['Swarm.ConnMgr.GracePeriod', '-1s'],
  ['Swarm.ConnMgr.HighWater', -1],
  ['Swarm.ConnMgr.LowWater', -1],
  ['Swarm.ConnMgr.Type', 'junk'],
  ['Swarm.RelayClient.StaticRelays', ['junk'], ['/ip4/1.2.3.4/tcp/1']],
  ['Swarm.RelayService.ConnectionDataLimit', -1],
  ['Swarm.RelayService.ConnectionDurationLimit', '-1s'],
  ['Swarm.RelayService.MaxReservations', -1],
  ['Swarm.RelayService.ReservationTTL', '-1s'],
  ['Swarm.ResourceMgr.Allowlist', ['junk'], ['/ip4/1.2.3.4/tcp/1']],
  ['Swarm.ResourceMgr.MaxFileDescriptors', -1],
  ['Swarm.ResourceMgr.MaxMemory', 'junk', '1e30GB', '-1']
]

test('what no node would start with is refused by config and config/replace, with what is allowed', async t => {
  const { call, host, text, set, show } = await configuredHost(t)
  const before = await text()
  for (const [key, ...values] of STOPPING)
    for (const value of values) {
      const { message } = await t.throwsAsync(set(key, value), { code: 'E_CONFIG_SET' }, `${key} ${JSON.stringify(value)}`)
      t.true(/a node does not start(?: where|:) /.test(message) && message.includes(key) && message.includes('; allowed: '), message)
      const document = key.split('.').reduceRight<unknown>((below, name) => ({ [name]: below }), value)
      const replacing = host.call('config/replace', { body: upload(JSON.stringify({ ...(await show()), ...(document as object) })) })
      await t.throwsAsync(replacing, { code: 'E_CONFIG_TYPE' }, `${key} ${JSON.stringify(value)}`)
    }
  t.is(await text(), before)
  const peer = '12D3KooWJ1TsijH7H5F74hfAD5XishQz3sxrmAtVY37GtNd9CqYf'
  for (const [key, ...values] of [
    ['Addresses.NoAnnounce', ['/ip4/10.0.0.0/ipcidr/8', '/ip6/fc00::/ipcidr/7', '/ip4/1.2.3.4/tcp/1']],
    ['Ipns.DelegatedPublishers', ['auto', 'https://example.com/ipns']],
    ['Ipns.RepublishPeriod', '40s', '', '4h'],
    ['Provide.DHT.Interval', '', '0s'],
    ['Reprovider.Strategy', '', 'pinned'],
    ['Routing.Type', 'none', null, 'auto'],
    ['Swarm.RelayClient.StaticRelays', [`/ip4/1.2.3.4/tcp/1/p2p/${peer}`]],
    ['Swarm.ResourceMgr.Allowlist', ['/ip4/1.2.3.4', `/ip4/1.2.3.0/ipcidr/24/p2p/${peer}`]],
    ['Swarm.ResourceMgr.MaxMemory', '4GiB', null]
  ] as const)
    for (const value of values) await t.notThrowsAsync(set(key, value), `${key} ${JSON.stringify(value)}`)
  await t.notThrowsAsync(call('config', ['My.Own', 'junk']))
})

test('what no node would start with beside another value is refused, whichever of the two is set last', async t => {
  const relay = 'Swarm.Transports.Network.Relay'
  for (const [first, second] of [
    [
      [relay, false],
      ['Swarm.RelayClient.Enabled', true]
    ],
    [
      [relay, false],
      ['Swarm.RelayService.Enabled', true]
    ],
    [
      [relay, false],
      ['Swarm.EnableHolePunching', true]
    ],
    [
      ['Swarm.RelayClient.Enabled', false],
      ['Swarm.EnableHolePunching', true]
    ],
    [
      ['Swarm.Transports.Security.TLS', false],
      ['Swarm.Transports.Security.Noise', false]
    ],
    [
      ['API.Authorizations', {}],
      ['Addresses.API', '/ip4/0.0.0.0/tcp/5001']
    ]
  ] as const)
    for (const [one, other] of [
      [first, second],
      [second, first]
    ] as const) {
      const { set, host, text } = await configuredHost(t)
      if (one[0] === 'Addresses.API') {
        await set('API.Authorizations', { ann: { AuthSecret: 'bearer:hush', AllowedPaths: ['/api/v0'] } })
        await t.notThrowsAsync(set(one[0], one[1]))
      } else await set(one[0], one[1])
      const before = await text()
      await t.throwsAsync(set(other[0], other[1]), { message: /a node does not start/ }, `${one[0]}, then ${other[0]}`)
      t.is(await text(), before)
      await host.stop()
    }
  const { set, host } = await configuredHost(t)
  for (const entry of [{ Access: 'junk' }, { Expires: 'soon' }, { Other: 1 }])
    await t.throwsAsync(set('API.Authorizations', { ann: entry }), { message: /a node does not start: API\.Authorizations\.ann/ })
  for (const name of ['TCP', 'Websocket']) await set(`Swarm.Transports.Network.${name}`, false)
  await t.throwsAsync(set('Swarm.Transports.Network.QUIC', false), { message: /a node does not start/ })
  const both = {
    Addresses: { API: '/ip4/0.0.0.0/tcp/5001' },
    API: { Authorizations: { ann: { AuthSecret: 'x', AllowedPaths: ['/api/v0'] } } }
  }
  await t.notThrowsAsync(host.call('config/replace', { body: upload(JSON.stringify({ ...both })) }))
  // a low mark above the high one, as somebody who raises both passes through, and a listener that is none
  for (const [key, value] of [
    ['Swarm.ConnMgr.LowWater', 600],
    ['Swarm.ConnMgr.HighWater', 900],
    ['Addresses.API', null]
  ] as const)
    await set(key, value)
})

test('what was in the file before, and no node would start with, stops no other change, and is mended', async t => {
  const { set, file, text } = await configuredHost(t)
  const config = JSON.parse(await text()) as { Routing: unknown; Pubsub: unknown }
  Object.assign(config, { Routing: { Type: 'junk' }, Pubsub: { Router: 'junk' } })
  await writeFile(file, JSON.stringify(config))
  await t.notThrowsAsync(set('My.Own', 1))
  await t.notThrowsAsync(set('Routing.Type', 'dht'))
  await t.throwsAsync(set('Routing.Type', 'other'), { code: 'E_CONFIG_SET' })
  await t.notThrowsAsync(set('Pubsub.Router', 'gossipsub'))
})

test('of a long value an error shows the beginning, and another that begins so is another one', async t => {
  const { set, file, text } = await configuredHost(t)
  const long = 'x'.repeat(100_000)
  const config = JSON.parse(await text()) as { Pubsub: unknown }
  Object.assign(config, { Pubsub: { Router: `${long}a` } })
  await writeFile(file, JSON.stringify(config))
  await t.notThrowsAsync(set('My.Own', 1))
  for (const key of ['Pubsub.Router', 'Addresses.API', 'Import.HashFunction']) {
    const { message } = await t.throwsAsync(set(key, `${long}b`), { code: 'E_CONFIG_SET' }, key)
    t.true(message.length < 1000, `${key}: ${message.length} characters`)
  }
})

test('an Identity.PeerID of null says nothing, as an empty one', async t => {
  const { text, set, host } = await configuredHost(t)
  await set('Identity.PeerID', null)
  t.is(identityIn(JSON.parse(await text()), 'config').peerId, host.service(Repo)!.identity.peerId)
})

test('the private key is neither shown nor set, however the key is written', async t => {
  const { call, show, text, get } = await configuredHost(t)
  const { PrivKey } = (JSON.parse(await text()) as { Identity: { PrivKey: string } }).Identity
  const before = await text()
  for (const key of ['Identity', 'identity', 'Identity.PrivKey', 'IDENTITY.privkey', 'Identity.Priv\u212aey']) {
    await t.throwsAsync(call('config', [key]), { code: 'E_CONFIG_PRIVATE_KEY' }, key)
    await t.throwsAsync(call('config', [key, 'x']), { code: 'E_CONFIG_PRIVATE_KEY' }, key)
  }
  t.is(await text(), before)
  t.false(JSON.stringify(await show()).includes(PrivKey))
  t.regex((await get('Identity.PeerID')) as string, /^12D3KooW/)
})

test('a peer ID that is not that of the private key is not set, as a node with another one would not start', async t => {
  const { call, text, get } = await configuredHost(t)
  const before = await text()
  const other = '12D3KooWJ1TsijH7H5F74hfAD5XishQz3sxrmAtVY37GtNd9CqYf'
  for (const id of ['garbage', other]) await t.throwsAsync(call('config', ['Identity.PeerID', id]), { code: 'E_CONFIG_PEER_ID' })
  t.is(await text(), before)
  const peerId = await get('Identity.PeerID')
  t.is(((await call('config', ['Identity.PeerID', peerId as string])) as { Value: unknown }).Value, peerId)
})

test('a second spelling of a section does not take the place of the identity', async t => {
  const { call, host, text, path } = await configuredHost(t)
  const { peerId } = host.service(Repo)!.identity
  await call('config', ['identity.Note', 'mine'])
  await host.call('config/replace', { body: upload('{}') })
  t.true((await text()).includes('"identity"'))
  await host.stop()
  const { createHost } = await import('../../../host/create.ts')
  const again = await createHost({ repo: { path } })
  await again.start()
  t.teardown(() => again.stop())
  t.is(again.service(Repo)!.identity.peerId, peerId)
})

test('secrets of callers and of pinning services are set, but shown to nobody', async t => {
  const { call, get, set, show, host, text } = await configuredHost(t)
  await set('API.Authorizations', { ann: { AuthSecret: 'bearer:hush', AllowedPaths: ['/api/v0/id'] } })
  t.is(await set('API.Authorizations.bob', { AuthSecret: 'basic:hush', AllowedPaths: [] }), null)
  await host.service(Repo)!.updateConfig(config => ({
    ...config,
    pinning: { RemoteServices: { svc: { API: { Endpoint: 'https://pins.example.org', Key: 'hush' } } } }
  }))
  t.deepEqual(await get('API.Authorizations'), {})
  t.deepEqual(await get('API'), { Authorizations: {}, HTTPHeaders: {} })
  await t.throwsAsync(get('API.Authorizations.ann.AuthSecret'), { code: 'E_CONFIG_SECRET' })
  await t.throwsAsync(get('pinning.remoteservices'), { code: 'E_CONFIG_SERVICE_KEY' })
  await t.throwsAsync(get('Pinning.RemoteServices.svc.API.Key'), { code: 'E_CONFIG_SERVICE_KEY' })
  const shown = [await show(), await call('config/profile/apply', ['server'], { dryRun: true })]
  t.true(JSON.stringify(shown).includes('pins.example.org'))
  t.false(JSON.stringify(shown).includes('hush'))
  t.is((await text()).match(/hush/g)?.length, 3)
})

test('writers at the same time lose nothing, whichever commands they use', async t => {
  const { call, set, get, host } = await configuredHost(t)
  const keys = Array.from({ length: 30 }, (_, i) => `Mine.Key${i}`)
  const peer = '/ip4/10.1.2.3/tcp/4001/p2p/QmaCpDMGvV2BGHeYERUEnRQAwe3N8SzbUtfsmvsqQLuvuJ'
  await Promise.all([
    ...keys.map(key => set(key, key)),
    call('bootstrap/add', [peer]),
    call('config/profile/apply', ['randomports']),
    host.call('config/replace', { body: upload('{"Datastore":{"StorageMax":"7GB"},"Addresses":{"API":"/ip4/127.0.0.1/tcp/1"}}') })
  ])
  t.deepEqual(await get('Mine'), Object.fromEntries(keys.map(key => [key.slice(5), key])))
  t.is(await get('Datastore.StorageMax'), '7GB')
})

test('a file that is kept elsewhere stays there: the symlink to it is followed', async t => {
  const { file, set } = await configuredHost(t)
  const kept = join(dirname(file), '..', 'kept')
  await mkdir(kept)
  await rename(file, join(kept, 'settings.json'))
  await symlink('../kept/settings.json', file)
  t.is(await set('Datastore.StorageMax', '21GB'), '21GB')
  t.is(await readlink(file), '../kept/settings.json')
  t.is(JSON.parse(await readFile(join(kept, 'settings.json'), 'utf8')).Datastore.StorageMax, '21GB')
  t.is((await lstat(join(kept, 'settings.json'))).mode & 0o777, 0o600)
})

test('an edit by hand between reading and writing is not lost', async t => {
  const { host, file, onDisk, text } = await configuredHost(t)
  let asked = 0
  await host.service(Repo)!.updateConfig(async config => {
    if (asked++ === 0) {
      await writeFile(file, (await text()).replace('"10GB"', '"11GB"'))
      await utimes(file, new Date(), new Date(Date.now() + 10_000))
    }
    return { ...config, Mine: 1 }
  })
  t.is(asked, 2)
  const found = await onDisk()
  t.is(found['Datastore']!['StorageMax'], '11GB')
  t.is(found['Mine'] as unknown, 1)
})

for (const [what, edit, message] of [
  ['is no JSON', (text: string) => text.replace('"Addresses": {', '"Addresses": {,'), /config is not JSON: .*line \d+/],
  [
    'has a value that does not fit',
    (text: string) => text.replace('"StorageGCWatermark": 90', '"StorageGCWatermark": "x"'),
    /StorageGCWatermark is "x"/
  ]
] as const) {
  test(`a file that was edited by hand and ${what} is told, and left as it is`, async t => {
    const { call, file, text } = await configuredHost(t)
    const broken = edit(await text())
    await writeFile(file, broken)
    await utimes(file, new Date(), new Date(Date.now() + 10_000))
    for (const [command, args] of [
      ['config', ['Mine', 'x']],
      ['config', ['Datastore.StorageMax']],
      ['config/show', []],
      ['config/profile/apply', ['server']],
      ['bootstrap/add/default', []],
      ['bootstrap/rm/all', []]
    ] as const) {
      t.regex((await t.throwsAsync(call(command, args)))!.message, message, command)
    }
    t.is(await text(), broken)
  })
}

test('a document that is shown is taken back, and changes nothing', async t => {
  const { call, host, show, set, text } = await configuredHost(t)
  await set('API.Authorizations', { ann: { AuthSecret: 'bearer:hush', AllowedPaths: ['/api/v0/id'] } })
  await set('Unknown', { Key: [1, 'two'] })
  await call('bootstrap/add/default')
  const before = await text()
  await host.call('config/replace', { body: upload(JSON.stringify(await show())) })
  t.deepEqual(JSON.parse(await text()), JSON.parse(before))
})

test('a profile leaves the file as it was beside the new one', async t => {
  const { call, get, path, text } = await configuredHost(t)
  const before = await text()
  await t.throwsAsync(call('config/profile/apply', ['../../x']), { message: '../../x is not a profile' })
  const { OldCfg, NewCfg } = (await call('config/profile/apply', ['lowpower'])) as { OldCfg: NodeConfig; NewCfg: NodeConfig }
  t.is((OldCfg['Routing'] as NodeConfig)['Type'], undefined)
  t.is((NewCfg['Routing'] as NodeConfig)['Type'], 'autoclient')
  t.is(await get('Routing.Type'), 'autoclient')
  const { readdir, readFile, stat } = await import('node:fs/promises')
  const copies = (await readdir(path)).filter(name => name.startsWith('config-pre-'))
  t.is(copies.length, 1)
  t.is(await readFile(`${path}/${copies[0]}`, 'utf8'), before)
  t.is(((await stat(`${path}/${copies[0]}`)).mode & 0o777).toString(8), '600')
})
