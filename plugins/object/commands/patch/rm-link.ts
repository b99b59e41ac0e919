import { command } from '../../../../core/index.ts'
import { REMOVAL } from '../../base.ts'
import { patchArgs, patched, patching } from '../../patching.ts'
import { allowBigBlock, allowNonUnixfs } from '../../replies.ts'

export const removeLink = command.write('object/patch/rm-link', {
  ...patching,
  help: 'Make an object that lacks the links of a name.',
  examples: [{ title: 'Take a file out of a folder', args: 'object patch rm-link QmSzRMS2BPitVfYqHBvDhe5QLrUzdRoFHDEyr3BYmK7ysc about' }],
  args: patchArgs,
  options: { allowBigBlock, allowNonUnixfs },
  levels: { '0.28': { options: { allowBigBlock } } },
  run: (services, call) => patched(services, call, REMOVAL, (patch, root) => patch.removeLink(root, call.args.name))
})
