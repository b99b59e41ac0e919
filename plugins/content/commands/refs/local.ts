import { blockOptions, refReply } from '../../../../core/blocks/index.ts'
import { cidToString } from '../../../../core/cid/index.ts'
import { Blocks, command, stream } from '../../../../core/index.ts'

export const refsLocal = command({
  path: 'refs/local',
  access: 'read',
  help: 'List all blocks of the local store.',
  examples: [{ title: 'List what the store holds', args: 'refs local' }],
  needs: { blocks: Blocks },
  reply: stream(refReply),
  xml: 'RefWrapper',
  text: ({ Ref }) => `${Ref}\n`,
  async *run({ blocks }, call) {
    for await (const cid of blocks.list(blockOptions(call))) yield { Ref: cidToString(cid), Err: '' }
  }
})
