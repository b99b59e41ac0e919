import { z } from 'zod'
import { blockOptions } from '../../../core/blocks/options.ts'
import { cidEncoder } from '../../../core/cid/encoder.ts'
import { command, Mfs, value } from '../../../core/index.ts'
import { treePath } from './common.ts'

export const flush = command.write('files/flush', {
  help: 'Keep what was changed with flush=false, and tell the CID of a path.',
  examples: [{ title: 'Keep all changes so far', args: 'files flush' }],
  needs: { mfs: Mfs },
  args: { path: treePath('A path of the tree.').default('/') },
  reply: value(z.object({ Cid: z.string() })),
  xml: 'flushRes',
  terminal: ({ Cid }) => `${Cid}\n`,
  async run({ mfs }, call) {
    const encode = cidEncoder(call.options)
    return { Cid: encode(await mfs.flush(call.args.path, blockOptions(call))) }
  }
})
