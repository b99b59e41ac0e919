import { AUDIT } from '../../../core/callers/index.ts'
import { goLogLevel } from '../../../core/go/log-level.ts'
import { goQuote } from '../../../core/go/quote.ts'
import type { LogLevel } from '../../../core/index.ts'
import type { LogOptions } from '../../logs/logs.ts'
import type { LogFormat, LogTarget } from '../../logs/output.ts'

type Environment = Readonly<Record<string, string | undefined>>

/** The log of a node that works for one call of the command line: who calls is told of a refusal by its answer. */
export const callLog: LogOptions = { levels: new Map([[AUDIT, 'error']]) }

const FORMATS: readonly string[] = ['json', 'color', 'nocolor']

/**
 * The settings of go-log's environment variables for a daemon's log: `GOLOG_LOG_LEVEL` (`error,pin=debug`; also `IPFS_LOGGING`),
 * `GOLOG_LOG_FMT` (`color`, `nocolor`, `json`; also `IPFS_LOGGING_FMT`), `GOLOG_FILE`, and `GOLOG_OUTPUT` (`stdout`, `stderr`, `file`, joined
 * with `+`). A file alone takes the place of standard error.
 *
 * @param complain - told of what was not understood; the default stands for it
 */
export function logOptionsOf(env: Environment, complain: (problem: string) => void): LogOptions {
  const { level, levels } = levelsOf(env['GOLOG_LOG_LEVEL'] || env['IPFS_LOGGING'] || '', complain)
  const format = env['GOLOG_LOG_FMT'] || env['IPFS_LOGGING_FMT'] || 'json'
  if (!FORMATS.includes(format)) complain(`GOLOG_LOG_FMT: unknown format ${goQuote(format)}; known: ${FORMATS.join(', ')}`)
  return {
    level,
    levels,
    format: FORMATS.includes(format) ? (format as LogFormat) : 'json',
    targets: targetsOf(env['GOLOG_OUTPUT'] ?? '', env['GOLOG_FILE'] || undefined, complain)
  }
}

function levelsOf(list: string, complain: (problem: string) => void) {
  const levels = new Map<string, LogLevel>()
  let level: LogLevel | undefined
  for (const entry of list.split(',').filter(text => text !== '')) {
    const cut = entry.indexOf('=')
    const of = goLogLevel(entry.slice(cut + 1))
    if (of === undefined) complain(`GOLOG_LOG_LEVEL: unrecognized level: ${goQuote(entry.slice(cut + 1))}`)
    else if (cut < 0) level = of
    else levels.set(entry.slice(0, cut), of)
  }
  return { level, levels }
}

function targetsOf(list: string, file: string | undefined, complain: (problem: string) => void): LogTarget[] {
  const targets: LogTarget[] = []
  for (const name of new Set(list.split('+').filter(text => text !== ''))) {
    if (name === 'stdout' || name === 'stderr') targets.push(name)
    else if (name !== 'file') complain(`GOLOG_OUTPUT: unknown output ${goQuote(name)}; known: stdout, stderr, file`)
    else if (file === undefined) complain('GOLOG_OUTPUT: file needs a path in GOLOG_FILE')
  }
  if (file !== undefined) targets.push({ file })
  return targets.length === 0 ? ['stderr'] : targets
}
