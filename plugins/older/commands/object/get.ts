import { z } from 'zod'
import { blockOptions } from '../../../../core/blocks/options.ts'
import { lowLevelEncoder } from '../../../../core/cid/encoder.ts'
import { loadProtoNode } from '../../../../core/dag/proto-node.ts'
import { decodeUtf8 } from '../../../../core/go/utf8.ts'
import { command, value } from '../../../../core/index.ts'
import { olderErrors } from '../../errors.ts'
import { dataEncoding, keyArgument, linkSchema, objectNeeds, shownLinks } from '../../objects.ts'

export const get = command.read('object/get', {
  status: 'deprecated',
  help: 'Show an object: its links and its data.',
  examples: [
    {
      title: 'See the data of a folder in base64',
      args: 'object get --data-encoding=base64 QmSzRMS2BPitVfYqHBvDhe5QLrUzdRoFHDEyr3BYmK7ysc'
    }
  ],
  needs: objectNeeds,
  args: { key: keyArgument },
  options: { dataEncoding },
  reply: value(z.object({ Links: z.array(linkSchema), Data: z.string() })),
  xml: 'Node',
  async run(sources, call) {
    const encode = lowLevelEncoder(call.options)
    const { node } = await loadProtoNode(call.args.key, sources, blockOptions(call))
    return { Links: shownLinks(node.links, encode), Data: dataText(node.data, call.options.dataEncoding) }
  }
})

function dataText(data: Uint8Array, encoding: string): string {
  if (encoding === 'text') return decodeUtf8(data)
  if (encoding === 'base64') return Buffer.from(data).toString('base64')
  throw olderErrors.E_DATA_ENCODING()
}
