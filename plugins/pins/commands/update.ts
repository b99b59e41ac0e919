import { blockOptions, provideOptions } from '../../../core/blocks/options.ts'
import { cidEncoder } from '../../../core/cid/encoder.ts'
import { command, PathResolver, Pins, p, value } from '../../../core/index.ts'
import { pinnedRoots, pinsReply } from '../replies.ts'

export const update = command.write('pin/update', {
  help: 'Move a recursive pin to another object, fetching only what the old one does not hold.',
  examples: [
    {
      title: 'Keep another version of a folder in place of the first',
      args: 'pin update QmSzRMS2BPitVfYqHBvDhe5QLrUzdRoFHDEyr3BYmK7ysc QmcRT7rkXnF3dcY2QoCHccAx6U1AvD9zZcZ1MykBUoq65H'
    }
  ],
  needs: { pins: Pins, paths: PathResolver },
  args: {
    fromPath: p.contentPath('The object that is pinned.').raw().completedBy('pin/ls', pinnedRoots, { type: 'recursive' }),
    toPath: p.contentPath('The object to pin instead.').raw()
  },
  options: { unpin: p.bool('End the pin of the old object.').default(true), ...provideOptions },
  reply: value(pinsReply),
  xml: 'PinOutput',
  text: ({ Pins: [from, to] }) => `updated ${from} to ${to}\n`,
  async run({ pins, paths }, call) {
    const { args, options } = call
    const how = blockOptions(call)
    const encode = cidEncoder(options)
    const from = await paths.resolve(args.fromPath, { ...how, removal: true })
    const to = await paths.resolve(args.toPath, how)
    await pins.update(from.cid, to.cid, { ...how, unpin: options.unpin })
    return { Pins: [encode(from.cid), encode(to.cid)] }
  }
})
