import { blockOptions } from '../../core/blocks/options.ts'
import { cidToString } from '../../core/cid/parse.ts'
import { loadProtoNode, storeProtoNode } from '../../core/dag/proto-node.ts'
import { type Command, command, files, p } from '../../core/index.ts'
import { firstFile } from './input.ts'
import { hashReply, hashText, objectNeeds } from './objects.ts'
import { OlderInputs, OlderSettings } from './settings.ts'

/** A command that makes an object with the links and the prefix of another, and data made of that one's and of a file. */
export function patchData(path: string, help: string, change: (before: Uint8Array, input: Uint8Array) => Uint8Array): Command {
  return command.write(path, {
    status: 'deprecated',
    help,
    needs: { ...objectNeeds, settings: OlderSettings, inputs: OlderInputs },
    args: { root: p.contentPath('The object to start from.') },
    body: files('data', 'The data.', { many: false }),
    reply: hashReply,
    xml: 'Object',
    text: hashText,
    async run({ settings, inputs, ...parts }, call) {
      const held = inputs.begin()
      try {
        const { node } = await loadProtoNode(call.args.root, parts, blockOptions(call))
        const input = await firstFile(call.body, path, settings.maxInput, held)
        const { cid } = await storeProtoNode({ ...node, data: change(node.data, input) }, parts, { signal: call.signal })
        return { Hash: cidToString(cid) }
      } finally {
        held.release()
      }
    }
  })
}
