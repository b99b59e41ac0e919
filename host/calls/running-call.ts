import { parseDuration } from '../../core/go/duration.ts'
import {
  type Body,
  type Call,
  type Caller,
  type CallRequest,
  type Command,
  commonErrors,
  type GlobalOptions,
  type Logger
} from '../../core/index.ts'
import { MAX_DELAY } from '../../core/timing.ts'
import type { ActivityList, CallRecord } from './activity.ts'
import type { CallCounts } from './call-counts.ts'
import { wordsOfValues } from './in-process.ts'
import type { Listed } from './swap-list.ts'
import type { CallableCommand } from './table.ts'

/** How long a command whose time is up may take to say so itself, in milliseconds: what it answers may be more than an error. */
export const LAST_WORDS = 100

/** One call under way. Its signal is made when somebody first looks at it. */
export class RunningCall implements Call, Listed {
  readonly kind = 'call'
  at = -1
  readonly command: Command
  readonly args: Readonly<Record<string, unknown>>
  readonly options: Readonly<Record<string, unknown>> & GlobalOptions
  readonly body: Body | undefined
  readonly log: Logger
  readonly caller: Caller
  readonly deadline: number | undefined
  readonly record: CallRecord
  readonly counts: CallCounts
  readonly began = performance.now()
  #inside: string
  #insideSince = this.began
  /** The longest stay in one plugin's code that is over. */
  #stay = { inside: '', ms: 0 }
  #controller: AbortController | undefined
  #reason: Error | undefined
  #over = false
  #reject: ((reason: Error) => void) | undefined
  readonly #cleanups: Array<() => void> = []

  constructor(
    { command, plugin, log, counts }: CallableCommand,
    { args, options, callerWords, body, caller, signal }: CallRequest,
    activity: ActivityList
  ) {
    this.counts = counts
    this.#inside = plugin
    this.command = command
    this.args = args
    this.options = options as RunningCall['options']
    this.body = body
    this.log = log
    this.caller = caller
    const { timeout } = this.options
    if (timeout !== undefined && timeout !== '') {
      const ms = Number(parseDuration(timeout) / 1_000_000n)
      this.deadline = Date.now() + ms
      const timer = setTimeout(() => this.abort(commonErrors.E_TIMEOUT(), LAST_WORDS), Math.min(Math.max(ms, 0), MAX_DELAY))
      this.#cleanups.push(() => clearTimeout(timer))
    }
    if (signal !== undefined) {
      const leave = () => this.abort(commonErrors.E_CANCELLED())
      if (signal.aborted) leave()
      else {
        signal.addEventListener('abort', leave, { once: true })
        this.#cleanups.push(() => signal.removeEventListener('abort', leave))
      }
    }
    // last: what throws before has not begun
    this.record = activity.begin(command, callerWords ?? wordsOfValues(args, options), caller)
  }

  /** The plugin whose code the call is in: that of a hook, or of the command. */
  get inside(): string {
    return this.#inside
  }

  set inside(plugin: string) {
    if (plugin === this.#inside) return
    this.#endStay(performance.now())
    this.#inside = plugin
  }

  /** The plugin whose code the call was in for the longest time at a stretch. */
  get mostlyInside(): string {
    const ms = performance.now() - this.#insideSince
    return ms > this.#stay.ms ? this.#inside : this.#stay.inside
  }

  #endStay(now: number): void {
    const ms = now - this.#insideSince
    if (ms > this.#stay.ms) this.#stay = { inside: this.#inside, ms }
    this.#insideSince = now
  }

  get signal(): AbortSignal {
    if (this.#controller === undefined) {
      this.#controller = new AbortController()
      if (this.#reason !== undefined) this.#controller.abort(this.#reason)
    }
    return this.#controller.signal
  }

  /** @param patience - milliseconds until the call ends even if the command does not */
  abort(reason: Error, patience = 0): void {
    if (this.#reason !== undefined) return
    this.#reason = reason
    this.#controller?.abort(reason)
    if (patience === 0) this.#end()
    else {
      const timer = setTimeout(() => this.#end(), patience)
      this.#cleanups.push(() => clearTimeout(timer))
    }
  }

  #end(): void {
    this.#over = true
    this.#reject?.(this.#reason!)
  }

  /** Whether the call has ended whatever its work does. */
  get over(): boolean {
    return this.#over
  }

  /** Settles as `work` does, or with the abort's reason once the call is over, whatever the work does then. */
  race<T>(work: Promise<T> | T): Promise<T> {
    return new Promise((resolve, reject) => {
      if (this.#over) reject(this.#reason!)
      this.#reject = reject
      Promise.resolve(work).then(resolve, reject)
    })
  }

  done(): void {
    for (const cleanup of this.#cleanups) cleanup()
    this.#cleanups.length = 0
  }
}
