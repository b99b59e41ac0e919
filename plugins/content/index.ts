/**
 * Content: files and folders in and out, and the links between objects.
 *
 * @packageDocumentation
 */
import { Blocks, Dag, Host, optional, plugin, ReadAhead, Repo, service, UnixFs } from '../../core/index.ts'
import { shardingKeys } from '../../core/unixfs/sharding.ts'
import { add } from './commands/add.ts'
import { cat } from './commands/cat.ts'
import { get } from './commands/get.ts'
import { ls } from './commands/ls.ts'
import { refsLocal } from './commands/refs/local.ts'
import { refs } from './commands/refs.ts'
import { resolve } from './commands/resolve.ts'
import { contentErrors } from './errors.ts'
import { importKeys } from './newer-add-options.ts'
import { ContentSettings, contentSettings } from './settings.ts'
import { UnixFsEngine } from './unixfs.ts'

export default plugin({
  name: 'content',
  api: '^1',
  about: 'Files and folders, and the links between objects.',
  nodeKeys: {
    atOnce: [...shardingKeys, 'Experimental.FilestoreEnabled', 'Experimental.UrlstoreEnabled', ...importKeys]
  },
  settings: contentSettings,
  provides: [
    service(UnixFs, {
      needs: { blocks: Blocks, dag: Dag, budget: optional(ReadAhead), repo: optional(Repo), settings: ContentSettings, host: Host },
      make: s => new UnixFsEngine(s)
    })
  ],
  commands: [add, cat, get, ls, refs, refsLocal, resolve],
  errors: contentErrors
})
