import type { CID } from 'multiformats/cid'
import { z } from 'zod'
import { blockOptions } from '../../../core/blocks/options.ts'
import { cidToString } from '../../../core/cid/parse.ts'
import { Blocks, blockErrors, command, Dag, Datastore, optional, PathResolver, Pins, p, stream, WriteBarrier } from '../../../core/index.ts'
import { removeUnpinned } from '../removal.ts'

export const rm = command.write('block/rm', {
  blocks: 'removes',
  help: 'Remove blocks from the local store.',
  examples: [
    {
      title: 'Remove a block, whether it is there or not',
      args: 'block rm --force bafkreidgvpkjawlxz6sffxzwgooowe5yt7i6wsyg236mfoks77nywkptdq'
    }
  ],
  needs: {
    blocks: Blocks,
    paths: PathResolver,
    barrier: WriteBarrier,
    pins: optional(Pins),
    datastore: optional(Datastore),
    dag: optional(Dag)
  },
  args: { cid: p.contentPath('CIDs or paths of blocks.').many() },
  options: {
    force: p.bool('Do not complain about blocks that are not there.').alias('f').default(false),
    quiet: p.bool('Say nothing of what was removed.').alias('q').default(false)
  },
  reply: stream(z.object({ Hash: z.string().optional(), Error: z.string().optional() })),
  xml: 'removedBlock',
  terminal: ({ Hash }) => `removed ${Hash}\n`,
  failure: {
    of: ({ Hash, Error: why }) => (why === undefined ? undefined : `cannot remove ${Hash}: ${why}`),
    message: 'some blocks not removed'
  },
  async *run({ paths, ...parts }, call) {
    const { force, quiet } = call.options
    const how = blockOptions(call)
    const cids: CID[] = []
    let failure: { error: unknown } | undefined
    try {
      for (const path of call.args.cid) cids.push((await paths.resolve(path, { ...how, removal: true })).cid)
    } catch (error) {
      // What was named before still goes, and is answered before the error.
      failure = { error }
    }
    for await (const removed of removeUnpinned(cids, parts, how)) {
      const Hash = cidToString(removed.cid)
      if ('why' in removed) yield { Hash, Error: removed.why }
      else if (!removed.wasThere && !force) yield { Hash, Error: blockErrors.E_BLOCK_MISSING(Hash).message }
      else if (!quiet) yield { Hash }
    }
    if (failure !== undefined) throw failure.error
  }
})
