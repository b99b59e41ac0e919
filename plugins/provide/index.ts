/**
 * The announcements of this node's content: new content at once, all of it from time to time, and the records of its names.
 *
 * It is a plugin of its own, as it looks at pins and trees, which stand on blocks, which are fetched from peers that routing finds.
 *
 * @packageDocumentation
 */
import {
  Blocks,
  Blockstore,
  Dag,
  Datastore,
  Dhts,
  Log,
  Mfs,
  Names,
  Network,
  optional,
  Pins,
  Provider,
  plugin,
  Repo,
  Routing,
  service
} from '../../core/index.ts'
import { reproviderPlan } from '../../core/network/index.ts'
import { clear } from './commands/clear.ts'
import { once } from './commands/once.ts'
import { reprovide } from './commands/reprovide.ts'
import { stat, statsReprovide } from './commands/stat.ts'
import { stats } from './commands/stats.ts'
import { provideErrors } from './errors.ts'
import { ProvideKeys } from './keys.ts'
import { provideNew } from './new-content.ts'
import { NodeProvider } from './provider.ts'
import { ProvideQueue, Queue } from './queue.ts'
import { ProvideSettings, provideSettings } from './settings.ts'
import { toProvide, treeOf } from './strategy.ts'
import { Sweep } from './sweep.ts'

export default plugin({
  name: 'provide',
  api: '^1',
  about: 'Tells others what this node has: new content at once, and all of it from time to time.',
  nodeKeys: {
    atStart: [
      'Reprovider',
      'Provide.Enabled',
      'Provide.Strategy',
      'Provide.DHT.Interval',
      'Provide.DHT.KeystoreBatchSize',
      'Provide.DHT.MaxProvideConnsPerWorker',
      'Provide.DHT.MaxWorkers',
      'Provide.DHT.ResumeEnabled',
      'Provide.DHT.SweepEnabled',
      'Experimental.StrategicProviding'
    ]
  },
  settings: provideSettings,
  internal: [
    service(Queue, {
      needs: { datastore: Datastore, settings: ProvideSettings },
      make: ({ datastore, settings }) => new ProvideQueue(datastore, settings.maxQueued)
    })
  ],
  provides: [
    service(Provider, {
      needs: {
        repo: Repo,
        routing: Routing,
        datastore: Datastore,
        queue: Queue,
        blockstore: Blockstore,
        blocks: Blocks,
        network: Network,
        dhts: optional(Dhts),
        pins: optional(Pins),
        mfs: optional(Mfs),
        dag: optional(Dag),
        names: optional(Names),
        settings: ProvideSettings,
        log: Log
      },
      onlyWith: [Network, Routing],
      make({ repo, routing, network, dhts, datastore, queue, blockstore, blocks, pins, mfs, dag, names, settings, log }) {
        const plan = reproviderPlan(key => repo.get(key))
        const parts = { blockstore, pins, tree: mfs && dag && treeOf(mfs, dag, blocks) }
        const provided = (signal: AbortSignal) => toProvide(plan.strategy, parts, signal)
        const keys = new ProvideKeys(datastore)
        const sweep = () => {
          const dht = plan.isSwept ? dhts?.soleWay : undefined
          if (dht === undefined) return undefined
          const onPeer = (listener: () => void) => routing.onPeer(listener)
          return new Sweep({ dht, self: network.self, datastore, keys, plan, settings, log, toProvide: provided, onPeer })
        }
        return new NodeProvider({
          routing,
          names,
          datastore,
          queue,
          plan,
          settings,
          log,
          toProvide: provided,
          sweep
        })
      }
    })
  ],
  commands: [clear, once, reprovide, stat, stats, statsReprovide],
  around: [provideNew],
  errors: provideErrors
})
