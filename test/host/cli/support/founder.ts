/** A plugin whose command makes the repo that it works on. */
import { z } from 'zod'
import { command, p, plugin, Repo, value } from '../../../../core/index.ts'

const found = command.admin('found', {
  local: true,
  help: 'Make a repo, and say where.',
  needs: { repo: Repo },
  options: { fail: p.bool('Make none.') },
  reply: value(z.object({ New: z.boolean(), Max: z.string() })),
  async newRepo({ options }, { path, model }) {
    if (options.fail) throw new Error(`not in ${path}`)
    return { config: { Datastore: { StorageMax: model.bootstrapPeers.length > 0 ? '3GB' : '' } } }
  },
  run: ({ repo }) => ({ New: repo.isNew, Max: String(repo.get('Datastore.StorageMax')) })
})

export default plugin({ name: 'founder', api: '^1', about: 'Makes a repo.', commands: [found] })
