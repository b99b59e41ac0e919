/**
 * Messages to all peers that listen to a topic, by gossipsub or floodsub.
 *
 * @packageDocumentation
 */
import { Log, Metrics, Network, Pubsub, plugin, Repo, service } from '../../core/index.ts'
import { gossipsubErrors } from './errors.ts'
import { pubsubPlan } from './plan.ts'
import { GossipsubService } from './service.ts'
import { GossipsubSettings, gossipsubSettings } from './settings.ts'

export default plugin({
  name: 'gossipsub',
  api: '^1',
  about: 'Messages to all peers that listen to a topic, by gossipsub or floodsub.',
  nodeKeys: { atStart: ['Pubsub', 'Ipns.UsePubsub'] },
  flags: { enablePubsubExperiment: { enabled: true }, enableNamesysPubsub: { enabled: true } },
  settings: gossipsubSettings,
  provides: [
    service(Pubsub, {
      needs: { network: Network, repo: Repo, settings: GossipsubSettings, metrics: Metrics, log: Log },
      onlyWith: [Network],
      make({ network, repo, settings, metrics, log }) {
        const plan = pubsubPlan(key => repo.get(key), settings.enabled)
        const dropped = metrics.counter({
          name: 'dropped_messages_total',
          help: 'Messages that were not handed on, by what was wrong.',
          labels: ['reason']
        })
        const slowPeers = metrics.counter({ name: 'slow_peers_total', help: 'Peers that were left as they did not read.' })
        return new GossipsubService({ network, plan, settings, counters: { dropped, slowPeers }, log })
      }
    })
  ],
  errors: gossipsubErrors
})
