import { type Json, type NodeConfig, type Repo } from '../../core/index.ts'
import { networkPluginErrors } from './errors.ts'

/** Places of the security protocols where the configuration says nothing; lower is preferred (Kubo 0.28, core/node/libp2p/sec.go). */
const SECURITY = { Noise: 100, TLS: 200 } as const

export type SecurityName = keyof typeof SECURITY

/** What the node configuration says about the network, read once. */
export interface NetworkConfig {
  readonly listen: readonly string[]
  readonly announce: readonly string[]
  readonly appendAnnounce: readonly string[]
  readonly noAnnounce: readonly string[]
  readonly tcp: boolean
  readonly websocket: boolean
  readonly relayClient: boolean
  readonly security: readonly SecurityName[]
}

/** @throws E_NO_SECURITY, E_NO_TRANSPORT, E_MUXER_PREFERENCE */
export function networkConfig(repo: Repo, environment: NodeJS.ProcessEnv): NetworkConfig {
  if (environment['LIBP2P_MUX_PREFS'] !== undefined) throw networkPluginErrors.E_MUXER_PREFERENCE()
  const list = (key: string) => repo.get<readonly string[] | null>(key) ?? []
  const on = (key: string, otherwise: boolean) => repo.get<boolean | null>(key) ?? otherwise
  const [tcp, websocket] = [on('Swarm.Transports.Network.TCP', true), on('Swarm.Transports.Network.Websocket', true)]
  if (!tcp && !websocket) throw networkPluginErrors.E_NO_TRANSPORT()
  return {
    listen: list('Addresses.Swarm'),
    announce: list('Addresses.Announce'),
    appendAnnounce: list('Addresses.AppendAnnounce'),
    noAnnounce: list('Addresses.NoAnnounce'),
    tcp,
    websocket,
    relayClient: on('Swarm.Transports.Network.Relay', true) && on('Swarm.RelayClient.Enabled', true),
    security: securityOf(repo.config())
  }
}

/** The security protocols that are on, the preferred first. */
function securityOf(config: NodeConfig): SecurityName[] {
  const said = (['Swarm', 'Transports', 'Security'] as const).reduce<Json | undefined>(
    (at, key) => (at as Readonly<Record<string, Json>> | undefined | null)?.[key],
    config
  ) as Readonly<Record<string, Json>> | undefined
  const places = Object.entries(SECURITY).map(([name, otherwise]) => [name as SecurityName, said?.[name] ?? otherwise] as const)
  const on = places.filter(([, place]) => place !== false)
  if (on.length === 0) throw networkPluginErrors.E_NO_SECURITY()
  return on.sort(([a, x], [b, y]) => placed(x, a) - placed(y, b)).map(([name]) => name)
}

const placed = (place: Json, name: SecurityName) => (typeof place === 'number' ? place : SECURITY[name])
