import { blockOptions } from '../../../../core/blocks/options.ts'
import { cidToString } from '../../../../core/cid/parse.ts'
import { Blocks, command, stream } from '../../../../core/index.ts'
import { refReply, refText } from '../../ref.ts'

export const refsLocal = command({
  path: 'refs/local',
  access: 'read',
  help: 'List all objects of the local store.',
  needs: { blocks: Blocks },
  reply: stream(refReply),
  xml: 'RefWrapper',
  text: refText,
  async *run({ blocks }, call) {
    for await (const cid of blocks.list(blockOptions(call))) yield { Ref: cidToString(cid), Err: '' }
  }
})
