import { z } from 'zod'
import { blockOptions } from '../../../../core/blocks/options.ts'
import { lowLevelEncoder } from '../../../../core/cid/encoder.ts'
import { loadProtoNode } from '../../../../core/dag/proto-node.ts'
import { command, p, value } from '../../../../core/index.ts'
import { keyArgument, linkSchema, objectNeeds, shownLinks } from '../../objects.ts'
import { columns } from '../../text.ts'

export const links = command.read('object/links', {
  status: 'deprecated',
  help: 'List the links of an object.',
  needs: objectNeeds,
  args: { key: keyArgument },
  options: { headers: p.bool('Name the columns; in text.').alias('v') },
  reply: value(z.object({ Hash: z.string(), Links: z.array(linkSchema).optional() })),
  xml: 'Object',
  text({ Links = [] }, { options }) {
    const rows = Links.map(({ Hash, Size, Name }) => [Hash, String(Size), Name])
    return columns(options.headers ? [['Hash', 'Size', 'Name'], ...rows] : rows)
  },
  async run(sources, call) {
    const encode = lowLevelEncoder(call.options)
    const { cid, node } = await loadProtoNode(call.args.key, sources, blockOptions(call))
    const Links = shownLinks(node.links, encode)
    return { Hash: encode(cid), ...(Links.length > 0 && { Links }) }
  }
})
