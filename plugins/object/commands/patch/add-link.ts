import { command, p } from '../../../../core/index.ts'
import { ADDITION } from '../../base.ts'
import { loadBlock, storedOf } from '../../nodes.ts'
import { patchArgs, patched, patching } from '../../patching.ts'
import { allowBigBlock, allowNonUnixfs } from '../../replies.ts'

const options = { create: p.bool('Make folders for names on the way that are missing.').alias('p'), allowBigBlock }

export const addLink = command.write('object/patch/add-link', {
  ...patching,
  help: 'Make an object that has one more link, or another in its place.',
  examples: [
    {
      title: 'Put a folder into an empty one',
      args: 'object patch add-link QmUNLLsPACCz1vLxQVkXqqLX5R1X345qqfHbsf67hvA3Nn site QmSzRMS2BPitVfYqHBvDhe5QLrUzdRoFHDEyr3BYmK7ysc'
    }
  ],
  args: { ...patchArgs, ref: p.contentPath('The target of the link.') },
  options: { ...options, allowNonUnixfs },
  levels: { '0.28': { options } },
  run: (services, call) =>
    patched(services, call, ADDITION, async (patch, root, how) => {
      const { cid } = await services.paths.resolve(call.args.ref, how)
      return patch.addLink(root, call.args.name, storedOf(await loadBlock(cid, services, how)))
    })
})
