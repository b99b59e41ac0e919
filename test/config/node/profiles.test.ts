import { createServer } from 'node:net'
import test from 'ava'
import { nodeConfigModel as model } from '../../../config/node/index.ts'
import type { Json, NodeConfig } from '../../../core/index.ts'
import { FRESH } from './expected.ts'

const fresh = FRESH as NodeConfig

/** What a profile changes: `{ 'Swarm.DisableNatPortMap': true }`. */
function changes(before: Json | undefined, after: Json | undefined, path = ''): Record<string, Json | undefined> {
  const isObject = (value: Json | undefined): value is NodeConfig => typeof value === 'object' && value !== null && !Array.isArray(value)
  if (JSON.stringify(before) === JSON.stringify(after)) return {}
  if (!isObject(before) || !isObject(after)) return { [path]: after }
  const keys = [...new Set([...Object.keys(before), ...Object.keys(after)])]
  return Object.assign({}, ...keys.map(key => changes(before[key], after[key], path === '' ? key : `${path}.${key}`)))
}

const ordered = (config: NodeConfig) => JSON.parse(model.print(config, { sorted: true })) as NodeConfig
const changesOf = async (name: string, config = fresh) => changes(ordered(config), ordered(await model.applyProfile(name, config)))

const RANGES = [
  ...['/ip4/10.0.0.0/ipcidr/8', '/ip4/100.64.0.0/ipcidr/10', '/ip4/169.254.0.0/ipcidr/16', '/ip4/172.16.0.0/ipcidr/12'],
  ...['/ip4/192.0.0.0/ipcidr/24', '/ip4/192.0.2.0/ipcidr/24', '/ip4/192.168.0.0/ipcidr/16', '/ip4/198.18.0.0/ipcidr/15'],
  ...['/ip4/198.51.100.0/ipcidr/24', '/ip4/203.0.113.0/ipcidr/24', '/ip4/240.0.0.0/ipcidr/4', '/ip6/100::/ipcidr/64'],
  ...['/ip6/2001:2::/ipcidr/48', '/ip6/2001:db8::/ipcidr/32', '/ip6/fc00::/ipcidr/7', '/ip6/fe80::/ipcidr/10']
]

test('server keeps out of local networks, and local-discovery takes that back', async t => {
  t.deepEqual(await changesOf('server'), {
    'Addresses.NoAnnounce': RANGES,
    'Discovery.MDNS.Enabled': false,
    'Swarm.AddrFilters': RANGES,
    'Swarm.DisableNatPortMap': true
  })
  const server = await model.applyProfile('server', fresh)
  t.deepEqual(await changesOf('server', server), {})
  t.deepEqual(changes(ordered(fresh), ordered(await model.applyProfile('local-discovery', server))), { 'Swarm.AddrFilters': [] })
})

test('what a user had put into a list stays first, and stays when the profile is taken back', async t => {
  const ofUser = ['/ip4/10.0.0.0/ipcidr/8', '/ip4/1.2.3.0/ipcidr/24']
  const mine = model.merge(fresh, { Addresses: { NoAnnounce: ofUser } })
  const server = await model.applyProfile('server', mine)
  t.deepEqual((server['Addresses'] as NodeConfig)['NoAnnounce'], [...ofUser, ...RANGES.slice(1)])
  const back = await model.applyProfile('local-discovery', server)
  t.deepEqual((back['Addresses'] as NodeConfig)['NoAnnounce'], ['/ip4/1.2.3.0/ipcidr/24'])
})

test('test stays on loopback, and default-networking takes that back', async t => {
  const any = '/ip4/127.0.0.1/tcp/0'
  t.deepEqual(await changesOf('test'), {
    'Addresses.API': any,
    'Addresses.Gateway': any,
    'Addresses.Swarm': [any],
    Bootstrap: [],
    'Discovery.MDNS.Enabled': false,
    'Routing.LoopbackAddressesOnLanDHT': true,
    'Swarm.DisableNatPortMap': true
  })
  const back = await model.applyProfile('default-networking', await model.applyProfile('test', fresh))
  t.deepEqual(changes(ordered(fresh), ordered(back)), { 'Routing.LoopbackAddressesOnLanDHT': true })
})

test('lowpower does less in the background', async t => {
  t.deepEqual(await changesOf('lowpower'), {
    'AutoNAT.ServiceMode': 'disabled',
    'Reprovider.Interval': '0s',
    'Routing.Type': 'autoclient',
    'Swarm.ConnMgr.GracePeriod': '1m0s',
    'Swarm.ConnMgr.HighWater': 40,
    'Swarm.ConnMgr.LowWater': 20,
    'Swarm.ConnMgr.Type': 'basic'
  })
})

test('the profiles of datastores change its description alone', async t => {
  t.deepEqual(await changesOf('flatfs'), {})
  t.deepEqual(await changesOf('default-datastore'), {})
  const { Datastore } = await model.applyProfile('badgerds', fresh)
  t.deepEqual((Datastore as NodeConfig)['Spec'], {
    child: { path: 'badgerds', syncWrites: false, truncate: true, type: 'badgerds' },
    prefix: 'badger.datastore',
    type: 'measure'
  })
  const back = await changesOf('flatfs', await model.applyProfile('badgerds', fresh))
  t.deepEqual(
    Object.keys(back).sort(),
    ['child', 'mounts', 'prefix', 'type'].map(key => `Datastore.Spec.${key}`)
  )
})

test('randomports chooses a port that is free', async t => {
  const changed = await changesOf('randomports')
  t.deepEqual(Object.keys(changed), ['Addresses.Swarm'])
  const [v4, v6] = changed['Addresses.Swarm'] as string[]
  const port = Number(/^\/ip4\/0\.0\.0\.0\/tcp\/(\d+)$/.exec(v4!)?.[1])
  t.is(v6, `/ip6/::/tcp/${port}`)
  const server = createServer()
  await new Promise<void>((resolve, reject) => server.once('error', reject).listen(port, resolve))
  await new Promise(resolve => server.close(resolve))
})

test('a profile that does not exist is named, whatever case it is written in', async t => {
  for (const name of ['nope', '', 'Server', 'announce-off', 'pebbleds']) {
    await t.throwsAsync(model.applyProfile(name, fresh), { code: 'E_PROFILE_UNKNOWN', message: `${name} is not a profile` })
  }
  t.deepEqual(
    [...model.profiles()].filter(([, { initOnly }]) => initOnly).map(([name]) => name),
    ['default-datastore', 'flatfs', 'badgerds']
  )
})
