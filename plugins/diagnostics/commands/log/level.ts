import { z } from 'zod'
import { GO_LEVELS, goLogLevel } from '../../../../core/go/log-level.ts'
import { goQuote } from '../../../../core/go/quote.ts'
import { command, Host, type LogLevel, Logs, p, value } from '../../../../core/index.ts'
import { diagnosticsErrors } from '../../errors.ts'

const args = {
  subsystem: p.string("A subsystem of log/ls, or 'all'."),
  level: p.string('The least important that is still written. dpanic and panic mean fatal.').oneOf(...GO_LEVELS)
}

export const logLevel = command.admin('log/level', {
  control: true,
  help: 'Set how much a subsystem writes to the log. At level 0.42 of the RPC, without a level, tell it.',
  examples: [
    { title: 'Log everything that concerns pins', args: 'log level pins debug' },
    { title: 'Log errors alone again', args: 'log level all error' }
  ],
  needs: { logs: Logs, host: Host },
  args: { subsystem: args.subsystem.optional(), level: args.level.optional() },
  levels: { '0.28': { args } },
  reply: value(z.object({ Levels: z.record(z.string(), z.string()).optional(), Message: z.string().optional() })),
  xml: 'MessageOutput',
  text: ({ Levels = {}, Message }) =>
    Message ??
    Object.values(Levels)
      .map(level => `${level}\n`)
      .join(''),
  // the message has its line end
  escapes: ['Message'],
  run: ({ logs, host }, { args: { subsystem = '', level = '' } }) =>
    host.level === '0.42' ? levels(logs, subsystem, level) : { Message: set(logs, subsystem, level) }
})

/** Sets a level. @returns what to say of it */
function set(logs: Logs, subsystem: string, name: string): string {
  const level = goLogLevel(name)
  if (level === undefined) throw diagnosticsErrors.E_LOG_LEVEL(goQuote(name))
  const of = subsystem === 'all' ? '*' : subsystem
  if (!logs.setLevel(of, level)) throw diagnosticsErrors.E_LOG_SUBSYSTEM()
  return `Changed log level of '${of}' to '${name}'\n`
}

/** The answer of Kubo 0.42: without a level it is told; a subsystem that is not there takes any. */
function levels(logs: Logs, subsystem: string, name: string): { Levels?: Record<string, string>; Message?: string } {
  const of = subsystem === 'all' ? '*' : subsystem
  if (name === '') return { Levels: levelsOf(logs, of) }
  const lower = name.toLowerCase()
  const said = lower === 'default' ? goName(logs.level('*')!) : name
  const level = lower === 'warning' ? 'warn' : goLogLevel(said)
  if (level === undefined) throw diagnosticsErrors.E_LOG_LEVEL(goQuote(name))
  logs.setLevel(of, level)
  return { Message: `Changed log level of '${of}' to '${said}'\n` }
}

function levelsOf(logs: Logs, subsystem: string): Record<string, string> {
  const levelOf = (name: string) => {
    const level = logs.level(name)
    if (level === undefined) throw diagnosticsErrors.E_LOG_SUBSYSTEM()
    return goName(level)
  }
  if (subsystem === '') return { '': levelOf('*') }
  if (subsystem !== '*') return { [subsystem]: levelOf(subsystem) }
  return Object.fromEntries([['(default)', levelOf('*')], ...logs.list().map(name => [name, levelOf(name)])])
}

/** A level as go-log calls it, which knows none beyond debug and fatal. */
function goName(level: LogLevel): string {
  if (level === 'trace') return 'debug'
  return level === 'silent' ? 'fatal' : level
}
