import { codecByName, codecName } from '../../../core/cid/codecs.ts'
import type { Node } from '../../../core/dag/model.ts'
import { lookup } from '../../../core/dag/walk/lookup.ts'
import { bytes, command, Dag, type Encoder, messageOf, PathResolver, p } from '../../../core/index.ts'
import { dagCommandErrors } from '../errors.ts'
import { blockOptions } from '../options.ts'
import { DagSettings } from '../settings.ts'

export const get = command.read('dag/get', {
  help: 'Write a node, or a part of one, in a codec.',
  examples: [
    { title: 'Show the node of a folder', args: 'dag get QmSzRMS2BPitVfYqHBvDhe5QLrUzdRoFHDEyr3BYmK7ysc' },
    { title: 'Show the node of a folder in it', args: 'dag get QmSzRMS2BPitVfYqHBvDhe5QLrUzdRoFHDEyr3BYmK7ysc/about' }
  ],
  needs: { dag: Dag, paths: PathResolver, settings: DagSettings },
  args: { ref: p.contentPath('The node.').fromBody() },
  options: { outputCodec: p.codec('Codec of the output.').default('dag-json') },
  reply: bytes({ text: true }),
  async run({ dag, paths, settings }, call) {
    const code = codecByName(call.options.outputCodec)
    const { cid, remainder } = await paths.resolve(call.args.ref, blockOptions(call))
    const root = await dag.load(cid, { ...blockOptions(call), asked: true, exact: true })
    const node = remainder.split('/').filter(Boolean).reduce(lookup, root)
    return { bytes: encoded(encoderOf(dag, code), node, settings.maxOutput) }
  }
})

function encoderOf(dag: Dag, code: number): Encoder {
  try {
    return dag.encoder(code)
  } catch (error) {
    throw dagCommandErrors.E_OUTPUT_CODEC(codecName(code), messageOf(error))
  }
}

/** The bytes before an error, which are sent all the same, as the reference writes into the open answer. */
function* encoded(encoder: Encoder, node: Node, limit: number): Generator<Uint8Array> {
  let written: Uint8Array | undefined
  try {
    yield encoder.encode(node, { limit, onFailure: bytes => (written = bytes) })
  } catch (error) {
    if (written !== undefined) yield written
    throw error
  }
}
