/**
 * Records of names over pubsub: published to a topic of each name, and learned of as others publish them.
 *
 * @packageDocumentation
 */
import { Log, Metrics, NameSubscriptions, Names, Network, Pubsub, plugin, Repo, service } from '../../core/index.ts'
import { namePubsubErrors } from './errors.ts'
import { NamePubsub } from './service.ts'
import { NamePubsubSettings, namePubsubSettings } from './settings.ts'

export default plugin({
  name: 'name-pubsub',
  api: '^1',
  status: 'experimental',
  about: 'Names over pubsub: their records are sent to who has asked for them before, as soon as they are published.',
  nodeKeys: { atStart: ['Ipns.UsePubsub'] },
  flags: { enableNamesysPubsub: { enabled: true } },
  settings: namePubsubSettings,
  provides: [
    service(NameSubscriptions, {
      needs: { network: Network, pubsub: Pubsub, names: Names, repo: Repo, settings: NamePubsubSettings, metrics: Metrics, log: Log },
      onlyWith: [Network, Pubsub],
      make({ network, pubsub, names, repo, settings, metrics, log }) {
        const wanted = settings.enabled ?? repo.get('Ipns.UsePubsub') === true
        if (wanted && !pubsub.enabled) log.warn('names do not travel over pubsub: plugins.gossipsub.enabled is false')
        const refused = metrics.counter({
          name: 'refused_records_total',
          help: 'Records of names that peers sent and that were not taken, by what was wrong.',
          labels: ['reason']
        })
        return new NamePubsub({ network, pubsub, names, settings, enabled: wanted && pubsub.enabled, refused, log })
      }
    })
  ],
  errors: namePubsubErrors
})
