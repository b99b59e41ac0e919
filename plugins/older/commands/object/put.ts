import { blockOptions } from '../../../../core/blocks/options.ts'
import { lowLevelEncoder } from '../../../../core/cid/encoder.ts'
import { type ProtoNode, storeProtoNode } from '../../../../core/dag/proto-node.ts'
import { command, commonErrors, files, optional, Pins, p } from '../../../../core/index.ts'
import { olderErrors } from '../../errors.ts'
import { firstFile } from '../../input.ts'
import { nodeOfBlock, nodeOfJson } from '../../object-input.ts'
import { dataEncoding, hashReply, objectNeeds } from '../../objects.ts'
import { OlderInputs, OlderSettings } from '../../settings.ts'

export const put = command.write('object/put', {
  status: 'deprecated',
  help: 'Store an object that is written as JSON, or as the block that it becomes.',
  needs: { ...objectNeeds, pins: optional(Pins), settings: OlderSettings, inputs: OlderInputs },
  options: {
    inputenc: p.string('How the input is written: json or protobuf.').default('json').oneOf('json', 'protobuf'),
    datafieldenc: dataEncoding,
    pin: p.bool('Pin it, with all it links to.').default(false),
    quiet: p.bool('Show the hash alone; in text.').alias('q')
  },
  body: files('data', 'The object.', { many: false }),
  reply: hashReply,
  xml: 'Object',
  text: ({ Hash }, { options }) => `${options.quiet ? '' : 'added '}${Hash}\n`,
  async run({ pins, settings, inputs, ...parts }, call) {
    const { options, signal } = call
    if (options.pin && pins === undefined) throw commonErrors.E_SERVICE_ABSENT('object/put', 'pin', 'pins')
    const held = inputs.begin()
    try {
      const node = nodeOf(await firstFile(call.body, 'object/put', settings.maxInput, held), options)
      const { cid } = await storeProtoNode(node, parts, { signal })
      if (options.pin) await pins!.addWritten(cid, blockOptions(call))
      return { Hash: lowLevelEncoder(options)(cid) }
    } finally {
      held.release()
    }
  }
})

function nodeOf(input: Uint8Array, { inputenc, datafieldenc }: { inputenc: string; datafieldenc: string }): ProtoNode {
  if (inputenc === 'json') return nodeOfJson(input, datafieldenc)
  if (inputenc === 'protobuf') return nodeOfBlock(input)
  throw olderErrors.E_OBJECT_ENCODING()
}
