import { parseBytes } from '../../core/go/bytes.ts'
import { parseDuration } from '../../core/go/duration.ts'
import { type Json, messageOf, type NodeConfig, type RefusedValue } from '../../core/index.ts'
import { parseAddressOfPeer, parsePeerAddress, parseRange, rangeOf } from '../../core/multiaddr/index.ts'
import { provideStrategy, routingPlan } from '../../core/network/routing.ts'
import { decode } from './decode.ts'
import { nodeConfigErrors } from './errors.ts'
import { valueAt } from './keys.ts'
import { shortJson } from './objects.ts'
import { nodeSchema } from './schema.ts'

/** What is wrong with a value that is set; nothing where it throws nothing. */
type Check = (value: Json, get: Read) => unknown

type Read = (key: string) => Json | undefined

interface Checked {
  readonly allowed: string
  readonly check: Check
}

const wrong = (why: string): never => {
  throw new Error(why)
}

const count: Checked = { allowed: 'an integer of 0 or more', check: value => Number(value) >= 0 || wrong('it is less than 0') }

const positive: Checked = { allowed: 'an integer of 1 or more', check: value => Number(value) >= 1 || wrong('it is less than 1') }

const duration = (least: bigint, why: string): Checked => ({
  allowed: 'a duration such as "1m30s" (units: ns, us, ms, s, m, h)',
  check: value => parseDuration(String(value)) >= least || wrong(why)
})
const time = duration(0n, 'it is less than 0')
const lifetime = duration(1n, 'it is not longer than nothing')

const oneOf = (...words: readonly string[]): Checked => ({
  allowed: words.map(word => JSON.stringify(word)).join(', '),
  check: value => words.includes(String(value)) || wrong('it is none of these')
})

const size: Checked = { allowed: 'a size such as "4GiB"', check: value => parseBytes(String(value)) }

const listOf = (allowed: string, read: (text: string) => unknown): Checked => ({
  allowed: `a list of ${allowed}`,
  async check(value) {
    for (const text of value as readonly string[]) {
      try {
        await read(text)
      } catch (error) {
        wrong(`${shortJson(text)}: ${messageOf(error)}`)
      }
    }
  }
})

const addresses = listOf('multiaddrs such as /ip4/192.0.2.1/tcp/4001', parsePeerAddress)
const ranges = listOf('ranges such as /ip4/10.0.0.0/ipcidr/8', parseRange)
const allowedPeers = listOf('ranges such as /ip4/10.0.0.0/ipcidr/8, and addresses, of a peer or of all', text => parseRange(rangeOf(text)))

/** By the rules of those who read these keys, of which the error names the key as well. */
const reader = (allowed: string, read: (get: Read) => unknown): Checked => ({ allowed, check: (_, get) => read(get) })

/** What a strategy may say, of the key that says it: another one may come before it. */
const strategy = (key: string): Checked => ({
  allowed: '"all", "flat", or "pinned", "roots" and "mfs" joined by "+", with "+unique" or "+entities" behind pinned or mfs',
  check: value => provideStrategy(key, String(value))
})

const off = (get: Read, ...keys: readonly string[]) => keys.every(key => get(key) === false)

/** Of several switches, one has to be on. */
const oneOn = (...keys: readonly string[]): Checked => ({
  allowed: `anything but false, or one of ${keys.join(', ')} that is not false`,
  check: (_, get) => !off(get, ...keys) || wrong(`${keys.join(', ')} are off, and peers are talked to by no other`)
})
const transports = ['TCP', 'Websocket', 'QUIC'].map(name => `Swarm.Transports.Network.${name}`)
const securities = ['TLS', 'Noise'].map(name => `Swarm.Transports.Security.${name}`)

/** A switch that works with others alone. */
const needs = (...keys: readonly string[]): Checked => ({
  allowed: `false, or ${keys.join(' and ')} not false`,
  check: (value, get) => value !== true || !keys.some(key => off(get, key)) || wrong(`it needs ${keys.join(' and ')}, which is false`)
})
const RELAY = 'Swarm.Transports.Network.Relay'

