import { z } from 'zod'
import { cidToString } from '../../../core/cid/parse.ts'
import { SeenCids } from '../../../core/dag/walk/seen-cids.ts'
import { formatFloat32 } from '../../../core/go/number.ts'
import { command, Dag, PathResolver, p, prefixed, stream } from '../../../core/index.ts'
import { dagCommandErrors } from '../errors.ts'
import { blockOptions } from '../options.ts'

const uint64 = z.int().meta({ go: 'uint64' }).optional()

const countSchema = z.object({ Cid: z.string(), Size: uint64, NumBlocks: z.int().meta({ go: 'int64' }).optional() })

const summarySchema = z
  .object({
    UniqueBlocks: z.int().optional(),
    TotalSize: uint64,
    SharedSize: uint64,
    Ratio: z.number().meta({ go: 'float32' }).optional(),
    DagStats: z.array(countSchema).meta({ xml: 'DagStatsArray' }).optional()
  })
  .meta({ string: (value: unknown) => totals(value as Summary) })

type Summary = z.output<typeof summarySchema>

/** The counts of one root. */
interface Count {
  readonly cid: string
  size: number
  blocks: number
}

export const stat = command.read('dag/stat', {
  help: 'Count the blocks and bytes of graphs, and what they share.',
  examples: [{ title: 'Count what a folder is made of', args: 'dag stat --progress=false QmSzRMS2BPitVfYqHBvDhe5QLrUzdRoFHDEyr3BYmK7ysc' }],
  needs: { dag: Dag, paths: PathResolver },
  args: { root: p.contentPath('Root of a graph.').many().fromBody({ firstLine: true }) },
  options: { progress: p.bool('Report each block as it is visited.').alias('p').default(true) },
  reply: stream(summarySchema),
  xml: 'DagStatSummary',
  text: table,
  // a person wants the last of the tables
  terminal: summary => (summary.UniqueBlocks === undefined ? '' : table(summary)),
  progress: {
    of: ({ TotalSize, UniqueBlocks }) => (UniqueBlocks === undefined ? { done: TotalSize ?? 0, unit: 'bytes', only: true } : undefined)
  },
  async *run({ dag, paths }, call) {
    const all = new SeenCids()
    const counts: Count[] = []
    let total = 0
    for (const root of call.args.root) {
      const { cid, remainder } = await paths.resolve(root, blockOptions(call))
      if (remainder !== '') throw dagCommandErrors.E_STAT_REMAINDER()
      const count: Count = { cid: cidToString(cid), size: 0, blocks: 0 }
      try {
        for await (const { cid: visited, bytes } of dag.walk(cid, blockOptions(call))) {
          if (count.blocks === 0) counts.push(count)
          count.size += bytes.length
          count.blocks++
          if (all.add(visited)) total += bytes.length
          if (call.options.progress) yield { TotalSize: present(total), DagStats: counts.map(counted) }
        }
      } catch (error) {
        throw count.blocks === 0 ? error : prefixed('error traversing DAG: ', error)
      }
    }
    yield summary(all.size, total, counts)
  }
})

function summary(unique: number, total: number, counts: readonly Count[]): Summary {
  const sum = counts.reduce((size, count) => size + count.size, 0)
  return {
    UniqueBlocks: present(unique),
    TotalSize: present(total),
    SharedSize: present(sum - total),
    Ratio: total === 0 ? undefined : Number(formatFloat32(Math.fround(sum) / Math.fround(total))),
    DagStats: counts.map(counted)
  }
}

function counted({ cid, size, blocks }: Count): { Cid: string; Size: number | undefined; NumBlocks: number | undefined } {
  return { Cid: cid, Size: present(size), NumBlocks: present(blocks) }
}

/** Zero is not sent. */
function present(count: number): number | undefined {
  return count === 0 ? undefined : count
}

function table(summary: Summary): string {
  const { DagStats = [] } = summary
  const width = DagStats[0]?.Cid.length ?? 0
  const rows = [
    ['CID'.padEnd(width), 'Blocks'.padEnd(15), 'Size'],
    ...DagStats.map(({ Cid, NumBlocks = 0, Size = 0 }) => [Cid, String(NumBlocks).padEnd(15), String(Size)])
  ]
  const lines = rows.map(row => `${row.join('\t')}\n`).join('')
  return `\n${lines}\nSummary\n${totals(summary)}\n\n\n`
}

function totals({ UniqueBlocks = 0, TotalSize = 0, SharedSize = 0, Ratio = 0 }: Summary): string {
  const ratio = Ratio.toFixed(6)
  return `Total Size: ${TotalSize}\nUnique Blocks: ${UniqueBlocks}\nShared Size: ${SharedSize}\nRatio: ${ratio}`
}
