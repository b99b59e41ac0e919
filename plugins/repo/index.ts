import { Log, NodeConfigModel, plugin, Repo, RepoLocation, StorageLayers, service } from '../../core/index.ts'
import { ls } from './commands/ls.ts'
import { stat } from './commands/stat.ts'
import { statsRepo } from './commands/stats/repo.ts'
import { verify } from './commands/verify.ts'
import { version } from './commands/version.ts'
import { repoErrors } from './errors.ts'
import { NodeRepo } from './node-repo.ts'

export default plugin({
  name: 'repo',
  api: '^1',
  about: 'The repo folder: its lock, version and size, the node configuration, and whether the blocks are whole.',
  nodeKeys: { atOnce: ['Datastore.StorageMax'], atStart: ['Identity'] },
  provides: [
    service(Repo, {
      needs: { location: RepoLocation, model: NodeConfigModel, layers: StorageLayers, log: Log },
      make: s => new NodeRepo(s.location, s.model, s.layers, s.log)
    })
  ],
  commands: [ls, stat, verify, version, statsRepo],
  errors: repoErrors
})
