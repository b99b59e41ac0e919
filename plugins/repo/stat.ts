import { z } from 'zod'
import { fastBlocks } from '../../core/blocks/fast.ts'
import { formatBytes } from '../../core/go/bytes.ts'
import { Blockstore, Collector, type Command, command, Health, optional, p, Repo, value } from '../../core/index.ts'
import { OVER_STORAGE_MAX, repoSize, storageMax } from '../../core/repo/size.ts'

const uint64 = (about: string) => z.union([z.int(), z.bigint()]).meta({ go: 'uint64' }).describe(about)

const reply = z.object({
  RepoSize: uint64('Bytes that the repo takes.'),
  StorageMax: uint64('Bytes that the configuration lets it take.'),
  NumObjects: uint64('Blocks there are.'),
  RepoPath: z.string(),
  Version: z.string().describe("The version of the repo's layout: `fs-repo@15`."),
  Warning: z
    .string()
    .optional()
    .describe('What keeps the store from its work; and where the repo takes more than it may, and nothing sees to that.')
})

/** The command that tells how large the repo is, under one of its names. */
export function repoStat(path: string): Command {
  return command.read(path, {
    help: 'Show how large the repo is, how large it may be, and how many blocks it holds.',
    examples: [{ title: 'Show the sizes alone', args: `${path.replaceAll('/', ' ')} --size-only` }],
    needs: { repo: Repo, store: Blockstore, collector: optional(Collector), health: Health },
    options: {
      sizeOnly: p.bool('Only the sizes; the other members are empty.').alias('s').default(false),
      human: p.bool('Print sizes in kB, MB, GB.').alias('H').default(false)
    },
    reply: value(reply),
    xml: 'Stat',
    text(stat, { options: { human, sizeOnly } }) {
      const size = (bytes: number | bigint) => (human ? formatBytes(bytes) : String(bytes))
      const sizes = `RepoSize:   ${size(stat.RepoSize)}\nStorageMax: ${size(stat.StorageMax)}\n`
      const warning = stat.Warning === undefined ? '' : `Warning:    ${stat.Warning}\n`
      if (sizeOnly) return sizes + warning
      return `NumObjects: ${stat.NumObjects}\n${sizes}RepoPath:   ${stat.RepoPath}\nVersion:    ${stat.Version}\n${warning}`
    },
    async run({ repo, store, collector, health }, { options, signal }) {
      const sizes = { RepoSize: await repoSize(repo, store, signal), StorageMax: storageMax(repo) }
      const isOver = BigInt(sizes.RepoSize) > BigInt(sizes.StorageMax) && collector?.isPeriodic !== true
      const faults = health.present().map(({ about, reason }) => `${about}: ${reason}`)
      const warnings = isOver ? [...faults, OVER_STORAGE_MAX] : faults
      const warned = warnings.length > 0 && { Warning: warnings.join('; ') }
      if (options.sizeOnly) return { ...sizes, NumObjects: 0, RepoPath: '', Version: '', ...warned }
      const { blocks } = await fastBlocks(store).totals({ signal })
      return { ...sizes, NumObjects: blocks, RepoPath: repo.path ?? '', Version: `fs-repo@${repo.version}`, ...warned }
    }
  })
}
