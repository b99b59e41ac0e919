import { z } from 'zod'
import { cidToString } from '../cid/parse.ts'
import { type Command, command } from '../command.ts'
import { stream } from '../reply.ts'
import { Blocks } from '../services/blocks.ts'
import { blockOptions } from './options.ts'

/** A reference, or why there is none. */
export const refReply = z.object({ Ref: z.string(), Err: z.string() })

/** The command that lists all blocks of the local store, under one of its names. The codecs they were stored with are not known. */
export function localRefs(path: string): Command {
  return command({
    path,
    access: 'read',
    help: 'List all blocks of the local store.',
    examples: [{ title: 'List what the store holds', args: path.replaceAll('/', ' ') }],
    needs: { blocks: Blocks },
    reply: stream(refReply),
    xml: 'RefWrapper',
    text: ({ Ref }) => `${Ref}\n`,
    async *run({ blocks }, call) {
      for await (const cid of blocks.list(blockOptions(call))) yield { Ref: cidToString(cid), Err: '' }
    }
  })
}
