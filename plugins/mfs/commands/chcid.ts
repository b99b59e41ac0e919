import { blockOptions } from '../../../core/blocks/options.ts'
import { command, Mfs, nothing } from '../../../core/index.ts'
import { namingOf, namingOptions } from '../naming.ts'
import { flushOption, treePath } from './common.ts'

export const chcid = command.write('files/chcid', {
  help: 'Change the CID version or the hash function of a directory, and of what is made in it from now on.',
  examples: [{ title: 'Let the root have CIDs of version 1', args: 'files chcid --cid-version=1 /' }],
  needs: { mfs: Mfs },
  args: { path: treePath('A directory of the tree.').default('/') },
  options: { ...namingOptions, flush: flushOption },
  reply: nothing(),
  async run({ mfs }, call) {
    await mfs.rename(call.args.path, namingOf(call.options), { ...blockOptions(call), flush: call.options.flush })
  }
})
