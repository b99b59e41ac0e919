import { routingErrors } from '../errors/routing.ts'
import { messageOf } from '../errors.ts'
import { parseDuration } from '../go/duration.ts'
import type { Json } from '../services/storage/repo.ts'

/** How a way to route is put together, as `Routing.Routers` says it. */
export type RouterPlan =
  | { readonly type: 'dht'; readonly mode: DhtMode; readonly lan: boolean }
  | { readonly type: 'http'; readonly endpoint: string }
  | { readonly type: 'sequential' | 'parallel'; readonly members: readonly MemberPlan[]; readonly timeout: number | undefined }

/** A member of a composed way. Times in milliseconds. */
export interface MemberPlan {
  readonly router: string
  readonly timeout: number
  readonly ignoreErrors: boolean
  readonly executeAfter: number
}

/** `auto`: a server while other nodes can reach this one. */
export type DhtMode = 'client' | 'server' | 'auto'

export const ROUTING_METHODS = ['provide', 'find-peers', 'find-providers', 'get-ipns', 'put-ipns'] as const
export type RoutingMethod = (typeof ROUTING_METHODS)[number]

/** The section of the node configuration about routing. */
export interface RoutingPlan {
  /** undefined: no DHT. */
  readonly dht: DhtMode | undefined
  /** Endpoints that are asked for providers besides. */
  readonly http: readonly string[]
  /** `Routing.Type` is `custom`: the ways by name, and the name of the way that each method goes. */
  readonly custom?: { readonly routers: ReadonlyMap<string, RouterPlan>; readonly methods: Readonly<Record<RoutingMethod, string>> }
}

type Read = (key: string) => Json | undefined

/** The delegated router of the reference (Kubo 0.28, core/node/libp2p/routingopt.go). */
const DEFAULT_ENDPOINTS = 'https://cid.contact'

/** @throws E_ROUTING_TYPE, E_ROUTING_SUPERNODE, E_ROUTING_CUSTOM */
export function routingPlan(get: Read, environment: Readonly<Record<string, string | undefined>>): RoutingPlan {
  const type = get('Routing.Type') ?? 'auto'
  const http = (environment['IPFS_HTTP_ROUTERS'] ?? DEFAULT_ENDPOINTS).split(' ').filter(Boolean)
  for (const endpoint of http) checkEndpoint('IPFS_HTTP_ROUTERS', endpoint)
  switch (type) {
    case 'auto':
    case 'default':
    case '':
      return { dht: 'auto', http }
    case 'autoclient':
      return { dht: 'client', http }
    case 'dht':
      return { dht: 'auto', http: [] }
    case 'dhtclient':
      return { dht: 'client', http: [] }
    case 'dhtserver':
      return { dht: 'server', http: [] }
    case 'none':
      return { dht: undefined, http: [] }
    case 'custom':
      return customPlan(get)
    case 'supernode':
      throw routingErrors.E_ROUTING_SUPERNODE()
    default:
      throw routingErrors.E_ROUTING_TYPE(String(type))
  }
}

type Members = Readonly<Record<string, Json>>

function customPlan(get: Read): RoutingPlan {
  const said = (get('Routing.Routers') ?? {}) as Readonly<Record<string, { Type?: Json; Parameters?: Members | null }>>
  const routers = new Map<string, RouterPlan>()
  for (const [name, { Type, Parameters }] of Object.entries(said)) routers.set(name, routerPlan(name, String(Type ?? ''), Parameters ?? {}))
  for (const [name, plan] of routers) {
    if (!('members' in plan)) continue
    for (const { router } of plan.members) {
      if (!routers.has(router)) throw routingErrors.E_ROUTING_CUSTOM(`Routing.Routers.${name}`, `there is no router '${router}'`)
    }
    if (reaches(routers, name, name)) throw routingErrors.E_ROUTING_CUSTOM(`Routing.Routers.${name}`, 'it is a member of itself')
  }
  const methods = (get('Routing.Methods') ?? {}) as Readonly<Record<string, { RouterName?: Json }>>
  const chosen = Object.fromEntries(
    ROUTING_METHODS.map(method => {
      const name = methods[method]?.RouterName
      if (typeof name !== 'string') throw routingErrors.E_ROUTING_CUSTOM('Routing.Methods', `method name '${method}' is missing`)
      if (!routers.has(name)) throw routingErrors.E_ROUTING_CUSTOM(`Routing.Methods.${method}`, `there is no router '${name}'`)
      return [method, name]
    })
  ) as Record<RoutingMethod, string>
  const dht = [...routers.values()].find(plan => plan.type === 'dht')
  return { dht: dht?.type === 'dht' ? dht.mode : undefined, http: [], custom: { routers, methods: chosen } }
}