/** Keys whose values fit by their type, and keep what reads them from starting all the same. */
const KEYS: Readonly<Record<string, Checked>> = {
  'Addresses.Swarm': addresses,
  'Addresses.Announce': addresses,
  'Addresses.AppendAnnounce': addresses,
  'Addresses.NoAnnounce': listOf('multiaddrs, and ranges such as /ip4/10.0.0.0/ipcidr/8', text =>
    text.includes('/ipcidr/') ? parseRange(text) : parsePeerAddress(text)
  ),
  'AutoNAT.Throttle.PeerLimit': count,
  'Datastore.GCPeriod': time,
  'Experimental.ShardingEnabled': {
    allowed: 'false, or absent',
    check: value => value === false || wrong('directories are sharded by their size')
  },
  'Internal.BackupBootstrapInterval': time,
  'Internal.Libp2pForceReachability': oneOf('public', 'private'),
  'Ipns.DelegatedPublishers': listOf(
    'URLs of HTTP, or "auto"',
    text => text === 'auto' || /^https?:$/.test(new URL(text).protocol) || wrong('it is none')
  ),
  'Ipns.RecordLifetime': lifetime,
  // a shorter period than a minute is taken, as in the reference: a node that talks to nobody works with any
  'Ipns.RepublishPeriod': time,
  'Provide.DHT.Interval': time,
  'Provide.DHT.KeystoreBatchSize': positive,
  'Provide.DHT.MaxProvideConnsPerWorker': positive,
  'Provide.DHT.MaxWorkers': positive,
  'Provide.Strategy': strategy('Provide.Strategy'),
  'Pubsub.Router': oneOf('gossipsub', 'floodsub'),
  'Pubsub.SeenMessagesStrategy': oneOf('last-seen', 'first-seen'),
  'Pubsub.SeenMessagesTTL': lifetime,
  'Reprovider.Interval': time,
  'Reprovider.Strategy': strategy('Reprovider.Strategy'),
  'Routing.Type': reader('"auto", "autoclient", "dht", "dhtclient", "dhtserver", "none", "custom"', get => routingPlan(get, {})),
  'Swarm.AddrFilters': ranges,
  'Swarm.EnableHolePunching': needs(RELAY, 'Swarm.RelayClient.Enabled'),
  'Swarm.ConnMgr.GracePeriod': time,
  'Swarm.ConnMgr.HighWater': count,
  'Swarm.ConnMgr.LowWater': count,
  'Swarm.ConnMgr.Type': oneOf('basic', 'none'),
  'Swarm.RelayClient.Enabled': needs(RELAY),
  'Swarm.RelayClient.StaticRelays': listOf('multiaddrs that end in /p2p/ and a peer ID', parseAddressOfPeer),
  'Swarm.RelayService.ConnectionDataLimit': count,
  'Swarm.RelayService.ConnectionDurationLimit': time,
  'Swarm.RelayService.Enabled': needs(RELAY),
  'Swarm.RelayService.MaxReservations': count,
  'Swarm.RelayService.ReservationTTL': time,
  'Swarm.ResourceMgr.Allowlist': allowedPeers,
  'Swarm.ResourceMgr.MaxFileDescriptors': count,
  'Swarm.ResourceMgr.MaxMemory': size,
  ...Object.fromEntries(transports.map(key => [key, oneOn(...transports)])),
  ...Object.fromEntries(securities.map(key => [key, oneOn(...securities)]))
}

/** The values of a configuration with which something does not start, whatever plugins there are. Null and "" stand for the default; a value of a wrong type is told by others. */
export async function stopping(config: NodeConfig): Promise<readonly RefusedValue[]> {
  const found: RefusedValue[] = []
  const get = readerOf(config)
  for (const [key, { allowed, check }] of Object.entries(KEYS)) {
    const value = get(key) ?? null
    if (value === null || value === '') continue
    try {
      await check(value, get)
    } catch (error) {
      const text = `a node does not start where ${key} is ${shortJson(value)}: ${messageOf(error)}; allowed: ${allowed}`
      found.push(Object.assign(nodeConfigErrors.E_CONFIG_TYPE(text), { key, value, allowed }))
    }
  }
  return found
}

/** Values in their own form, those of a wrong type left out; under keys that the model does not know, as they stand. */
function readerOf(config: NodeConfig): Read {
  const misfits: string[] = []
  const decoded = decode(nodeSchema, config, ({ key }) => misfits.push(key))
  const forms = 'misfit' in decoded ? [config] : [decoded.typed, config]
  return key => {
    if (misfits.some(misfit => misfit === key || misfit.startsWith(`${key}[`) || key.startsWith(`${misfit}.`))) return undefined
    for (const form of forms) {
      try {
        return valueAt(form, key)
      } catch {}
    }
    return undefined
  }
}
