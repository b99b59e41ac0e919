import type { Repo } from '../../../core/index.ts'
import { networkPluginErrors } from '../errors.ts'
import { countOf, saidInSwarm } from './checked.ts'
import { type RelayLimits, relayLimitsOf } from './relay.ts'

/** Places of the security protocols where the configuration says nothing; lower is preferred (Kubo 0.28, core/node/libp2p/sec.go). */
const SECURITY = { Noise: 100, TLS: 200 } as const

export type SecurityName = keyof typeof SECURITY

/** The section of the node configuration about the network, read once. */
export interface NetworkConfig {
  readonly listen: readonly string[]
  readonly announce: readonly string[]
  readonly appendAnnounce: readonly string[]
  readonly noAnnounce: readonly string[]
  readonly tcp: boolean
  readonly websocket: boolean
  readonly quic: boolean
  /** Whether peers are dialled over relays. */
  readonly relay: boolean
  /** Whether this node asks relays for a place, under which others reach it. */
  readonly relayClient: boolean
  /** Whether the node may be a relay for others. */
  readonly relayService: boolean
  readonly relayLimits: RelayLimits
  /** Streams of one peer that ask at a time whether it can be dialled; undefined: AutoNAT is off. */
  readonly autoNat: number | undefined
  /** Relays that are asked for a place, by their addresses. */
  readonly relays: readonly string[]
  /** Whether any relay that the node meets is asked for a place, where none is named. */
  readonly anyRelay: boolean
  readonly security: readonly SecurityName[]
}

/** @throws E_NO_SECURITY, E_NO_TRANSPORT, E_KEY_NEEDS, E_PEER_OF_CONFIG, E_MUXER_PREFERENCE, E_REUSEPORT */
export function networkConfig(repo: Repo, environment: NodeJS.ProcessEnv): NetworkConfig {
  if (environment['LIBP2P_MUX_PREFS'] !== undefined) throw networkPluginErrors.E_MUXER_PREFERENCE()
  if (environment['IPFS_REUSEPORT'] !== undefined) throw networkPluginErrors.E_REUSEPORT()
  const list = (key: string) => repo.get<readonly string[] | null>(key) ?? []
  const on = (key: string, otherwise: boolean) => repo.get<boolean | null>(key) ?? otherwise
  const [tcp, websocket, quic] = ['TCP', 'Websocket', 'QUIC'].map(name => on(`Swarm.Transports.Network.${name}`, true)) as [
    boolean,
    boolean,
    boolean
  ]
  if (!tcp && !websocket && !quic) throw networkPluginErrors.E_NO_TRANSPORT()
  const relay = on('Swarm.Transports.Network.Relay', true)
  const relayClient = relay && on('Swarm.RelayClient.Enabled', true)
  if (!relay) {
    for (const name of ['RelayService', 'RelayClient'])
      if (saidInSwarm(repo, name, 'Enabled') === true)
        throw networkPluginErrors.E_KEY_NEEDS(`Swarm.${name}.Enabled`, 'Swarm.Transports.Network.Relay')
  }
  if (!relayClient && saidInSwarm(repo, 'EnableHolePunching') === true)
    throw networkPluginErrors.E_KEY_NEEDS('Swarm.EnableHolePunching', 'Swarm.RelayClient.Enabled')
  return {
    listen: list('Addresses.Swarm'),
    announce: list('Addresses.Announce'),
    appendAnnounce: list('Addresses.AppendAnnounce'),
    noAnnounce: list('Addresses.NoAnnounce'),
    tcp,
    websocket,
    quic,
    relay,
    relayClient,
    relayService: relay && on('Swarm.RelayService.Enabled', true),
    relayLimits: relayLimitsOf(repo),
    autoNat: repo.get<string | null>('AutoNAT.ServiceMode') === 'disabled' ? undefined : (countOf(repo, 'AutoNAT.Throttle.PeerLimit') ?? 3),
    relays: list('Swarm.RelayClient.StaticRelays'),
    anyRelay: relayClient && saidInSwarm(repo, 'RelayClient', 'Enabled') === true,
    security: securityOf(repo)
  }
}

/** The security protocols that are on, the preferred first. Only what the file itself says of their places counts. */
function securityOf(repo: Repo): SecurityName[] {
  const place = (name: SecurityName) => {
    const said = saidInSwarm(repo, 'Transports', 'Security', name)
    return typeof said === 'number' ? said : SECURITY[name]
  }
  const on = (Object.keys(SECURITY) as SecurityName[]).filter(name => repo.get(`Swarm.Transports.Security.${name}`) !== false)
  if (on.length === 0) throw networkPluginErrors.E_NO_SECURITY()
  return on.sort((a, b) => place(a) - place(b))
}
