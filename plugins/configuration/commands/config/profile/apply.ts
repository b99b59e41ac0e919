import { z } from 'zod'
import { command, type NodeConfig, NodeConfigModel, p, Repo, value } from '../../../../../core/index.ts'
import { changeConfig } from '../../../change.ts'
import { differences } from '../../../differences.ts'
import { ConfigurationSettings } from '../../../settings.ts'

const shown = z.record(z.string(), z.unknown())

export const apply = command.admin('config/profile/apply', {
  help: 'Apply a profile, a named set of changes, to the node configuration. The file as it was stays beside it, as config-pre-….',
  examples: [
    { title: 'Show what the profile for machines with public addresses would change', args: 'config profile apply --dry-run server' }
  ],
  needs: { repo: Repo, model: NodeConfigModel, settings: ConfigurationSettings },
  args: { profile: p.name('The profile: server, local-discovery, test, default-networking, lowpower, randomports, …') },
  options: { dryRun: p.bool('Change nothing, only show what would change.').default(false) },
  reply: value(
    z.object({
      OldCfg: shown.describe('The typed configuration before, without secrets.'),
      NewCfg: shown.describe('The same after.')
    })
  ),
  xml: 'ConfigUpdateOutput',
  text: ({ OldCfg, NewCfg }) => [...differences(OldCfg, NewCfg)].join(''),
  async run(services, { args: { profile }, options: { dryRun } }) {
    const { repo, model } = services
    let before: NodeConfig = {}
    let after: NodeConfig = {}
    const apply = async (file: NodeConfig) => {
      before = model.typed(file)
      after = await model.applyProfile(profile, before)
      return model.merge(file, after)
    }
    if (dryRun) await apply(repo.config())
    else await changeConfig(services, apply, { backup: `config-pre-${profile}` })
    return { OldCfg: model.shown(before), NewCfg: model.shown(after) }
  }
})
