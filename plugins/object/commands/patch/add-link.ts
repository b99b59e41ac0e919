import { blockOptions } from '../../../../core/blocks/options.ts'
import { cidToString } from '../../../../core/cid/parse.ts'
import { loadProtoNode } from '../../../../core/dag/proto-node.ts'
import { command, Host, p } from '../../../../core/index.ts'
import { ADDITION, checkBase } from '../../base.ts'
import { loadBlock, nodeSources, storedOf } from '../../nodes.ts'
import { checkPatched, Patch } from '../../patch.ts'
import { allowBigBlock, allowNonUnixfs, hashReply, hashText } from '../../replies.ts'
import { ObjectSettings } from '../../settings.ts'

const options = { create: p.bool('Make folders for names on the way that are missing.').alias('p'), allowBigBlock }

export const addLink = command({
  path: 'object/patch/add-link',
  status: 'deprecated',
  access: 'write',
  help: 'Make an object that has one more link, or another in its place.',
  examples: [
    {
      title: 'Put a folder into an empty one',
      args: 'object patch add-link QmUNLLsPACCz1vLxQVkXqqLX5R1X345qqfHbsf67hvA3Nn site QmSzRMS2BPitVfYqHBvDhe5QLrUzdRoFHDEyr3BYmK7ysc'
    }
  ],
  needs: { ...nodeSources, settings: ObjectSettings, host: Host },
  args: {
    root: p.contentPath('The object to start from.'),
    name: p.string('Name of the link; a path changes an object below the root.'),
    ref: p.contentPath('The target of the link.')
  },
  options: { ...options, allowNonUnixfs },
  levels: { '0.28': { options } },
  reply: hashReply,
  xml: 'Object',
  text: hashText,
  async run({ settings, host, ...sources }, call) {
    const { args, options, signal } = call
    const how = blockOptions(call)
    const { node: root } = await loadProtoNode(args.root, sources, how)
    if (host.level === '0.42' && options.allowNonUnixfs !== true) checkBase(root, ADDITION)
    const { cid } = await sources.paths.resolve(args.ref, how)
    const child = storedOf(await loadBlock(cid, sources, how))
    const patch = new Patch(sources, { ...how, signal, create: options.create, maxDepth: settings.maxDepth })
    const made = await patch.addLink(root, args.name, child)
    checkPatched(made, options.allowBigBlock)
    return { Hash: cidToString(made.cid) }
  }
})