function reaches(routers: ReadonlyMap<string, RouterPlan>, from: string, to: string, seen = new Set<string>()): boolean {
  const plan = routers.get(from)
  if (plan === undefined || !('members' in plan) || seen.has(from)) return false
  seen.add(from)
  return plan.members.some(({ router }) => router === to || reaches(routers, router, to, seen))
}

function routerPlan(name: string, type: string, parameters: Members): RouterPlan {
  const where = `Routing.Routers.${name}`
  switch (type) {
    case 'http': {
      const endpoint = String(parameters['Endpoint'] ?? '')
      checkEndpoint(`${where}.Parameters.Endpoint`, endpoint)
      return { type, endpoint }
    }
    case 'dht': {
      const mode = parameters['Mode'] ?? 'auto'
      if (mode !== 'auto' && mode !== 'client' && mode !== 'server')
        throw routingErrors.E_ROUTING_CUSTOM(`${where}.Parameters.Mode`, `'${mode}' is none of auto, client, server`)
      return { type, mode, lan: parameters['PublicIPNetwork'] !== true }
    }
    case 'sequential':
    case 'parallel': {
      const members = (parameters['Routers'] ?? []) as readonly Members[]
      const time = (key: string, value: Json | undefined) => milliseconds(`${where}.Parameters.${key}`, value)
      return {
        type,
        timeout: time('Timeout', parameters['Timeout']),
        members: members.map(member => ({
          router: String(member['RouterName'] ?? ''),
          timeout: time('Routers.Timeout', member['Timeout']) ?? 60_000,
          ignoreErrors: member['IgnoreErrors'] === true,
          executeAfter: time('Routers.ExecuteAfter', member['ExecuteAfter']) ?? 0
        }))
      }
    }
    default:
      throw routingErrors.E_ROUTING_CUSTOM(`${where}.Type`, `'${type}' is none of http, dht, sequential, parallel`)
  }
}

function milliseconds(where: string, value: Json | undefined): number | undefined {
  if (value === undefined || value === null) return undefined
  try {
    return Number(parseDuration(String(value)) / 1_000_000n)
  } catch (error) {
    throw routingErrors.E_ROUTING_CUSTOM(where, messageOf(error))
  }
}

function checkEndpoint(where: string, endpoint: string): void {
  if (!URL.canParse(endpoint) || !/^https?:/.test(endpoint)) throw routingErrors.E_ROUTING_CUSTOM(where, `'${endpoint}' is no URL of HTTP`)
}

/** The parts of a strategy by which content is provided: what there is of it, and how what hangs together is reduced. */
export const PROVIDE_STRATEGIES = ['all', 'flat', 'pinned', 'roots', 'mfs', 'unique', 'entities'] as const
type StrategyPart = (typeof PROVIDE_STRATEGIES)[number]

/** What of its content a node tells others (Kubo 0.42, docs/config.md: Provide.Strategy). */
export interface ProvideStrategy {
  /** All blocks; false: the parts below. */
  readonly all: boolean
  /** Whether the roots of pins come before the other blocks. */
  readonly rootsFirst: boolean
  /** What pins keep, and what was pinned itself. */
  readonly pinned: boolean
  readonly roots: boolean
  /** The mutable tree. */
  readonly mfs: boolean
  /** Each once, though several graphs have it. */
  readonly unique: boolean
  /** Of a file its root alone, without its chunks. */
  readonly entities: boolean
}

