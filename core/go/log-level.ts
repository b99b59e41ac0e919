import type { LogLevel } from '../services/host/logs.ts'

const LEVELS: ReadonlyMap<string, LogLevel> = new Map([
  ['debug', 'debug'],
  ['info', 'info'],
  ['', 'info'],
  ['warn', 'warn'],
  ['error', 'error'],
  ['dpanic', 'fatal'],
  ['panic', 'fatal'],
  ['fatal', 'fatal']
])

/** The names of levels that go-log knows, from most to least verbose. */
export const GO_LEVELS: readonly string[] = [...LEVELS.keys()].filter(name => name !== '')

/** A level by its name in go-log, in any case; nothing is `info`. @returns undefined for a name that it does not know */
export function goLogLevel(name: string): LogLevel | undefined {
  return LEVELS.get(name.toLowerCase())
}
