import type { Binding, CallValues, Words } from '../../binding/binding.ts'
import type { Body } from '../../contract/body.ts'
import type { Caller } from '../../contract/caller.ts'
import type { Call, Command } from '../../contract/command.ts'
import type { MalformedCall } from '../../contract/hook.ts'
import type { Result } from '../../contract/reply.ts'
import { type Token, token } from '../../token.ts'

/** As much of an AbortSignal as a call listens to, so that a transport need not make a whole one per request. */
export interface CallSignal {
  readonly aborted: boolean
  addEventListener(type: 'abort', listener: () => void, options?: { once?: boolean }): void
  removeEventListener(type: 'abort', listener: () => void): void
}

/** The words of a caller before they are turned into values: positional words, and options whose formats may still be text. */
export interface CallerWords {
  readonly words: readonly string[]
  readonly options: Readonly<Record<string, unknown>>
}

/** A request of a caller, its words already turned into values: see {@link Calls.bind}. */
export interface CallRequest {
  readonly args: Readonly<Record<string, unknown>>
  /** The command's own and the global options by declared name, defaults filled in. */
  readonly options: Readonly<Record<string, unknown>>
  /** The same as the caller wrote it, for the list of activity. Without it the values stand for it. */
  readonly callerWords?: CallerWords | undefined
  readonly body?: Body | undefined
  /** Fires when the caller leaves. The call also ends when `options.timeout` is over and when the host stops. */
  readonly signal?: CallSignal | undefined
  readonly caller: Caller
}

/** The form in which `encoding=json|xml|text` sends a command's answer. */
export interface Encoding {
  readonly name: 'json' | 'xml' | 'text' | 'textnl'
  /** Media types of answers and of errors. */
  readonly contentType: string
  readonly errorType: string
  /** The text of one object that is the answer, its line end included. */
  value(value: unknown): string
  /** The text of one item of a stream, its line end included. */
  item(value: unknown): string
  error(error: unknown): string
}

/** The bytes that a transport received and sent for the calls of one command; it adds what it counts. */
export interface ByteCounts {
  bytesIn: number
  bytesOut: number
}

/**
 * The calls of this host, for who carries them: the RPC, the command line and `host.call` go this way, and so does a transport of a
 * plugin's. Commands answer from when every plugin has started, which is before listeners open. What a `local` command gets are the calls of
 * the node that runs, where one does in another process: the commands that both have.
 *
 * ```ts
 * const command = calls.find('pin/ls')
 * const bound = await calls.bind(command, { words: [], options: [['type', 'recursive']] })
 * const result = await calls.run(command, { ...bound, caller: { transport: 'acme' }, signal })
 * if (result.kind === 'stream') for await (const item of result.items) …
 * ```
 */
export interface Calls {
  /** The command of exactly this path, if it is on. */
  find(path: string): Command | undefined
  /** All commands that answer, sorted by path. Those that are `local` are for who sits at this machine. */
  commands(): readonly Command[]
  /** The setting that turned this command off, in one line; undefined when it is on or unknown. */
  whyOff(path: string): string | undefined
  /** How words become the values of a command's arguments and options; made once per command. */
  binding(command: Command): Binding
  /**
   * The values that words and options in text stand for.
   *
   * @throws what the reference says of words that are missing or too many, and of options that do not read, with `wire: 'client'`
   */
  bind(command: Command, words: Words): Promise<CallValues>
  /** The encoding of that name for a command's answers; undefined for a name that stands for none. */
  encoding(command: Command, name: string): Encoding | undefined
  /**
   * A call: hooks around, services injected, `timeout`, the caller's leaving and the host's stop turned into its signal. The promise
   * settles as soon as the kind of answer is known: with an error, a value, or a stream about to flow. A stream must be read to its end
   * or ended early (`return()`), which ends the work behind it.
   *
   * @throws NodeError what the command answers; E_ACCESS for what `caller.grant` does not cover; E_NO_COMMAND
   */
  run(command: Command, request: CallRequest): Promise<Result>
  /** The call as `command.text` and `command.terminal` want it beside an item. */
  described(command: Command, request: CallRequest): Call
  /**
   * The answer to a request for a command whose words made no call: a result that a hook has for it.
   *
   * @throws the error, or what a hook throws in its place
   */
  malformed(command: Command, about: Pick<MalformedCall, 'error' | 'caller'>): Promise<Result>
  /** Tells the log, once, of an error that nobody declared and that came up while a command's answer was written. */
  report(command: Command, error: unknown): void
  /** Where the bytes of a command's calls are counted. */
  byteCounts(command: Command): ByteCounts
}
export const Calls: Token<Calls> = token<Calls>('calls')
