import { blockOptions } from '../../../core/blocks/options.ts'
import { cidEncoder } from '../../../core/cid/encoder.ts'
import { command, PathResolver, Pins, p, value } from '../../../core/index.ts'
import { pathsArgument, pinnedRoots, pinsReply } from '../replies.ts'

export const rm = command.write('pin/rm', {
  help: 'Keep an object no longer; its blocks go with the next collection, unless another pin keeps them.',
  examples: [{ title: 'Keep a folder no longer', args: 'pin rm QmSzRMS2BPitVfYqHBvDhe5QLrUzdRoFHDEyr3BYmK7ysc' }],
  needs: { pins: Pins, paths: PathResolver },
  args: { ipfsPath: pathsArgument('Object to unpin.').completedBy('pin/ls', pinnedRoots, { type: 'recursive' }) },
  options: { recursive: p.bool('Also where all it links to is kept.').alias('r').default(true) },
  reply: value(pinsReply),
  xml: 'PinOutput',
  text: ({ Pins }) => Pins.map(cid => `unpinned ${cid}\n`).join(''),
  async run({ pins, paths }, call) {
    const { recursive } = call.options
    const how = blockOptions(call)
    const encode = cidEncoder(call.options)
    const removed: string[] = []
    for (const path of call.args.ipfsPath) {
      const { cid } = await paths.resolve(path, { ...how, removal: true })
      await pins.remove(cid, { ...how, recursive })
      removed.push(encode(cid))
    }
    return { Pins: removed }
  }
})
