import { z } from 'zod'
import { cidToString, parseCid } from '../../../core/cid/parse.ts'
import { command, PathResolver, p, value } from '../../../core/index.ts'
import { blockOptions, textEncoder } from '../options.ts'

export const resolve = command.read('dag/resolve', {
  help: 'Find the last block of a path, and what is left of the path inside it.',
  examples: [{ title: 'Find the object behind a path', args: 'dag resolve /ipfs/QmSzRMS2BPitVfYqHBvDhe5QLrUzdRoFHDEyr3BYmK7ysc/about' }],
  needs: { paths: PathResolver },
  args: { ref: p.contentPath('The path.').fromBody() },
  reply: value(z.object({ Cid: z.object({ '/': z.string() }), RemPath: z.string() })),
  xml: 'ResolveOutput',
  text: ({ Cid, RemPath }, call) => textEncoder(call)(parseCid(Cid['/'])) + RemPath,
  async run({ paths }, call) {
    const { cid, remainder } = await paths.resolve(call.args.ref, blockOptions(call))
    return { Cid: { '/': cidToString(cid) }, RemPath: remainder }
  }
})
