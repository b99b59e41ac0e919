import { writeCar } from '../../../core/car/writer.ts'
import { cidToString } from '../../../core/cid/parse.ts'
import { pathOfLink } from '../../../core/dag/model.ts'
import { goQuote } from '../../../core/go/quote.ts'
import { BlockSources, Blocks, bytes, command, Dag, Host, hasCode, messageOf, optional, PathResolver, p } from '../../../core/index.ts'
import type { Failed } from '../../../core/services/content/dag.ts'
import { dagCommandErrors } from '../errors.ts'
import { blockOptions } from '../options.ts'

export const exportCar = command.read('dag/export', {
  help: 'Write a graph as a CAR, its blocks depth first, each once.',
  examples: [
    { title: 'Write a folder with all in it to a file', args: 'dag export QmSzRMS2BPitVfYqHBvDhe5QLrUzdRoFHDEyr3BYmK7ysc > site.car' },
    { title: 'Write what is here of it', args: 'dag export --local-only QmSzRMS2BPitVfYqHBvDhe5QLrUzdRoFHDEyr3BYmK7ysc > part.car' }
  ],
  needs: { blocks: Blocks, dag: Dag, paths: PathResolver, sources: optional(BlockSources), host: Host },
  args: { root: p.contentPath('Root of the graph.').fromBody() },
  options: {
    progress: p.bool('Show how much was written; for terminals.').alias('p'),
    localOnly: p.bool('Leave out blocks that are not stored locally, and what hangs below them alone. The root has to be there.')
  },
  reply: bytes(),
  async run({ blocks, dag, paths, sources, host }, call) {
    const { localOnly = false, offline } = call.options
    if (localOnly && offline === false) throw dagCommandErrors.E_EXPORT_LOCAL()
    const how = { ...blockOptions(call), ...(localOnly && { offline: true }) }
    const { cid: root } = await paths.resolve(call.args.root, how)
    await blocks.get(root, { ...how, asked: true })
    const onFailure = async (error: unknown, at: Failed) => {
      if (at.steps.length === 0 || call.signal.aborted) return error
      const link = cidToString(at.cid)
      const why =
        messageOf(error) +
        (hasCode(error, 'E_BLOCK_NOT_FOUND') ? advice(how.offline === true, sources !== undefined && sources.size > 0) : '')
      return dagCommandErrors.E_EXPORT_LINK(goQuote(await pathTo(at, dag)), link, why)
    }
    const visits = dag.walk(root, { ...how, onFailure, ...(localOnly && { skips: isAbsent }) })
    return { ...(host.level === '0.42' && { type: 'application/vnd.ipld.car' }), bytes: writeCar([root], visits) }
  }
})

const isAbsent = (error: unknown): boolean => hasCode(error, 'E_BLOCK_NOT_FOUND')

/** The advice for a block that is not here (Kubo 0.28, core/commands/dag/export.go). */
function advice(isAskedOffline: boolean, isOnline: boolean): string {
  if (isAskedOffline) return ' (currently offline, perhaps retry without the offline flag)'
  return isOnline ? '' : ' (currently offline, perhaps retry after attaching to the network)'
}

/** The data-model path from the root to the block. */
async function pathTo({ steps }: Failed, dag: Pick<Dag, 'load'>): Promise<string> {
  const keys: string[] = []
  for (const { cid, index } of steps) keys.push(...pathOfLink(await dag.load(cid, { offline: true }), index))
  return keys.join('/')
}
