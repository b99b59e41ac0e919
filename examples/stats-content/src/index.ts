/**
 * `stats/content`: what a graph is made of, by codec and depth.
 *
 * ```yaml
 * plugins: { stats-content: on }
 * ```
 *
 * @packageDocumentation
 */
import { command, Dag, defineErrors, PathResolver, p, plugin, stream } from 'holdfast'
import { z } from 'zod'

const errors = defineErrors({
  E_STATS_REMAINDER: {
    wire: 'client',
    message: (path: string, inside: string) => `stats/content: ${path} leads into a block (${inside}): name the block itself`
  }
})

/** Blocks of one codec, so many links below the root. */
const row = z.object({ Codec: z.string(), Depth: z.int(), Blocks: z.int(), Bytes: z.int() })
/** How far the walk is. */
const progress = z.object({ Visited: z.int(), Bytes: z.int() })

type Row = z.output<typeof row>

/** Blocks between two items of progress. */
const EVERY = 256

const statsContent = command.read('stats/content', {
  help: 'Count blocks and bytes under a CID, by codec and depth.',
  needs: { dag: Dag, paths: PathResolver },
  args: { root: p.contentPath('Where to start.') },
  options: {
    maxDepth: p.uint('Links to follow from the root at most.').alias('d'),
    progress: p.bool('Say now and then how far it is.').alias('p')
  },
  reply: stream(z.union([row, progress])),
  text: item =>
    'Codec' in item
      ? `${item.Depth}\t${item.Codec}\t${item.Blocks} blocks\t${item.Bytes} bytes\n`
      : `${item.Visited} blocks, ${item.Bytes} bytes so far\n`,
  progress: {
    asks: () => ({ progress: true }),
    of: item => ('Visited' in item ? { done: item.Visited, unit: 'blocks', only: true } : undefined)
  },
  async *run({ dag, paths }, { args, options, signal }) {
    const offline = options.offline === true
    const { cid: root, remainder } = await paths.resolve(args.root, { signal, offline })
    if (remainder !== '') throw errors.E_STATS_REMAINDER(args.root, remainder)
    const names = new Map(dag.codecs().map(({ code, name }) => [code, name]))
    const rows = new Map<string, Row>()
    let Visited = 0
    let Bytes = 0
    for await (const { cid, bytes, depth } of dag.walk(root, { signal, offline, maxDepth: options.maxDepth })) {
      const Codec = names.get(cid.code) ?? `0x${cid.code.toString(16)}`
      const key = `${depth} ${Codec}`
      const counted = rows.get(key) ?? { Codec, Depth: depth, Blocks: 0, Bytes: 0 }
      rows.set(key, counted)
      counted.Blocks++
      counted.Bytes += bytes.length
      Bytes += bytes.length
      if (++Visited % EVERY === 0 && options.progress) yield { Visited, Bytes }
    }
    yield* [...rows.values()].sort((a, b) => a.Depth - b.Depth || (a.Codec < b.Codec ? -1 : 1))
  }
})

export default plugin({
  name: 'stats-content',
  api: '^1',
  about: 'Counts blocks and bytes under a CID, by codec and depth.',
  commands: [statsContent],
  errors
})
