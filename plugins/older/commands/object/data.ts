import { blockOptions } from '../../../../core/blocks/options.ts'
import { loadProtoNode } from '../../../../core/dag/proto-node.ts'
import { bytes, command } from '../../../../core/index.ts'
import { keyArgument, objectNeeds } from '../../objects.ts'

export const data = command.read('object/data', {
  status: 'deprecated',
  help: 'Write the data of an object, without its links.',
  needs: objectNeeds,
  args: { key: keyArgument },
  reply: bytes(),
  async run(sources, call) {
    const { node } = await loadProtoNode(call.args.key, sources, blockOptions(call))
    return { bytes: [node.data], length: BigInt(node.data.length) }
  }
})
