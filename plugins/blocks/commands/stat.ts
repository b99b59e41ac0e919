import { blockOptions } from '../../../core/blocks/options.ts'
import { Blocks, command, PathResolver, p, value } from '../../../core/index.ts'
import { blockStat, statOf, statText } from '../stat.ts'

export const stat = command.read('block/stat', {
  help: 'Say how large a block is.',
  examples: [
    { title: 'Ask how large the block of a file is', args: 'block stat /ipfs/QmSzRMS2BPitVfYqHBvDhe5QLrUzdRoFHDEyr3BYmK7ysc/index.html' }
  ],
  needs: { blocks: Blocks, paths: PathResolver },
  args: { cid: p.contentPath('CID or path of the block.').fromBody() },
  reply: value(blockStat),
  xml: 'BlockStat',
  text: statText,
  async run({ blocks, paths }, call) {
    const how = blockOptions(call)
    const { cid } = await paths.resolve(call.args.cid, how)
    return statOf(cid, await blocks.size(cid, how))
  }
})
