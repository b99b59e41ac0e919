/**
 * What this node tells others that it has: new content at once, all of it from time to time, and the records of its names.
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
import { stats } from './commands/stats.ts'
import { provideErrors } from './errors.ts'
import { provideNew } from './new-content.ts'
import { NodeProvider } from './provider.ts'
import { ProvideQueue } from './queue.ts'
import { ProvideSettings, provideSettings } from './settings.ts'
import { toProvide } from './strategy.ts'

export default plugin({
  name: 'provide',
  api: '^1',
  about: 'Tells others what this node has: new content at once, and all of it from time to time.',
  nodeKeys: { atStart: ['Reprovider', 'Experimental.StrategicProviding'] },
  settings: provideSettings,
  provides: [
    service(Provider, {
      needs: {
        repo: Repo,
        routing: Routing,
        datastore: Datastore,
        blockstore: Blockstore,
        pins: optional(Pins),
        mfs: optional(Mfs),
        dag: optional(Dag),
        names: optional(Names),
        settings: ProvideSettings,
        log: Log
      },
      onlyWith: [Network, Routing],
      make({ repo, routing, datastore, blockstore, pins, mfs, dag, names, settings, log }) {
        const plan = reproviderPlan(key => repo.get(key))
        const parts = { blockstore, pins, tree: treeOf(mfs, dag) }
        return new NodeProvider({
          routing,
          names,
          datastore,
          queue: new ProvideQueue(datastore, settings.maxQueued),
          plan,
          settings,
          log,
          toProvide: signal => toProvide(plan.strategy, parts, signal)
        })
      }
    })
  ],
  commands: [stats],
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
