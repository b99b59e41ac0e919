import { blockOptions } from '../../../core/blocks/options.ts'
import { gather } from '../../../core/body/gather.ts'
import { sumCidInTurns } from '../../../core/cid/sum.ts'
import { checkBlockSize } from '../../../core/dag/size.ts'
import { Blocks, type BodyPart, command, commonErrors, files, optional, Pins, p, stream } from '../../../core/index.ts'
import { blockCommandErrors } from '../errors.ts'
import { BlockInputs } from '../inputs.ts'
import { checkPutOptions, prefixOf } from '../put-prefix.ts'
import { BlockSettings } from '../settings.ts'
import { blockStat, statOf } from '../stat.ts'

export const put = command.write('block/put', {
  help: 'Store blocks as they are, one a part.',
  examples: [
    { title: 'Store a file as one raw block', args: 'block put site/index.html' },
    { title: 'Store a block under another hash, and pin it', args: 'block put --mhtype=sha3-256 --pin site/index.html' }
  ],
  needs: { blocks: Blocks, pins: optional(Pins), settings: BlockSettings, inputs: BlockInputs },
  options: {
    cidCodec: p.codec('Codec in the CID. What is stored need not be of it.').default('raw'),
    mhtype: p.hash('Hash function.').default('sha2-256'),
    mhlen: p.int('Length of the digest in bytes; -1: what the hash function makes.').default(-1),
    pin: p.bool('Pin what is stored, with all it links to.').default(false),
    allowBigBlock: p.bool('Allow blocks of more than 1 MiB, which other peers may refuse.').default(false),
    format: p.string('Old name of the codec: v0, protobuf, cbor, or any codec.').alias('f')
  },
  body: files('data', 'Blocks to store.'),
  reply: stream(blockStat),
  xml: 'BlockStat',
  text: ({ Key }) => `${Key}\n`,
  async *run({ blocks, pins, settings, inputs }, call) {
    const { pin, allowBigBlock } = call.options
    const hash = checkPutOptions(call.options)
    if (pin && pins === undefined) throw commonErrors.E_SERVICE_ABSENT('block/put', 'pin', 'pins')
    const held = inputs.begin()
    try {
      for await (const part of call.body) {
        if (part.path === '') return
        checkIsFile(part)
        const prefix = prefixOf(call.options, hash)
        const tooLong = () => blockCommandErrors.E_BLOCK_TOO_LONG(settings.maxBlockSize)
        const block = await gather(part, settings.maxBlockSize, tooLong, held)
        const { length } = block.bytes
        const cid = await sumCidInTurns(prefix, block.bytes, call)
        await blocks.put(cid, block.bytes, blockOptions(call))
        block.release()
        held.release()
        if (pin) await pins!.addWritten(cid, blockOptions(call))
        // The reference looks at the size last: a block that is refused for it has been stored, and pinned.
        checkBlockSize(length, allowBigBlock)
        yield statOf(cid, length)
      }
    } finally {
      held.release()
    }
  }
})

/** A part below another folder stands for that folder. @throws E_BLOCK_FILE_EXPECTED */
function checkIsFile(part: BodyPart): void {
  if (part.kind === 'directory' || part.path.lastIndexOf('/') > 0) throw blockCommandErrors.E_BLOCK_FILE_EXPECTED()
}
