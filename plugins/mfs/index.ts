/**
 * The mutable tree: directories and files under paths, over blocks that never change. See `tree/tree.ts` for what is in memory, `journal.ts`
 * for what is kept, `file/writer.ts` for how files change; one verb each in `verbs`.
 *
 * @packageDocumentation
 */
import {
  Blocks,
  Blockstore,
  Collector,
  Dag,
  Datastore,
  Host,
  Log,
  Mfs,
  MfsTrees,
  optional,
  PathResolver,
  plugin,
  Repo,
  RepoLocation,
  service,
  UnixFs,
  WriteBarrier
} from '../../core/index.ts'
import { shardingKeys } from '../../core/unixfs/sharding.ts'
import { chcid } from './commands/chcid.ts'
import { chmod } from './commands/chmod.ts'
import { cp } from './commands/cp.ts'
import { flush } from './commands/flush.ts'
import { ls } from './commands/ls.ts'
import { mkdir } from './commands/mkdir.ts'
import { mv } from './commands/mv.ts'
import { read } from './commands/read.ts'
import { rm } from './commands/rm.ts'
import { stat } from './commands/stat.ts'
import { touch } from './commands/touch.ts'
import { write } from './commands/write.ts'
import { mfsErrors } from './errors.ts'
import { MfsSettings, mfsSettings } from './settings.ts'
import { MfsStore } from './store.ts'
import { TreeStore } from './trees.ts'

const needs = {
  blocks: Blocks,
  blockstore: Blockstore,
  datastore: Datastore,
  dag: Dag,
  unixfs: UnixFs,
  paths: PathResolver,
  barrier: WriteBarrier,
  collector: optional(Collector),
  repo: optional(Repo),
  location: optional(RepoLocation),
  host: Host,
  settings: MfsSettings,
  log: Log
}

export default plugin({
  name: 'mfs',
  api: '^1',
  about: 'The mutable tree: directories and files under paths, kept although nothing pins them.',
  nodeKeys: { atStart: shardingKeys },
  settings: mfsSettings,
  provides: [
    service(Mfs, { needs, make: parts => new MfsStore(parts) }),
    service(MfsTrees, { needs, make: parts => new TreeStore(parts) })
  ],
  commands: [chcid, chmod, cp, flush, ls, mkdir, mv, read, rm, stat, touch, write],
  errors: mfsErrors
})
