/**
 * References: blocks whose bytes stay in files or behind URLs, as `add --nocopy` makes them. The node configuration switches them on
 * (`Experimental.FilestoreEnabled`, `Experimental.UrlstoreEnabled`); the settings say which folders and hosts may be referred to.
 *
 * ```yaml
 * plugins:
 *   filestore: { roots: [/srv/archive], hosts: [data.example.org] }
 * ```
 *
 * @packageDocumentation
 */
import { Datastore, plugin, References, Repo, service } from '../../core/index.ts'
import { dups } from './commands/dups.ts'
import { ls } from './commands/ls.ts'
import { verify } from './commands/verify.ts'
import { filestoreErrors } from './errors.ts'
import { FilestoreSettings, filestoreSettings } from './settings.ts'
import { ReferenceStore } from './store.ts'

export default plugin({
  name: 'filestore',
  api: '^1',
  about: 'Blocks whose bytes stay in files or behind URLs.',
  nodeKeys: { atStart: ['Experimental.FilestoreEnabled', 'Experimental.UrlstoreEnabled'] },
  settings: filestoreSettings,
  provides: [
    service(References, {
      needs: { datastore: Datastore, repo: Repo, settings: FilestoreSettings },
      make: s => new ReferenceStore(s.datastore, s.repo, s.settings)
    })
  ],
  commands: [dups, ls, verify],
  errors: filestoreErrors
})
