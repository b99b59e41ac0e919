import { parseDuration } from '../core/go/duration.ts'
import {
  type Body,
  type Call,
  type Caller,
  type Command,
  commonErrors,
  type GlobalOptions,
  type HookFunction,
  Log,
  type Logger,
  messageOf,
  type Octets,
  type Result
} from '../core/index.ts'
import type { ActivityList, CallRecord, Said } from './activity.ts'
import type { CallRequest, Calls } from './calls.ts'
import { isDefect, isUndeclared } from './defect.ts'
import { hostErrors } from './errors.ts'
import { type OwnServices, type ServiceRegistry, servicesOf } from './plugins/registry.ts'
import type { Tallies, Tally } from './tally.ts'
import { within } from './within.ts'

/** A command ready to be called: its plugin's name, and its services once they have started. */
interface Entry {
  readonly command: Command
  readonly plugin: string
  readonly services: Readonly<Record<string, unknown>>
  /** What lies around its calls, outermost first. */
  readonly hooks: readonly Pick<BoundHook, 'plugin' | 'run'>[]
  readonly log: Logger
  readonly tally: Tally
}

/** How long a command whose time is up may take to say so itself, in milliseconds: what it answers may be more than an error. */
const LAST_WORDS = 100

/** One call under way. Its signal is made when somebody first looks at it. */
class RunningCall implements Call {
  readonly command: Command
  readonly args: Readonly<Record<string, unknown>>
  readonly options: Readonly<Record<string, unknown>> & GlobalOptions
  readonly body: Body | undefined
  readonly log: Logger
  readonly caller: Caller
  readonly deadline: number | undefined
  readonly record: CallRecord
  readonly tally: Tally
  readonly began = performance.now()
  /** The plugin whose code the call is in: that of a hook, or of the command. */
  inside: string
  #controller: AbortController | undefined
  #reason: Error | undefined
  #over = false
  #reject: ((reason: Error) => void) | undefined
  readonly #cleanups: Array<() => void> = []

