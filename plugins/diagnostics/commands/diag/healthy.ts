import { z } from 'zod'
import { command, value } from '../../../../core/index.ts'

export const diagHealthy = command.read('diag/healthy', {
  status: 'newer',
  control: true,
  help: 'Answer, as a node that runs does.',
  examples: [{ title: 'Ask whether the node answers', args: 'diag healthy' }],
  reply: value(z.literal('ok')),
  text: () => 'ok',
  terminal: () => 'ok\n',
  run: () => 'ok' as const
})
