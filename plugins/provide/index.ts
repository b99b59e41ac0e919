/**
 * The announcements of this node's content: new content at once, all of it from time to time, and the records of its names.
 *
 * It is a plugin of its own, as it looks at pins and trees, which stand on blocks, which are fetched from peers that routing finds.
 *
 * @packageDocumentation
 */
import {
  Blockstore,
  type CID,
  Dag,
  Datastore,
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
import { provideNew } from './new-content.ts'
import { NodeProvider } from './provider.ts'
import { ProvideQueue, Queue } from './queue.ts'
import { ProvideSettings, provideSettings } from './settings.ts'
import { toProvide } from './strategy.ts'

export default plugin({
  name: 'provide',
  api: '^1',
  about: 'Tells others what this node has: new content at once, and all of it from time to time.',
  nodeKeys: { atStart: ['Reprovider', 'Provide.Enabled', 'Provide.DHT.Interval', 'Experimental.StrategicProviding'] },
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
        pins: optional(Pins),
        mfs: optional(Mfs),
        dag: optional(Dag),
        names: optional(Names),
        settings: ProvideSettings,
        log: Log
      },
      onlyWith: [Network, Routing],
      make({ repo, routing, datastore, queue, blockstore, pins, mfs, dag, names, settings, log }) {
        const plan = reproviderPlan(key => repo.get(key))
        const parts = { blockstore, pins, tree: treeOf(mfs, dag) }
        return new NodeProvider({
          routing,
          names,
          datastore,
          queue,
          plan,
          settings,
          log,
          toProvide: signal => toProvide(plan.strategy, parts, signal)
        })
      }
    })
  ],
  commands: [clear, once, reprovide, stat, stats, statsReprovide],
  around: [provideNew],
  errors: provideErrors
})

/** All that the mutable tree links to, as far as it is stored here. */
function treeOf(mfs: Mfs | undefined, dag: Dag | undefined): ((signal: AbortSignal) => AsyncIterable<CID>) | undefined {
  if (mfs === undefined || dag === undefined) return undefined
  return async function* (signal) {
    const { cid: root } = await mfs.stat('/', { signal })
    for await (const { cid } of dag.walk(root, { signal, offline: true })) yield cid
  }
}
