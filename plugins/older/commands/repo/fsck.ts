import { z } from 'zod'
import { command, value } from '../../../../core/index.ts'

export const fsck = command.read('repo/fsck', {
  status: 'deprecated',
  help: 'Does nothing: locks free themselves. See repo verify.',
  reply: value(z.object({ Message: z.string() })),
  xml: 'MessageOutput',
  text: ({ Message }) => Message,
  escapes: ['Message'],
  run: () => ({ Message: '`ipfs repo fsck` is deprecated and does nothing.\n' })
})
