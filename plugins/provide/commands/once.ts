import { z } from 'zod'
import { cidToString, parseCid } from '../../../core/cid/index.ts'
import { Blocks, type CID, command, Dag, messageOf, Network, optional, Provider, p, stream } from '../../../core/index.ts'
import { onlineForCommand } from '../../../core/network/index.ts'
import { provideErrors } from '../errors.ts'

/** CIDs that are put into the queue at a time. */
const AT_ONCE = 64

export const once = command.write('provide/once', {
  status: 'newer',
  blocks: 'neither',
  help: 'Have other nodes told that this one has a block, as soon as their turn comes.',
  examples: [{ title: 'Tell of a folder and of all in it', args: 'provide once -r QmSzRMS2BPitVfYqHBvDhe5QLrUzdRoFHDEyr3BYmK7ysc' }],
  needs: { provider: optional(Provider), network: optional(Network), blocks: Blocks, dag: Dag },
  args: { cid: p.string('CIDs of blocks that are stored here.').many().fromBody() },
  options: { recursive: p.bool('Also all that they link to.').alias('r') },
  reply: stream(z.object({ Queued: z.string().describe('A CID that stands in the queue.') })),
  text: ({ Queued }) => `${Queued}\n`,
  async *run({ provider, network, blocks, dag }, { args, options, signal }) {
    const online = onlineForCommand(network)
    const way = onlineForCommand(provider)
    if (way.off !== undefined) throw provideErrors.E_PROVIDE_OFF(way.off)
    if (online.connections().length === 0) throw provideErrors.E_PROVIDE_LONELY()
    for (const text of args.cid) {
      const root = parsed(text)
      if (!(await blocks.has(root, { signal }))) throw provideErrors.E_PROVIDE_ABSENT(cidToString(root))
      const all = options.recursive === true ? reached(dag, root, signal) : [root]
      for await (const some of batches(all)) {
        // what is told once joins no sweep
        await way.provide(some, { again: false })
        for (const cid of some) yield { Queued: cidToString(cid) }
      }
    }
  }
})

/** @throws E_PROVIDE_CID */
function parsed(text: string): CID {
  try {
    return parseCid(text)
  } catch (error) {
    throw provideErrors.E_PROVIDE_CID(text, messageOf(error))
  }
}

async function* reached(dag: Dag, root: CID, signal: AbortSignal): AsyncGenerator<CID> {
  for await (const { cid } of dag.walk(root, { signal })) yield cid
}

async function* batches(cids: AsyncIterable<CID> | Iterable<CID>): AsyncGenerator<readonly CID[]> {
  let batch: CID[] = []
  for await (const cid of cids) {
    batch.push(cid)
    if (batch.length < AT_ONCE) continue
    yield batch
    batch = []
  }
  if (batch.length > 0) yield batch
}
