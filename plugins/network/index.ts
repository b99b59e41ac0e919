/**
 * The node among its peers: one libp2p with its transports, filters and limits, and who it stays connected with.
 *
 * @packageDocumentation
 */
import { AddressFilters, Host, Log, Network, NetworkTraffic, plugin, Repo, service } from '../../core/index.ts'
import { build } from './build.ts'
import { networkPluginErrors } from './errors.ts'
import { ConfiguredFilters } from './filters.ts'
import { Libp2pNetwork } from './network.ts'
import { NetworkSettings, networkSettings } from './settings.ts'
import { OwnFilters, OwnTraffic } from './tokens.ts'
import { StreamTraffic } from './traffic.ts'

export default plugin({
  name: 'network',
  api: '^1',
  about: 'The node among its peers: connections and streams by libp2p.',
  offByDefault: true,
  online: true,
  settings: networkSettings,
  internal: [
    service(OwnFilters, { needs: { repo: Repo }, make: ({ repo }) => new ConfiguredFilters(repo) }),
    service(OwnTraffic, {
      needs: { repo: Repo },
      make: ({ repo }) => new StreamTraffic(repo.get<boolean | null>('Swarm.DisableBandwidthMetrics') !== true)
    })
  ],
  provides: [
    service(AddressFilters, { needs: { own: OwnFilters }, make: ({ own }) => own }),
    service(NetworkTraffic, { needs: { own: OwnTraffic }, make: ({ own }) => own }),
    service(Network, {
      needs: { repo: Repo, host: Host, filters: OwnFilters, traffic: OwnTraffic, settings: NetworkSettings, log: Log },
      make({ repo, host, filters, traffic, settings, log }) {
        const agent = `holdfast/${host.version}${settings.agentSuffix === undefined ? '' : `/${settings.agentSuffix}`}`
        const parts = { repo, agent, filters, traffic, settings, log }
        return new Libp2pNetwork({ self: repo.identity.peerId, agent, settings, log, build: () => build(parts) })
      }
    })
  ],
  errors: networkPluginErrors
})
