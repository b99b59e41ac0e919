import { z } from 'zod'
import { command, Logs, value } from '../../../../core/index.ts'

export const logLs = command.read('log/ls', {
  control: true,
  help: 'List the subsystems that write to the log.',
  examples: [{ title: 'List the subsystems', args: 'log ls' }],
  needs: { logs: Logs },
  reply: value(z.object({ Strings: z.array(z.string()) })),
  xml: 'stringList',
  text: ({ Strings }) => Strings.map(name => `${name}\n`).join(''),
  run: ({ logs }) => ({ Strings: logs.list() })
})
