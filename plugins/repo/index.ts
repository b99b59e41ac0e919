import { NodeConfigModel, plugin, Repo, RepoLocation, service } from '../../core/index.ts'
import { repoErrors } from './errors.ts'
import { NodeRepo } from './node-repo.ts'

export default plugin({
  name: 'repo',
  api: '^1',
  about: 'The repo folder: its lock, its version, and the node configuration.',
  requires: [RepoLocation, NodeConfigModel],
  provides: [service(Repo, NodeRepo)],
  errors: repoErrors
})
