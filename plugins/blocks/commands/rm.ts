import type { CID } from 'multiformats/cid'
import { z } from 'zod'
import { blockOptions } from '../../../core/blocks/options.ts'
import { cidToString } from '../../../core/cid/parse.ts'
import { Blocks, blockErrors, command, optional, PathResolver, Pins, p, stream } from '../../../core/index.ts'
import { whyKept } from '../pinned.ts'

export const rm = command({
  path: 'block/rm',
  access: 'write',
  help: 'Remove blocks from the local store.',
  examples: [
    {
      title: 'Remove a block, whether it is there or not',
      args: 'block rm --force bafkreidgvpkjawlxz6sffxzwgooowe5yt7i6wsyg236mfoks77nywkptdq'
    }
  ],
  needs: { blocks: Blocks, paths: PathResolver, pins: optional(Pins) },
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
  async *run({ blocks, paths, pins }, call) {
    const { force, quiet } = call.options
    const how = blockOptions(call)
    const cids: CID[] = []
    let failure: { error: unknown } | undefined
    try {
      for (const path of call.args.cid) cids.push((await paths.resolve(path, how)).cid)
    } catch (error) {
      // What was named before still goes, and is answered before the error.
      failure = { error }
    }
    // All at once, as to know what is pinned indirectly means to walk what pins reach.
    const kept = await whyKept(pins, cids, how)
    await pins?.forgetProgress()
    for (const cid of cids) {
      const Hash = cidToString(cid)
      const why = kept(Hash)
      if (why !== undefined) yield { Hash, Error: why }
      else if (!(await blocks.delete(cid, how)) && !force) yield { Hash, Error: blockErrors.E_BLOCK_MISSING(Hash).message }
      else if (!quiet) yield { Hash }
    }
    if (failure !== undefined) throw failure.error
  }
})
