/**
 * Blocks by CID: the local store, then the exchange where there is one; and the commands that work on single blocks.
 *
 * @packageDocumentation
 */
import { ReadAheadBudget } from '../../core/blocks/read-ahead.ts'
import { HeldInputs } from '../../core/body/held.ts'
import {
  BlockSources,
  Blocks,
  Blockstore,
  Denylist,
  Exchange,
  optional,
  plugin,
  ReadAhead,
  References,
  Repo,
  service,
  WriteBarrier
} from '../../core/index.ts'
import { Barrier } from './barrier.ts'
import { BlockService } from './block-service.ts'
import { get } from './commands/get.ts'
import { put } from './commands/put.ts'
import { rm } from './commands/rm.ts'
import { stat } from './commands/stat.ts'
import { blockCommandErrors } from './errors.ts'
import { BlockInputs } from './inputs.ts'
import { lease } from './lease.ts'
import { BlockSettings, blockSettings } from './settings.ts'
import { SourceList, SourcesOfNode } from './sources.ts'

export default plugin({
  name: 'blocks',
  api: '^1',
  about: 'Single blocks: the local store, then other peers.',
  nodeKeys: { atStart: ['Datastore.HashOnRead'] },
  settings: blockSettings,
  provides: [
    service(WriteBarrier, Barrier),
    service(ReadAhead, { needs: { settings: BlockSettings }, make: s => new ReadAheadBudget(s.settings.readAhead) }),
    service(BlockSources, { needs: { sources: SourcesOfNode }, make: ({ sources }) => sources }),
    service(Blocks, {
      needs: {
        store: Blockstore,
        sources: SourcesOfNode,
        references: optional(References),
        denylist: optional(Denylist),
        repo: optional(Repo),
        barrier: WriteBarrier,
        settings: BlockSettings
      },
      make: s => new BlockService(s)
    })
  ],
  internal: [
    service(SourcesOfNode, {
      needs: { exchange: optional(Exchange) },
      make({ exchange }) {
        const sources = new SourceList()
        if (exchange !== undefined) sources.add(exchange)
        return sources
      }
    }),
    service(BlockInputs, {
      needs: { settings: BlockSettings },
      make: s => new HeldInputs(s.settings.maxInputs, 'plugins.blocks.maxInputs')
    })
  ],
  commands: [get, put, rm, stat],
  around: [lease],
  errors: blockCommandErrors
})
