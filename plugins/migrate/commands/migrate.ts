import { join, resolve } from 'node:path'
import { command, messageOf, p, stream } from '../../../core/index.ts'
import { repoFiles } from '../../../core/repo/index.ts'
import { migrateErrors } from '../errors.ts'
import { translated } from '../kubo/config.ts'
import { readKuboRepo } from '../kubo/repo.ts'
import { complete, moving } from '../needs.ts'
import { itemSchema, text } from '../report.ts'

export const migrate = command.admin('migrate', {
  local: true,
  blocks: 'stores',
  help: 'Take over a repo of Kubo that does not run: blocks, pins, the mutable tree, keys, names and the configuration. The repo stays as it is. Or the way back.',
  examples: [
    { title: 'Move over from Kubo, whose repo stays as it is', args: 'migrate ~/.ipfs' },
    { title: 'Make a repo for Kubo of the one here', args: 'migrate --to-kubo ~/for-kubo' }
  ],
  needs: moving,
  args: { from: p.file("Folder of Kubo's repo.").optional() },
  options: {
    toKubo: p.file('Make a repo for Kubo in this folder, of all that is here.'),
    skipDamaged: p.bool('Leave damaged blocks behind, in place of ending there.').default(false)
  },
  reply: stream(itemSchema),
  progress: {
    of: ({ Step, Done = 0 }) => (Step === undefined ? undefined : { done: Done, unit: Step, of: Step, only: true })
  },
  text,
  async newRepo({ args: { from }, options: { toKubo }, signal }, { path, model }) {
    if (toKubo !== undefined && from === undefined) throw migrateErrors.E_MIGRATE_NO_REPO(path)
    const kubo = await readKuboRepo(which(from, toKubo), signal)
    const { config } = translated(kubo.config, model)
    try {
      model.typed(config)
    } catch (error) {
      throw migrateErrors.E_KUBO_FILE(join(kubo.path, repoFiles.config), messageOf(error))
    }
    return { mustBeNew: true, config }
  },
  onlyReads: ({ args: { from }, options: { toKubo } }) => toKubo !== undefined && from === undefined,
  async *run(services, { args: { from }, options: { toKubo, skipDamaged }, signal }) {
    const parts = complete(services)
    if (toKubo !== undefined && from === undefined) {
      const { handOver } = await import('../hand/hand.ts')
      yield* handOver(parts, resolve(toKubo), { skipDamaged, signal })
      return
    }
    const kubo = await readKuboRepo(which(from, toKubo), signal)
    const { takeOver } = await import('../take/take.ts')
    yield* takeOver(kubo, parts, { skipDamaged, signal })
  }
})

/** @throws E_MIGRATE_WHICH unless exactly one of the two is said */
function which(from: string | undefined, toKubo: string | undefined): string {
  if (from === undefined || toKubo !== undefined) throw migrateErrors.E_MIGRATE_WHICH()
  return resolve(from)
}
