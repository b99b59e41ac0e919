/**
 * Pins at other machines: services that speak the IPFS Pinning Service API, named in `Pinning.RemoteServices` of the node configuration.
 *
 * @packageDocumentation
 */
import { Blocks, Host, Log, Mfs, Network, NodeConfigModel, optional, plugin, Repo, service } from '../../core/index.ts'
import { add } from './commands/add.ts'
import { ls } from './commands/ls.ts'
import { rm } from './commands/rm.ts'
import { serviceAdd } from './commands/service/add.ts'
import { serviceLs } from './commands/service/ls.ts'
import { serviceRm } from './commands/service/rm.ts'
import { remotePinErrors } from './errors.ts'
import { ProviderHints, ProviderHintsToken } from './hints.ts'
import { MfsPolicies, MfsPoliciesToken } from './mfs-policy.ts'
import { pollInterval } from './poll-interval.ts'
import { RemoteServices, RemoteServicesToken } from './services.ts'
import { RemotePinSettings, remotePinSettings } from './settings.ts'

export default plugin({
  name: 'remote-pins',
  api: '^1',
  about: 'Pins at other machines: services that keep content for this node.',
  nodeKeys: { atOnce: ['Pinning.RemoteServices'] },
  settings: remotePinSettings,
  internal: [
    service(RemoteServicesToken, {
      needs: { repo: Repo, model: NodeConfigModel, host: Host, settings: RemotePinSettings },
      make: parts => new RemoteServices(parts)
    }),
    service(ProviderHintsToken, {
      needs: { network: optional(Network), blocks: Blocks, settings: RemotePinSettings, log: Log },
      make: parts => new ProviderHints(parts)
    }),
    service(MfsPoliciesToken, {
      needs: { services: RemoteServicesToken, mfs: Mfs, repo: Repo, hints: ProviderHintsToken, settings: RemotePinSettings, log: Log },
      onlyWith: [Mfs],
      make: ({ settings, ...parts }) => new MfsPolicies({ ...parts, every: pollInterval(settings.policyInterval, process.env) })
    })
  ],
  commands: [add, ls, rm, serviceAdd, serviceLs, serviceRm],
  errors: remotePinErrors
})
