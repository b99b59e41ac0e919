/**
 * The node among its peers: one libp2p with its transports, filters and limits, and who it stays connected with.
 *
 * @packageDocumentation
 */
import {
  AddressFilters,
  BandwidthMeter,
  Datastore,
  Host,
  Log,
  Metrics,
  Network,
  NetworkLimits,
  optional,
  Peering,
  plugin,
  Repo,
  service
} from '../../core/index.ts'
import { ConfiguredFilters } from './addresses/filters.ts'
import { StreamBandwidth } from './bandwidth.ts'
import { nodeKeys } from './config/node-keys.ts'
import { PeeringService } from './connections/peering.ts'
import { networkPluginErrors } from './errors.ts'
import { build } from './libp2p/build.ts'
import { ConfiguredLimits } from './limits/limits.ts'
import { measure } from './metrics.ts'
import { Libp2pNetwork } from './network.ts'
import { NetworkSettings, networkSettings } from './settings.ts'
import { LimitsOfNetwork, NetworkBandwidth, NetworkFilters } from './tokens.ts'

export default plugin({
  name: 'network',
  api: '^1',
  about: 'The node among its peers: connections and streams by libp2p.',
  nodeKeys,
  offByDefault: true,
  online: true,
  flags: { agentVersionSuffix: { agentSuffix: '' } },
  settings: networkSettings,
  internal: [
    service(NetworkFilters, { needs: { repo: Repo }, make: ({ repo }) => new ConfiguredFilters(repo) }),
    service(NetworkBandwidth, {
      needs: { repo: Repo },
      make: ({ repo }) => new StreamBandwidth(repo.get<boolean | null>('Swarm.DisableBandwidthMetrics') !== true)
    }),
    service(LimitsOfNetwork, { needs: { repo: Repo }, make: ({ repo }) => new ConfiguredLimits(repo, process.env) })
  ],
  provides: [
    service(AddressFilters, { needs: { filters: NetworkFilters }, make: ({ filters }) => filters }),
    service(NetworkLimits, { needs: { limits: LimitsOfNetwork }, make: ({ limits }) => limits }),
    service(BandwidthMeter, { needs: { bandwidth: NetworkBandwidth }, make: ({ bandwidth }) => bandwidth }),
    service(Network, {
      needs: {
        repo: Repo,
        host: Host,
        filters: NetworkFilters,
        limits: LimitsOfNetwork,
        bandwidth: NetworkBandwidth,
        datastore: optional(Datastore),
        settings: NetworkSettings,
        metrics: Metrics,
        log: Log
      },
      make({ host, metrics, ...parts }) {
        const { repo, settings, log } = parts
        const agent = `holdfast/${host.version}${settings.agentSuffix === undefined ? '' : `/${settings.agentSuffix}`}`
        const made: Libp2pNetwork = new Libp2pNetwork({
          self: repo.identity.peerId,
          publicKey: repo.identity.publicKey,
          agent,
          settings,
          log,
          build: network => build({ ...parts, datastore: parts.datastore, agent }, network)
        })
        measure(metrics, () => made, parts.bandwidth)
        return made
      }
    }),
    service(Peering, {
      needs: { network: Network, repo: Repo, settings: NetworkSettings, log: Log },
      make: ({ settings, ...parts }) => new PeeringService({ ...parts, delay: settings.peeringDelay })
    })
  ],
  errors: networkPluginErrors
})
