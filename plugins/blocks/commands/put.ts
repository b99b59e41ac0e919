import { blockOptions } from '../../../core/blocks/options.ts'
import { gather } from '../../../core/body/gather.ts'
import type { HeldInput, HeldInputs } from '../../../core/body/held.ts'
import { sumCidInTurns } from '../../../core/cid/sum.ts'
import { checkBlockSize } from '../../../core/dag/size.ts'
import {
  Blocks,
  type Body,
  type BodyPart,
  type Call,
  command,
  commonErrors,
  files,
  optional,
  Pins,
  p,
  stream
} from '../../../core/index.ts'
import { blockCommandErrors } from '../errors.ts'
import { BlockInputs } from '../inputs.ts'
import { checkPutOptions, type PutOptions, prefixOf } from '../put-prefix.ts'
import { BlockSettings } from '../settings.ts'
import { type BlockStat, blockStat, statOf } from '../stat.ts'

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
  run(services, call) {
    const { only } = call.body
    return only === undefined ? putEach(services, call) : putOnly(services, call, only)
  }
})

interface Needed {
  readonly blocks: Blocks
  readonly pins: Pins | undefined
  readonly settings: BlockSettings
  readonly inputs: HeldInputs
}

type PutCall = Pick<Call, 'signal'> & {
  readonly options: PutOptions & Call['options'] & { readonly pin: boolean; readonly allowBigBlock: boolean }
  readonly body: Body
}

/** The answer of an upload that is all there, which waits for no other part. */
async function putOnly(services: Needed, call: PutCall, part: BodyPart): Promise<BlockStat[]> {
  const putting = new Putting(services, call)
  try {
    const stat = await putting.put(part)
    return stat === undefined ? [] : [stat]
  } finally {
    putting.end()
  }
}

async function* putEach(services: Needed, call: PutCall): AsyncGenerator<BlockStat> {
  const putting = new Putting(services, call)
  try {
    for await (const part of call.body) {
      const stat = await putting.put(part)
      if (stat === undefined) return
      yield stat
    }
  } finally {
    putting.end()
  }
}

/** One call on its way. */
class Putting {
  readonly #services: Needed
  readonly #call: PutCall
  readonly #hash: number
  readonly #held: HeldInput

  /** @throws E_MULTIHASH_NAME, E_FORMAT_AND_CODEC, E_SERVICE_ABSENT */
  constructor(services: Needed, call: PutCall) {
    this.#services = services
    this.#call = call
    this.#hash = checkPutOptions(call.options)
    if (call.options.pin && services.pins === undefined) throw commonErrors.E_SERVICE_ABSENT('block/put', 'pin', 'pins')
    this.#held = services.inputs.begin()
  }

  /** @returns undefined for a part without a path, which ends the upload */
  async put(part: BodyPart): Promise<BlockStat | undefined> {
    if (part.path === '') return undefined
    checkIsFile(part)
    const { blocks, pins, settings } = this.#services
    const call = this.#call
    const prefix = prefixOf(call.options, this.#hash)
    const tooLong = () => blockCommandErrors.E_BLOCK_TOO_LONG(settings.maxBlockSize)
    const block = await gather(part, settings.maxBlockSize, tooLong, this.#held)
    const { length } = block.bytes
    const cid = await sumCidInTurns(prefix, block.bytes, call)
    await blocks.put(cid, block.bytes, blockOptions(call))
    block.release()
    this.#held.release()
    if (call.options.pin) await pins!.addWritten(cid, blockOptions(call))
    // The reference looks at the size last: a block that is refused for it has been stored, and pinned.
    checkBlockSize(length, call.options.allowBigBlock)
    return statOf(cid, length)
  }

  end(): void {
    this.#held.release()
  }
}

/** A part below another folder stands for that folder. @throws E_BLOCK_FILE_EXPECTED */
function checkIsFile(part: BodyPart): void {
  if (part.kind === 'directory' || part.path.lastIndexOf('/') > 0) throw blockCommandErrors.E_BLOCK_FILE_EXPECTED()
}
