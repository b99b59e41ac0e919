import { blockOptions } from '../../../../core/blocks/options.ts'
import { cidToString } from '../../../../core/cid/parse.ts'
import { loadProtoNode } from '../../../../core/dag/proto-node.ts'
import { command, Host, p } from '../../../../core/index.ts'
import { checkBase, REMOVAL } from '../../base.ts'
import { nodeSources } from '../../nodes.ts'
import { checkPatched, Patch } from '../../patch.ts'
import { allowBigBlock, allowNonUnixfs, hashReply, hashText } from '../../replies.ts'
import { ObjectSettings } from '../../settings.ts'

export const removeLink = command({
  path: 'object/patch/rm-link',
  status: 'deprecated',
  access: 'write',
  help: 'Make an object that lacks the links of a name.',
  examples: [{ title: 'Take a file out of a folder', args: 'object patch rm-link QmSzRMS2BPitVfYqHBvDhe5QLrUzdRoFHDEyr3BYmK7ysc about' }],
  needs: { ...nodeSources, settings: ObjectSettings, host: Host },
  args: {
    root: p.contentPath('The object to start from.'),
    name: p.string('Name of the link; a path changes an object below the root.')
  },
  options: { allowBigBlock, allowNonUnixfs },
  levels: { '0.28': { options: { allowBigBlock } } },
  reply: hashReply,
  xml: 'Object',
  text: hashText,
  async run({ settings, host, ...sources }, call) {
    const { args, options, signal } = call
    const how = blockOptions(call)
    const { node: root } = await loadProtoNode(args.root, sources, how)
    if (host.level === '0.42' && options.allowNonUnixfs !== true) checkBase(root, REMOVAL)
    const made = await new Patch(sources, { ...how, signal, maxDepth: settings.maxDepth }).removeLink(root, args.name)
    checkPatched(made, options.allowBigBlock)
    return { Hash: cidToString(made.cid) }
  }
})
