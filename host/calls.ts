import type { Body, Caller, Command, Result } from '../core/index.ts'
import type { Said } from './activity.ts'
import type { Tally } from './tally.ts'

/** As much of an AbortSignal as a call listens to, so that a listener need not make a whole one per request. */
export interface Leaving {
  readonly aborted: boolean
  addEventListener(type: 'abort', listener: () => void, options?: { once?: boolean }): void
  removeEventListener(type: 'abort', listener: () => void): void
}

/** What a caller asks for, its words already turned into values (see `host/call/`). */
export interface CallRequest {
  readonly args: Readonly<Record<string, unknown>>
  /** The command's own and the global options by declared name, defaults filled in. */
  readonly options: Readonly<Record<string, unknown>>
  /** The same as the caller wrote it, for the list of activity. Without it the values stand for it. */
  readonly said?: Said
  readonly body?: Body
  /** Fires when the caller leaves. The call also ends when `options.timeout` is over and when the host stops. */
  readonly signal?: Leaving
  readonly caller: Caller
}

/**
 * Runs commands on a started host: hooks around, services injected, `timeout` and stop turned into the call's signal. This is the one
 * way in for listeners, for `host.call`, and for a command line without a daemon.
 */
export interface Calls {
  /** The command of exactly this path, if it is on. */
  get(path: string): Command | undefined
  commands(): readonly Command[]
  /** The setting that turned this command off, in one line; undefined when it is on or unknown. */
  whyOff(path: string): string | undefined
  /** Where what becomes of a command's calls is counted. */
  tally(command: Command): Tally
  /**
   * The promise settles as soon as the kind of answer is known: with an error, a value, or a stream about to flow. Ending a stream
   * early (`return()`) ends the work behind it.
   */
  run(command: Command, request: CallRequest): Promise<Result>
  /** Tells the log, once, of an error that nobody declared and that came up while a command's answer was written. */
  report(command: Command, error: unknown): void
}
