import { z } from 'zod'
import { goJsonIndented } from '../../../../core/go/json.ts'
import { command, NodeConfigModel, Repo, value } from '../../../../core/index.ts'

export const show = command({
  path: 'config/show',
  access: 'admin',
  help: 'Show the node configuration, without the secrets in it.',
  examples: [{ title: 'Show the node configuration', args: 'config show' }],
  needs: { repo: Repo, model: NodeConfigModel },
  reply: value(z.record(z.string(), z.unknown())),
  text: config => `${goJsonIndented(config)}\n`,
  run: ({ repo, model }) => model.shown(repo.config())
})
