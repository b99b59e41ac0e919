import { z } from 'zod'
import { blockOptions } from '../../../../core/blocks/options.ts'
import { RAW } from '../../../../core/cid/codes.ts'
import { lowLevelEncoder } from '../../../../core/cid/encoder.ts'
import { cumulativeSizeOf, readProtoNode } from '../../../../core/dag/proto-node.ts'
import { formatBytes } from '../../../../core/go/bytes.ts'
import { command, p, value } from '../../../../core/index.ts'
import { keyArgument, objectNeeds } from '../../objects.ts'

const size = z.union([z.int(), z.bigint()]).meta({ go: 'int' })

export const stat = command.read('object/stat', {
  status: 'deprecated',
  help: 'Say how large an object is, and how many links it has.',
  examples: [
    { title: 'Learn the size of a folder with all in it', args: 'object stat --human QmSzRMS2BPitVfYqHBvDhe5QLrUzdRoFHDEyr3BYmK7ysc' }
  ],
  needs: objectNeeds,
  args: { key: keyArgument },
  options: { human: p.bool('Sizes for people; in text.') },
  reply: value(
    z.object({ Hash: z.string(), NumLinks: z.int(), BlockSize: z.int(), LinksSize: z.int(), DataSize: z.int(), CumulativeSize: size })
  ),
  xml: 'NodeStat',
  text({ NumLinks, BlockSize, LinksSize, DataSize, CumulativeSize }, { options }) {
    const all = options.human ? formatBytes(CumulativeSize) : String(CumulativeSize)
    return `NumLinks:       ${NumLinks}\nBlockSize:      ${BlockSize}\nLinksSize:      ${LinksSize}\nDataSize:       ${DataSize}\nCumulativeSize: ${all}\n`
  },
  async run({ blocks, paths }, call) {
    const how = blockOptions(call)
    const { cid } = await paths.resolve(call.args.key, how)
    const block = await blocks.get(cid, how)
    const { links, data } = cid.code === RAW ? { links: [], data: block } : readProtoNode(cid, block)
    return {
      Hash: lowLevelEncoder(call.options)(cid),
      NumLinks: links.length,
      BlockSize: block.length,
      LinksSize: block.length - data.length,
      DataSize: data.length,
      CumulativeSize: cumulativeSizeOf(block, links)
    }
  }
})
