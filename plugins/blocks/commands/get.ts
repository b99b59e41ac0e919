import { blockOptions } from '../../../core/blocks/options.ts'
import { Blocks, bytes, command, Host, PathResolver, p } from '../../../core/index.ts'

export const get = command.read('block/get', {
  help: 'Get the bytes of a block.',
  examples: [{ title: 'Get the block of a folder', args: 'block get QmSzRMS2BPitVfYqHBvDhe5QLrUzdRoFHDEyr3BYmK7ysc' }],
  needs: { blocks: Blocks, paths: PathResolver, host: Host },
  args: { cid: p.contentPath('CID or path of the block.').fromBody() },
  reply: bytes(),
  async run({ blocks, paths, host }, call) {
    const how = blockOptions(call)
    const { cid } = await paths.resolve(call.args.cid, how)
    return { ...(host.level !== '0.28' && { type: 'application/vnd.ipld.raw' }), bytes: [await blocks.get(cid, { ...how, asked: true })] }
  }
})
