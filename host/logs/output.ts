import { openSync } from 'node:fs'
import { isatty } from 'node:tty'
import { type DestinationStream, pino } from 'pino'
import { printable } from '../printable.ts'

/** How lines are written: JSON as pino makes them, or words for a person, with colours where asked. */
export type LogFormat = 'json' | 'nocolor' | 'color'

/** Standard output, standard error, or a file that is appended to. */
export type LogTarget = 'stdout' | 'stderr' | { readonly file: string }

/** Where lines go, each written before the call that made it returns. @throws the error of a file that cannot be opened */
export function outputOf(targets: readonly LogTarget[], format: LogFormat): DestinationStream {
  const outputs = targets.map(target => {
    const fd = descriptor(target)
    const shown = isatty(fd) ? printable : (text: string) => text
    return { to: pino.destination({ fd, sync: true }), shown }
  })
  return {
    write(line) {
      for (const { to, shown } of outputs) to.write(format === 'json' ? shown(line) : worded(line, format === 'color', shown))
    }
  }
}

function descriptor(target: LogTarget): number {
  if (target === 'stdout') return 1
  return target === 'stderr' ? 2 : openSync(target.file, 'a', 0o600)
}

const NAMES: Readonly<Record<number, string>> = { 10: 'TRACE', 20: 'DEBUG', 30: 'INFO', 40: 'WARN', 50: 'ERROR', 60: 'FATAL' }
const COLORS: Readonly<Record<number, number>> = { 10: 90, 20: 35, 30: 34, 40: 33, 50: 31, 60: 31 }

/**
 * A line of JSON as go-log's console format has it: time, level, subsystem, message, other fields, with tabs between.
 *
 * @param shown - what becomes of text that is not this format's own
 */
export function worded(line: string, color: boolean, shown: (text: string) => string = text => text): string {
  const { level, time, subsystem, msg = '', ...fields } = JSON.parse(line) as Record<string, unknown>
  const name = NAMES[level as number] ?? shown(String(level))
  const marked = color ? `\x1b[${COLORS[level as number] ?? 0}m${name}\x1b[0m` : name
  const extra = Object.keys(fields).length === 0 ? [] : [JSON.stringify(fields)]
  const words = [String(subsystem ?? ''), withoutControls(String(msg)), ...extra].map(shown)
  return `${[new Date(time as number).toISOString(), marked, ...words].join('\t')}\n`
}

// biome-ignore lint/suspicious/noControlCharactersInRegex: control characters are what is escaped
const withoutControls = (text: string) => text.replace(/[\x00-\x1f\x7f]/g, found => JSON.stringify(found).slice(1, -1))