/** @throws E_REPROVIDER_STRATEGY, E_PROVIDE_STRATEGY */
export function provideStrategy(key: string, text: string): ProvideStrategy {
  const parts = new Set<StrategyPart>()
  for (const part of (text === '' ? 'all' : text).split('+')) {
    if (part === '') throw routingErrors.E_PROVIDE_STRATEGY(key, text, 'a part of it is empty')
    if (!(PROVIDE_STRATEGIES as readonly string[]).includes(part)) throw routingErrors.E_REPROVIDER_STRATEGY(key, part)
    parts.add(part as StrategyPart)
  }
  const has = (...some: readonly StrategyPart[]) => some.some(part => parts.has(part))
  if (has('all', 'flat') && has('pinned', 'roots', 'mfs', 'unique', 'entities'))
    throw routingErrors.E_PROVIDE_STRATEGY(key, text, 'all provides every block, so that no other part goes with it')
  if (has('unique', 'entities') && !has('pinned', 'mfs'))
    throw routingErrors.E_PROVIDE_STRATEGY(key, text, 'unique and entities go with pinned, mfs, or both')
  if (has('unique', 'entities') && has('roots'))
    throw routingErrors.E_PROVIDE_STRATEGY(key, text, 'unique and entities do not go with roots, which are not followed')
  return {
    all: has('all', 'flat'),
    rootsFirst: has('all'),
    pinned: has('pinned'),
    roots: has('roots'),
    mfs: has('mfs'),
    unique: has('unique', 'entities'),
    entities: has('entities')
  }
}

/** When all is told again, what of it, and how. */
export interface ReproviderPlan {
  readonly strategy: ProvideStrategy
  /** The strategy as it is written. */
  readonly strategyText: string
  /** Milliseconds between two passes; 0: never. */
  readonly interval: number
  /** The key that says that nothing is told to anybody: `Experimental.StrategicProviding` or `Provide.Enabled`; undefined for none. */
  readonly off: string | undefined
  /** Whether it is told in the order of the keyspace (`Provide.DHT.SweepEnabled`), and a sweep goes on after a restart where it was. */
  readonly isSwept: boolean
  readonly isResumed: boolean
  /** Blocks that are provided at a time while they are new; undefined: as the plugin says. */
  readonly workers: number | undefined
  /** Keys that a sweep writes, reads and tells at a time, and servers that it tells at a time. */
  readonly keysAtOnce: number
  readonly serversAtOnce: number
}

const DEFAULT_INTERVAL = '22h'

/** Most keys that a sweep holds at a time: some 300 bytes each. */
export const MAX_KEYS_AT_ONCE = 65_536

/** @throws E_REPROVIDER_STRATEGY, E_PROVIDE_STRATEGY, E_REPROVIDER_INTERVAL */
export function reproviderPlan(get: Read): ReproviderPlan {
  const newerStrategy = get('Provide.Strategy') || undefined
  const strategyText = String(newerStrategy ?? (get('Reprovider.Strategy') || 'all'))
  const strategy = provideStrategy(newerStrategy === undefined ? 'Reprovider.Strategy' : 'Provide.Strategy', strategyText)
  const newer = get('Provide.DHT.Interval') || undefined
  const key = newer === undefined ? 'Reprovider.Interval' : 'Provide.DHT.Interval'
  const said = String(newer ?? get('Reprovider.Interval') ?? DEFAULT_INTERVAL)
  let interval: bigint
  try {
    interval = parseDuration(said)
  } catch (error) {
    throw routingErrors.E_REPROVIDER_INTERVAL(key, said, messageOf(error))
  }
  if (interval < 0n) throw routingErrors.E_REPROVIDER_INTERVAL(key, said, 'it is less than 0')
  return {
    strategy,
    strategyText,
    interval: Number(interval / 1_000_000n),
    off: offBy(get),
    isSwept: get('Provide.DHT.SweepEnabled') !== false,
    isResumed: get('Provide.DHT.ResumeEnabled') !== false,
    workers: countOf(get, 'Provide.DHT.MaxWorkers'),
    keysAtOnce: Math.min(countOf(get, 'Provide.DHT.KeystoreBatchSize') ?? 16_384, MAX_KEYS_AT_ONCE),
    serversAtOnce: countOf(get, 'Provide.DHT.MaxProvideConnsPerWorker') ?? 20
  }
}

/** A number that is set. @throws E_PROVIDE_COUNT */
function countOf(get: Read, key: string): number | undefined {
  const value = get(key) ?? undefined
  if (value === undefined) return undefined
  if (!(Number(value) >= 1)) throw routingErrors.E_PROVIDE_COUNT(key, String(value))
  return Number(value)
}

function offBy(get: Read): string | undefined {
  if (get('Experimental.StrategicProviding') === true) return 'Experimental.StrategicProviding'
  return get('Provide.Enabled') === false ? 'Provide.Enabled' : undefined
}
