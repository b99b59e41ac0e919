import { goLogLevel } from '../../../../core/go/log-level.ts'
import { goQuote } from '../../../../core/go/quote.ts'
import { bytes, command, Logs, p } from '../../../../core/index.ts'
import { diagnosticsErrors } from '../../errors.ts'

export const logTail = command.admin('log/tail', {
  status: 'experimental',
  help: 'Follow the log: a line of JSON for each entry, until the caller leaves.',
  needs: { logs: Logs },
  options: { logLevel: p.string('The least important that is told: debug, info, warn, error or fatal.') },
  reply: bytes({ text: true }),
  run({ logs }, { options, signal }) {
    const least = leastOf(options.logLevel)
    return { bytes: octets(logs.tail(signal), least) }
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

async function* octets(lines: AsyncIterable<string>, least: number): AsyncGenerator<Uint8Array> {
  for await (const some of lines) {
    const wanted = least === 0 ? some : linesFrom(some, least)
    if (wanted !== '') yield Buffer.from(wanted)
  }
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
