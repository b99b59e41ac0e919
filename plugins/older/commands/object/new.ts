import { lowLevelEncoder } from '../../../../core/cid/encoder.ts'
import { PREFIX_V0, storeProtoNode } from '../../../../core/dag/proto-node.ts'
import { command, p } from '../../../../core/index.ts'
import { DIRECTORY_DATA } from '../../../../core/unixfs/import/encode.ts'
import { olderErrors } from '../../errors.ts'
import { hashReply, hashText, objectNeeds } from '../../objects.ts'

const TEMPLATES: ReadonlyMap<string, Uint8Array> = new Map([
  ['', new Uint8Array(0)],
  ['empty', new Uint8Array(0)],
  ['unixfs-dir', DIRECTORY_DATA]
])

export const newObject = command.write('object/new', {
  status: 'deprecated',
  help: 'Make an object: an empty one, or an empty folder.',
  needs: objectNeeds,
  args: { template: p.string('The object to make: empty or unixfs-dir.').oneOf('empty', 'unixfs-dir').optional() },
  reply: hashReply,
  xml: 'Object',
  text: hashText,
  async run(parts, { args: { template = '' }, options, signal }) {
    const data = TEMPLATES.get(template)
    if (data === undefined) throw olderErrors.E_OBJECT_TEMPLATE(template)
    const { cid } = await storeProtoNode({ links: [], data, prefix: PREFIX_V0 }, parts, { signal })
    return { Hash: lowLevelEncoder(options)(cid) }
  }
})
