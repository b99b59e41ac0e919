import { z } from 'zod'
import { GO_LEVELS, goLogLevel } from '../../../../core/go/log-level.ts'
import { goQuote } from '../../../../core/go/quote.ts'
import { command, Logs, p, value } from '../../../../core/index.ts'
import { diagnosticsErrors } from '../../errors.ts'

export const logLevel = command({
  path: 'log/level',
  access: 'admin',
  control: true,
  help: 'Set how much a subsystem writes to the log.',
  examples: [
    { title: 'Log everything that concerns pins', args: 'log level pins debug' },
    { title: 'Log errors alone again', args: 'log level all error' }
  ],
  needs: { logs: Logs },
  args: {
    subsystem: p.string("A subsystem of log/ls, or 'all'."),
    level: p.string('The least important that is still written. dpanic and panic mean fatal.').oneOf(...GO_LEVELS)
  },
  reply: value(z.object({ Message: z.string() })),
  xml: 'MessageOutput',
  text: ({ Message }) => Message,
  // the message has its line end
  escapes: ['Message'],
  run({ logs }, { args }) {
    const level = goLogLevel(args.level)
    if (level === undefined) throw diagnosticsErrors.E_LOG_LEVEL(goQuote(args.level))
    const subsystem = args.subsystem === 'all' ? '*' : args.subsystem
    if (!logs.setLevel(subsystem, level)) throw diagnosticsErrors.E_LOG_SUBSYSTEM()
    return { Message: `Changed log level of '${subsystem}' to '${args.level}'\n` }
  }
})
