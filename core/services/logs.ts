import { type Token, token } from '../token.ts'

/** Levels from most to least verbose. */
export type LogLevel = 'trace' | 'debug' | 'info' | 'warn' | 'error' | 'fatal' | 'silent'

type Write = {
  (message: string): void
  (fields: object, message?: string): void
}

/** A pino logger, or anything with its methods. */
export interface Logger {
  readonly trace: Write
  readonly debug: Write
  readonly info: Write
  readonly warn: Write
  readonly error: Write
  readonly fatal: Write
}

/** The loggers of the host, one per subsystem. */
export interface Logs {
  /** The logger of `subsystem`, made on first use. */
  get(subsystem: string): Logger
  /** Names of all subsystems that have a logger, and those of the reference that stand for some of them. Sorted. */
  list(): string[]
  /**
   * `*` is every subsystem, also those to come.
   * @returns false when there is no such subsystem
   */
  setLevel(subsystem: string | '*', level: LogLevel): boolean
  /**
   * The lines that are written from this call on, as JSON with a line end each, until `signal` fires or the host stops. A reader that is
   * slow loses lines, and is told how many by a line of its own.
   */
  tail(signal?: AbortSignal): AsyncIterable<string>
}
export const Logs: Token<Logs> = token<Logs>('logs')
