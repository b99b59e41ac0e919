/**
 * Pins: what this node keeps. Each is a key of its own; see `store/record.ts` for the form and `store/store.ts` for what a change
 * does. What nothing keeps is removed by the collector; see `collection/collector.ts`.
 *
 * @packageDocumentation
 */
import {
  BlockSources,
  Blocks,
  Blockstore,
  Collector,
  Dag,
  Datastore,
  Host,
  Log,
  Metrics,
  optional,
  Pins,
  plugin,
  References,
  Repo,
  RepoLocation,
  service,
  WriteBarrier
} from '../../core/index.ts'
import { GarbageCollector } from './collection/collector.ts'
import { add } from './commands/add.ts'
import { gc } from './commands/gc.ts'
import { ls } from './commands/ls.ts'
import { rm } from './commands/rm.ts'
import { update } from './commands/update.ts'
import { verify } from './commands/verify.ts'
import { pinErrors } from './errors.ts'
import { PinSettings, pinSettings } from './settings.ts'
import { PinStore } from './store/store.ts'

export default plugin({
  name: 'pins',
  api: '^1',
  about: 'Pins, direct and recursive, which this node keeps; and the collection of what it does not.',
  nodeKeys: { atStart: ['Datastore.StorageMax', 'Datastore.StorageGCWatermark', 'Datastore.GCPeriod'] },
  settings: pinSettings,
  flags: { enableGc: { collect: 'periodic' } },
  provides: [
    service(Pins, {
      needs: {
        datastore: Datastore,
        blockstore: Blockstore,
        blocks: Blocks,
        dag: Dag,
        barrier: WriteBarrier,
        sources: optional(BlockSources)
      },
      make: s => new PinStore(s.datastore, s.blockstore, s.blocks, s.dag, s.barrier, s.sources)
    }),
    service(Collector, {
      needs: {
        blocks: Blocks,
        blockstore: Blockstore,
        dag: Dag,
        pins: Pins,
        barrier: WriteBarrier,
        datastore: Datastore,
        repo: optional(Repo),
        location: optional(RepoLocation),
        host: Host,
        references: optional(References),
        settings: PinSettings,
        log: Log,
        metrics: Metrics
      },
      make: s => new GarbageCollector(s)
    })
  ],
  commands: [add, gc, ls, rm, update, verify],
  errors: pinErrors
})