  constructor({ command, plugin, log, tally }: Entry, { args, options, said, body, caller, signal }: CallRequest, activity: ActivityList) {
    this.tally = tally
    this.inside = plugin
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
      const timer = setTimeout(() => this.abort(commonErrors.E_TIMEOUT(), LAST_WORDS), Math.min(Math.max(ms, 0), 2 ** 31 - 1))
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
    this.record = activity.begin(command, said ?? asSaid(args, options), caller)
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

  /** Settles as `work` does, or with the abort's reason once the call is over, whatever the work does then. */
  get over(): boolean {
    return this.#over
  }

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

/** A hook with its services. */
export interface BoundHook {
  readonly plugin: string
  only(command: Command): boolean
  readonly run: HookFunction
}

export interface RunnerOptions {
  readonly registry: ServiceRegistry
  readonly activity: ActivityList
  readonly tallies: Tallies
  /** Hold every item against the command's schema. Costs time: for tests and for plugin authors. */
  readonly checkReplies: boolean
  /** Where defects of plugins are told. */
  readonly log: Logger
}

/** Runs commands: services injected, hooks around, the end of patience turned into the call's signal. */
export class Runner implements Calls {
  readonly #entries = new Map<string, Entry>()
  readonly #off = new Map<string, string>()
  readonly #running = new Set<RunningCall>()
  /** What streams that were left still do behind their callers. */
  readonly #leaving = new Set<Promise<unknown>>()
  readonly #options: RunnerOptions
  /** Errors that the log has. */
  readonly #told = new WeakSet<object>()
  #hooks: readonly BoundHook[] = []
  #sorted: readonly Command[] | undefined
  #stopping = false

  constructor(options: RunnerOptions) {
    this.#options = options
  }

  /** What lies around the calls of the commands that are added from here on, outermost first. */
  surround(hooks: readonly BoundHook[]): void {
    this.#hooks = hooks
  }

  /** Opens a command; its services have started. `own` is what its plugin keeps to itself. */
  add(command: Command, plugin: string, own: OwnServices): void {
    const services = servicesOf(command.needs, this.#options.registry, own)
    this.#entries.set(command.path, {
      command,
      plugin,
      services,
      hooks: this.#hooks.filter(({ only }) => only(command)),
      log: own.get(Log) as Logger,
      tally: this.#options.tallies.of(command.path)
    })
    this.#sorted = undefined
  }

  switchOff(path: string, reason: string): void {
    this.#off.set(path, reason)
  }

  get(path: string): Command | undefined {
    return this.#entries.get(path)?.command
  }

  commands(): readonly Command[] {
    this.#sorted ??= [...this.#entries.values()].map(entry => entry.command).sort((a, b) => (a.path < b.path ? -1 : 1))
    return this.#sorted
  }

  switchedOff(): ReadonlyMap<string, string> {
    return this.#off
  }

  whyOff(path: string): string | undefined {
    return this.#off.get(path)
  }

  tally(command: Command): Tally {
    return this.#options.tallies.of(command.path)
  }

  /** Calls that have not ended yet. */
  get running(): number {
    return this.#running.size
  }

  async run(command: Command, request: CallRequest): Promise<Result> {
    const entry = this.#entries.get(command.path)
    if (entry === undefined) throw hostErrors.E_NO_COMMAND(command.path, '')
    if (this.#stopping) throw hostErrors.E_HOST_STOPPING()
    const call = new RunningCall(entry, request, this.#options.activity)
    this.#running.add(call)
    try {
      const { hooks } = entry
      let next = () => this.#invoke(entry, call)
      for (let i = hooks.length - 1; i >= 0; i--) next = this.#around(hooks[i]!, call, next)
      return this.#guard(entry, call, await call.race(next()))
    } catch (error) {
      this.#report(entry, call, error)
      this.#end(call, true)
      throw error
    }
  }

  /** Lets running calls finish for `grace` milliseconds, then ends them. */
  async drain(grace: number): Promise<void> {
    this.#stopping = true
    const until = Date.now() + grace
    while (this.#running.size > 0 && Date.now() < until) await new Promise(resolve => setTimeout(resolve, 10))
    for (const call of this.#running) call.abort(hostErrors.E_HOST_STOPPING())
    // a hook that writes down how a call ended needs its service a moment longer
    if (this.#leaving.size > 0) await within(LAST_WORDS, Promise.all(this.#leaving))
  }

  /** Tells what is inside a stream that nobody reads it. Nobody waits for it but the host, when it stops. */
  #leave(inner: AsyncIterator<unknown> | Iterator<unknown>): void {
    const left: Promise<unknown> = Promise.resolve(inner.return?.())
      .catch(() => {})
      .finally(() => this.#leaving.delete(left))
    this.#leaving.add(left)
  }

  /** A hook around what is inside; whose code the call is in is kept. */
  #around({ plugin, run }: Pick<BoundHook, 'plugin' | 'run'>, call: RunningCall, next: () => Promise<Result>): () => Promise<Result> {
    const inside = async () => {
      try {
        return await next()
      } finally {
        call.inside = plugin
      }
    }
    return async () => {
      call.inside = plugin
      const result = await run(call, inside)
      if (typeof result?.kind !== 'string') throw hostErrors.E_HOOK_RESULT(call.command.path, plugin)
      return result
    }
  }

  /** What its plugin's author should know of a call that failed. */
  #report({ command, plugin }: Entry, call: RunningCall, error: unknown): void {
    if (isDefect(error)) this.#tell(call.inside, command, error)
    else if (call.over && call.inside !== plugin)
      this.#options.log.warn(`'${command.path}' was given up while a hook of plugin '${call.inside}' had not answered`)
  }

  report(command: Command, error: unknown): void {
    const entry = this.#entries.get(command.path)
    if (entry !== undefined && isUndeclared(error)) this.#tell(entry.plugin, command, error)
  }

  #tell(plugin: string, { path }: Command, error: unknown): void {
    if (typeof error === 'object' && error !== null) {
      if (this.#told.has(error)) return
      this.#told.add(error)
    }
    this.#options.log.error({ err: error }, `plugin '${plugin}' failed in '${path}': ${messageOf(error)}`)
  }

  #end(call: RunningCall, failed = false): void {
    if (!this.#running.delete(call)) return
    call.done()
    call.tally.count((performance.now() - call.began) / 1000, failed)
    this.#options.activity.finish(call.record)
  }

  async #invoke({ command, plugin, services }: Entry, call: RunningCall): Promise<Result> {
    call.inside = plugin
    const returned = command.run(services, call)
    switch (command.reply.kind) {
      case 'value':
        return { kind: 'value', value: await returned }
      case 'nothing':
        await returned
        return { kind: 'nothing' }
      case 'stream': {
        const items = isIterable(returned) ? returned : await returned
        if (!isIterable(items)) throw hostErrors.E_REPLY_KIND(command.path, plugin, 'stream')
        return { kind: 'stream', items }
      }
      case 'either': {
        const either = isIterable(returned) ? returned : await returned
        return isAsyncIterable(either) ? { kind: 'stream', items: either } : { kind: 'value', value: either }
      }
      case 'bytes': {
        if (isIterable(returned)) return { kind: 'bytes', bytes: returned as AsyncIterable<Uint8Array>, eager: false }
        const octets = (await returned) as Octets
        if (!isIterable(octets?.bytes)) throw hostErrors.E_REPLY_KIND(command.path, plugin, 'bytes')
        return { kind: 'bytes', bytes: octets.bytes, length: octets.length, eager: octets.eager ?? true }
      }
    }
  }

  /** A reply that flows ends with its call, and at once when the call is aborted. */
  #guard(entry: Entry, call: RunningCall, result: Result): Result {
    call.inside = entry.plugin
    if (result.kind === 'stream') {
      const items = this.#options.checkReplies ? this.#checked(entry, result.items) : result.items
      return { kind: 'stream', items: this.#flow(entry, call, items) }
    }
    // A list is all there already.
    if (result.kind === 'bytes' && !Array.isArray(result.bytes)) return { ...result, bytes: this.#flow(entry, call, result.bytes) }
    this.#end(call)
    if (result.kind === 'value' && this.#options.checkReplies) this.#check(entry, 'value', result.value)
    return result
  }

  #flow<T>(entry: Entry, call: RunningCall, from: AsyncIterable<T> | Iterable<T>): AsyncIterable<T> {
    const end = (failed = false) => this.#end(call, failed)
    const leave = (inner: AsyncIterator<unknown> | Iterator<unknown>) => this.#leave(inner)
    const report = (error: unknown) => this.#report(entry, call, error)
    return {
      [Symbol.asyncIterator]() {
        const inner = Symbol.asyncIterator in from ? from[Symbol.asyncIterator]() : from[Symbol.iterator]()
        return {
          async next() {
            try {
              const step = await call.race(inner.next())
              if (step.done === true) end()
              return step
            } catch (error) {
              report(error)
              end(true)
              leave(inner)
              throw error
            }
          },
          async return() {
            call.abort(commonErrors.E_CANCELLED())
            end()
            leave(inner)
            return { done: true as const, value: undefined }
          }
        }
      }
    }
  }

  async *#checked(entry: Entry, items: AsyncIterable<unknown> | Iterable<unknown>): AsyncIterable<unknown> {
    for await (const item of items) {
      this.#check(entry, 'items', item)
      yield item
    }
  }

  #check({ command, plugin }: Entry, kind: 'value' | 'items', item: unknown): void {
    const { reply } = command
    const schema = 'schema' in reply ? reply.schema : reply.kind === 'either' ? reply[kind] : undefined
    const result = schema?.safeParse(item)
    if (result === undefined || result.success) return
    const issues = result.error.issues.map(issue => `${issue.path.join('.')}: ${issue.message}`).join('; ')
    throw hostErrors.E_REPLY_SHAPE(command.path, plugin, issues)
  }
}

/** What an in-process caller says are the values themselves. */
function asSaid(args: Readonly<Record<string, unknown>>, options: Readonly<Record<string, unknown>>): Said {
  return {
    options,
    get words() {
      const given = Object.values(args).flat()
      return given.filter(value => value !== undefined).map(String)
    }
  }
}

function isIterable(value: unknown): value is AsyncIterable<unknown> | Iterable<unknown> {
  return typeof value === 'object' && value !== null && (Symbol.asyncIterator in value || Symbol.iterator in value)
}

function isAsyncIterable(value: unknown): value is AsyncIterable<unknown> {
  return typeof value === 'object' && value !== null && Symbol.asyncIterator in value
}
