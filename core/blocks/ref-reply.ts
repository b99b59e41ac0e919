import { z } from 'zod'
import { cidToString } from '../cid/parse.ts'
import type { Call } from '../contract/command.ts'
import { stream } from '../contract/reply.ts'
import { Blocks } from '../services/storage/blocks.ts'
import { blockOptions } from './options.ts'

/** A reference to a block, or in `Err` why there is none: one line of `refs` and its kin. */
const refReply = z.object({ Ref: z.string(), Err: z.string() })

export type RefReply = z.output<typeof refReply>

/** The answer that `refs` and its kin declare. */
export const refStream = { reply: stream(refReply), xml: 'RefWrapper', text: ({ Ref }: RefReply) => `${Ref}\n` }

/** The declaration of the commands that list all blocks of the local store. */
export const storedRefs = {
  help: 'List all blocks of the local store.',
  needs: { blocks: Blocks },
  ...refStream,
  async *run({ blocks }: { readonly blocks: Blocks }, call: Call): AsyncGenerator<RefReply> {
    for await (const cid of blocks.list(blockOptions(call))) yield { Ref: cidToString(cid), Err: '' }
  }
}
