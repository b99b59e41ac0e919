import { type Token, token } from '../../token.ts'

/** Levels from most to least verbose. */
export type LogLevel = 'trace' | 'debug' | 'info' | 'warn' | 'error' | 'fatal' | 'silent'

/** Writes a line: a message, after fields that go with it where there are any. An error goes under `err`. */
export type Write = {
  (message: string): void
  (fields: object, message?: string): void
}

/** A pino logger, or anything with its methods. */
export interface Logger {
  /** Single steps, for who looks for a fault in this very part. */
  readonly trace: Write
  /** Details that help to understand a fault. */
  readonly debug: Write
  /** News that the operator of a sound node may want. */
  readonly info: Write
  /** A state that the operator should look at, although the node goes on as before. */
  readonly warn: Write
  /** A failure that no caller was told of. */
  readonly error: Write
  /** A failure that ends the process. */
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
  /** The level that a subsystem writes from, by any of its names; of `*`, that of subsystems to come. undefined where there is none of that name. */
  level(subsystem: string | '*'): LogLevel | undefined
  /**
   * The lines that are written from this call on, as JSON with a line end each, until `signal` fires or the host stops. A reader that is
   * slow loses lines, and is told how many by a line of its own.
   */
  tail(signal?: AbortSignal): AsyncIterable<string>
}
export const Logs: Token<Logs> = token<Logs>('logs')
