import { z } from 'zod'
import { codecByName } from '../../../core/cid/codecs.ts'
import { cidToString, parseCid } from '../../../core/cid/parse.ts'
import { sumCidInTurns } from '../../../core/cid/sum.ts'
import { checkBlockSize } from '../../../core/dag/size.ts'
import { commonErrors } from '../../../core/errors/common.ts'
import { Blocks, type BodyPart, command, Dag, files, hasCode, optional, Pins, p, stream } from '../../../core/index.ts'
import { dagCommandErrors } from '../errors.ts'
import { readAll } from '../input.ts'
import { DagInputs } from '../inputs.ts'
import { blockOptions, textEncoder } from '../options.ts'
import { DagSettings } from '../settings.ts'

export const put = command.write('dag/put', {
  help: 'Store nodes: read each in one codec, write it in another.',
  examples: [{ title: 'Store a node that links to the folder', args: 'dag put --pin node.json' }],
  needs: { blocks: Blocks, dag: Dag, pins: optional(Pins), settings: DagSettings, inputs: DagInputs },
  options: {
    storeCodec: p.codec('Codec of the stored block.').default('dag-cbor'),
    inputCodec: p.codec('Codec of the input.').default('dag-json'),
    pin: p.bool('Pin what is added, with all it links to.'),
    hash: p.hash('Hash function.').default('sha2-256'),
    allowBigBlock: p.bool('Allow blocks of more than 1 MiB, which other peers may refuse.').default(false)
  },
  body: files('object data', 'Nodes to store, one a part.'),
  reply: stream(z.object({ Cid: z.object({ '/': z.string() }) })),
  xml: 'OutputObject',
  text: ({ Cid }, call) => `${textEncoder(call)(parseCid(Cid['/']))}\n`,
  async *run({ blocks, dag, pins, settings, inputs }, call) {
    const { storeCodec, inputCodec, pin, hash, allowBigBlock } = call.options
    const [input, codec, hashCode] = [inputCodec, storeCodec, hash].map(codecByName) as [number, number, number]
    const decoder = dag.decoder(input)
    const encoder = dag.encoder(codec)
    if (pin && pins === undefined) throw commonErrors.E_SERVICE_ABSENT('dag/put', 'pin', 'pins')
    const read = (source: Uint8Array) => (decoder.parse === undefined ? decoder.decode(source) : decoder.parse(source))
    const held = inputs.begin()
    try {
      for await (const part of call.body) {
        const source = await readAll(fileOf(part), settings.maxInput, held)
        const block = converted(part.path, () => encoder.encode(read(source), { limit: settings.maxOutput }))
        const cid = await sumCidInTurns({ version: 1, codec, hash: hashCode }, block, call, dag.hasher(hashCode))
        checkBlockSize(block.length, allowBigBlock)
        const stored = blocks.put(cid, block, blockOptions(call))
        // The reference names the block before it stores it, so a refusal of the store comes after the name.
        const refusal = await stored.then(
          () => undefined,
          error => ({ error })
        )
        yield { Cid: { '/': cidToString(cid) } }
        if (refusal !== undefined) throw refusal.error
        if (pin) await pins!.addWritten(cid, blockOptions(call))
        held.release()
      }
    } finally {
      held.release()
    }
  }
})

function fileOf(part: BodyPart): BodyPart {
  if (part.kind === 'directory') throw dagCommandErrors.E_FILE_EXPECTED()
  return part
}

/** The product of `convert`. @throws E_INPUT_ENDS where the input breaks off between two values: the reference takes that for the end of all input */
function converted(path: string, convert: () => Uint8Array): Uint8Array {
  try {
    return convert()
  } catch (error) {
    throw hasCode(error, 'E_EOF') ? dagCommandErrors.E_INPUT_ENDS(path) : error
  }
}
