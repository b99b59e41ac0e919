import { goLogLevel } from '../../../../core/go/log-level.ts'
import { goQuote } from '../../../../core/go/quote.ts'
import { bytes, command, Host, Logs, p } from '../../../../core/index.ts'
import { diagnosticsErrors } from '../../errors.ts'

export const logTail = command.admin('log/tail', {
  status: 'experimental',
  help: 'Follow the log: a line of JSON for each entry, until the caller leaves. At level 0.42 of the RPC its fields are those of the reference.',
  needs: { logs: Logs, host: Host },
  options: { logLevel: p.string('The least important that is told: debug, info, warn, error or fatal.') },
  reply: bytes({ text: true }),
  run({ logs, host }, { options, signal }) {
    const least = leastOf(options.logLevel)
    return { bytes: octets(logs.tail(signal), least, host.level === '0.42') }
  }
})

/** The number of a level in the lines of the log. @throws E_LOG_TAIL_LEVEL */
function leastOf(name: string | undefined): number {
  if (name === undefined) return 0
  const level = name === '' ? undefined : goLogLevel(name)
  const number = level === undefined ? undefined : NUMBERS[level]
  if (number === undefined) throw diagnosticsErrors.E_LOG_TAIL_LEVEL(name, goQuote(name))
  return number
}

/** The numbers that pino gives levels. */
const NUMBERS: Readonly<Record<string, number>> = { debug: 20, info: 30, warn: 40, error: 50, fatal: 60 }

async function* octets(lines: AsyncIterable<string>, least: number, asReference: boolean): AsyncGenerator<Uint8Array> {
  for await (const some of lines) {
    const wanted = least === 0 ? some : linesFrom(some, least)
    if (wanted !== '') yield Buffer.from(asReference ? eachLine(wanted, goLine) : wanted)
  }
}

/** Names of levels in go-log, which knows none below debug. */
const GO_NAMES: ReadonlyMap<unknown, string> = new Map([
  [10, 'debug'],
  [20, 'debug'],
  [30, 'info'],
  [40, 'warn'],
  [50, 'error'],
  [60, 'fatal']
])

/** A line with the fields that go-log writes (go-log 2, JSON), and what else it has behind them. */
function goLine(line: string): string {
  const { level, time, subsystem, msg, ...others } = JSON.parse(line) as Readonly<Record<string, unknown>>
  const ts = typeof time === 'number' ? new Date(time).toISOString() : time
  return JSON.stringify({ level: GO_NAMES.get(level) ?? 'info', ts, logger: subsystem, msg, ...others })
}

function eachLine(lines: string, make: (line: string) => string): string {
  return lines
    .split('\n')
    .filter(line => line !== '')
    .map(line => `${make(line)}\n`)
    .join('')
}

/** The lines of a level or a more important one, out of several. */
function linesFrom(lines: string, least: number): string {
  return lines
    .split('\n')
    .filter(line => line !== '' && levelOf(line) >= least)
    .map(line => `${line}\n`)
    .join('')
}

/** The level of a line; one that says none, such as how many lines were lost, is for everybody. */
function levelOf(line: string): number {
  const { level } = JSON.parse(line) as { level?: unknown }
  return typeof level === 'number' ? level : Number.POSITIVE_INFINITY
}
