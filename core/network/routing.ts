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

const REPROVIDER_STRATEGIES = ['all', 'flat', 'pinned', 'roots', 'mfs'] as const
export type ReproviderStrategy = (typeof REPROVIDER_STRATEGIES)[number]

/** When all is told again, and what of it. */
export interface ReproviderPlan {
  readonly strategy: ReproviderStrategy
  /** Milliseconds between two passes; 0: never. */
  readonly interval: number
  /** The key that says that nothing is told to anybody: `Experimental.StrategicProviding` or `Provide.Enabled`; undefined for none. */
  readonly off: string | undefined
}

const DEFAULT_INTERVAL = '22h'

/** @throws E_REPROVIDER_STRATEGY, E_REPROVIDER_INTERVAL */
export function reproviderPlan(get: Read): ReproviderPlan {
  const strategy = String(get('Reprovider.Strategy') || 'all')
  if (!(REPROVIDER_STRATEGIES as readonly string[]).includes(strategy)) throw routingErrors.E_REPROVIDER_STRATEGY(strategy)
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
    strategy: strategy as ReproviderStrategy,
    interval: Number(interval / 1_000_000n),
    off: offBy(get)
  }
}

function offBy(get: Read): string | undefined {
  if (get('Experimental.StrategicProviding') === true) return 'Experimental.StrategicProviding'
  return get('Provide.Enabled') === false ? 'Provide.Enabled' : undefined
}
