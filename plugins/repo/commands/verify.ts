import { z } from 'zod'
import { fastBlocks } from '../../../core/blocks/fast.ts'
import { Blockstore, command, stream } from '../../../core/index.ts'
import { checkBlocks } from '../check.ts'
import { repoErrors } from '../errors.ts'

const reply = z.object({
  Msg: z.string().describe('What is wrong with a block, or that none is bad.'),
  Progress: z.int().describe('Blocks looked at so far; 0 beside a message.')
})

export const verify = command({
  path: 'repo/verify',
  access: 'read',
  help: 'Hash all blocks of the local store again, and name those that are not what they should be.',
  examples: [{ title: 'Look for damaged blocks', args: 'repo verify' }],
  needs: { store: Blockstore },
  reply: stream(reply),
  xml: 'VerifyProgress',
  text: ({ Msg, Progress }) => (Msg === '' ? `${Progress} blocks processed.\r` : `${Msg}\n`),
  progress: { of: ({ Msg, Progress }) => (Msg === '' ? { done: Progress, unit: 'blocks', only: true } : undefined) },
  async *run({ store }, { signal }) {
    let looked = 0
    let bad = 0
    for await (const fault of checkBlocks(fastBlocks(store), signal)) {
      if (fault !== undefined) {
        bad++
        yield { Msg: fault, Progress: 0 }
      }
      yield { Msg: '', Progress: ++looked }
    }
    if (bad > 0) throw repoErrors.E_REPO_CORRUPT()
    yield { Msg: 'verify complete, all blocks validated.', Progress: 0 }
  }
})
