import { createServer } from 'node:net'
import type { Json } from '../../core/index.ts'
import { badgerSpec, bootstrapPeers, defaultAddresses, flatfsSpec } from './defaults.ts'
import { isObject, type JsonObject, memberOf } from './objects.ts'

interface Profile {
  readonly about: string
  /** Whether it only makes sense before the repo holds anything. */
  readonly initOnly: boolean
  /** Changes to a typed configuration, by dotted key. */
  changes(config: JsonObject): Changes | Promise<Changes>
}

type Changes = Readonly<Record<string, Json>>

/** Ranges that are private, local or not routed (IANA special-purpose registries; Kubo 0.28, config/profile.go). */
const unroutedRanges: readonly string[] = [
  '/ip4/10.0.0.0/ipcidr/8',
  '/ip4/100.64.0.0/ipcidr/10',
  '/ip4/169.254.0.0/ipcidr/16',
  '/ip4/172.16.0.0/ipcidr/12',
  '/ip4/192.0.0.0/ipcidr/24',
  '/ip4/192.0.2.0/ipcidr/24',
  '/ip4/192.168.0.0/ipcidr/16',
  '/ip4/198.18.0.0/ipcidr/15',
  '/ip4/198.51.100.0/ipcidr/24',
  '/ip4/203.0.113.0/ipcidr/24',
  '/ip4/240.0.0.0/ipcidr/4',
  '/ip6/100::/ipcidr/64',
  '/ip6/2001:2::/ipcidr/48',
  '/ip6/2001:db8::/ipcidr/32',
  '/ip6/fc00::/ipcidr/7',
  '/ip6/fe80::/ipcidr/10'
]

const LOOPBACK_ANY_PORT = '/ip4/127.0.0.1/tcp/0'

/** The named sets of changes that `init` and `config/profile/apply` know (Kubo 0.28, config/profile.go). */
export const profiles: ReadonlyMap<string, Profile> = new Map([
  profile('server', 'No discovery in the local network, no dialling of private addresses: for machines with public addresses.', config => ({
    'Addresses.NoAnnounce': union(strings(config, 'Addresses', 'NoAnnounce'), unroutedRanges),
    'Swarm.AddrFilters': union(strings(config, 'Swarm', 'AddrFilters'), unroutedRanges),
    'Discovery.MDNS.Enabled': false,
    'Swarm.DisableNatPortMap': true
  })),
  profile('local-discovery', 'Takes back what server changed, and looks for peers in the local network.', config => ({
    'Addresses.NoAnnounce': without(strings(config, 'Addresses', 'NoAnnounce'), unroutedRanges),
    'Swarm.AddrFilters': without(strings(config, 'Swarm', 'AddrFilters'), unroutedRanges),
    'Discovery.MDNS.Enabled': true,
    'Swarm.DisableNatPortMap': false
  })),
  profile('test', 'Loopback only, free ports, no peers to begin with: for tests.', () => ({
    'Addresses.API': LOOPBACK_ANY_PORT,
    'Addresses.Gateway': LOOPBACK_ANY_PORT,
    'Addresses.Swarm': [LOOPBACK_ANY_PORT],
    'Swarm.DisableNatPortMap': true,
    'Routing.LoopbackAddressesOnLanDHT': true,
    Bootstrap: [],
    'Discovery.MDNS.Enabled': false
  })),
  profile('default-networking', 'Default addresses and bootstrap peers; takes back what test changed.', config => ({
    Addresses: defaultAddresses,
    Bootstrap: union(strings(config, 'Bootstrap'), bootstrapPeers),
    'Swarm.DisableNatPortMap': false,
    'Discovery.MDNS.Enabled': true
  })),
  profile('default-datastore', 'The default way of storing.', () => ({ 'Datastore.Spec': flatfsSpec }), true),
  profile('flatfs', 'Blocks as files.', () => ({ 'Datastore.Spec': flatfsSpec }), true),
  profile('badgerds', 'Blocks in a badger database.', () => ({ 'Datastore.Spec': badgerSpec }), true),
  profile('lowpower', 'Less work in the background: few connections, no providing, no service to others.', () => ({
    'Routing.Type': 'autoclient',
    'AutoNAT.ServiceMode': 'disabled',
    'Reprovider.Interval': '0s',
    'Swarm.ConnMgr': { Type: 'basic', LowWater: 20, HighWater: 40, GracePeriod: '1m0s' }
  })),
  profile('randomports', 'A free port, chosen now, for the swarm.', async () => {
    const port = await freePort()
    return { 'Addresses.Swarm': [`/ip4/0.0.0.0/tcp/${port}`, `/ip6/::/tcp/${port}`] }
  })
])

function profile(name: string, about: string, changes: Profile['changes'], initOnly = false): [string, Profile] {
  return [name, { about, initOnly, changes }]
}

function strings(config: JsonObject, ...path: readonly string[]): string[] {
  let value: Json | undefined = config
  for (const key of path) value = isObject(value) ? memberOf(value, key) : undefined
  return Array.isArray(value) ? [...(value as string[])] : []
}

const union = (have: readonly string[], add: readonly string[]) => [...new Set([...have, ...add])]
const without = (have: readonly string[], drop: readonly string[]) => [...new Set(have)].filter(one => !drop.includes(one))

/** A TCP port that is free on all interfaces at this moment. */
function freePort(): Promise<number> {
  return new Promise((resolve, reject) => {
    const server = createServer()
    server.once('error', reject)
    server.listen({ port: 0, exclusive: true }, () => {
      const address = server.address()
      server.close(() => (typeof address === 'object' && address !== null ? resolve(address.port) : reject(new Error('no port was given'))))
    })
  })
}
