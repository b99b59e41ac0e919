import { blockOptions } from '../../../core/blocks/options.ts'
import { command, Mfs, nothing, p } from '../../../core/index.ts'
import { namingOf, namingOptions } from '../naming.ts'
import { checkPath } from '../paths.ts'
import { flushOption, treePath } from './common.ts'

export const mkdir = command.write('files/mkdir', {
  help: 'Make a directory in the mutable tree.',
  examples: [{ title: 'Make a directory and those above it', args: 'files mkdir -p /site/images' }],
  needs: { mfs: Mfs },
  args: { path: treePath('Where to make it.') },
  options: {
    parents: p.bool('Make the directories above it too; no error where it is there.').alias('p'),
    ...namingOptions,
    flush: flushOption
  },
  reply: nothing(),
  async run({ mfs }, call) {
    const { parents, flush } = call.options
    const path = checkPath(call.args.path)
    await mfs.mkdir(path, { ...blockOptions(call), parents, flush, naming: namingOf(call.options) })
  }
})
