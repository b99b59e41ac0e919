import { Binding, type CallValues, type Words } from '../../core/binding/binding.ts'
import type { Audit } from '../../core/callers/index.ts'
import { readable } from '../../core/errors.ts'
import {
  type ByteCounts,
  type Call,
  type CallRequest,
  type Calls,
  type Command,
  denial,
  type Encoding,
  type Logger,
  type MalformedCall,
  type Result,
  type RouteVisit,
  type SwitchedOff
} from '../../core/index.ts'
import { within } from '../../core/timing.ts'
import { isDefect, isUndeclared } from '../defect.ts'
import { Encoders } from '../encode/encoders.ts'
import { hostErrors } from '../errors.ts'
import type { PluginServices, ServiceRegistry } from '../plugins/registry.ts'
import type { ActivityList } from './activity.ts'
import type { CallCountsByCommand } from './call-counts.ts'
import { check, checked } from './checks.ts'
import { Flow } from './flow.ts'
import { surrounded, surroundedBeyond } from './hooks.ts'
import { type Occupant, Occupants } from './occupants.ts'
import { Reports } from './reports.ts'
import { type ResolvedHook } from './resolved-hook.ts'
import { resultOf } from './result.ts'
import { LAST_WORDS, RunningCall } from './running-call.ts'
import { SwapList } from './swap-list.ts'
import { type CallableCommand, CommandTable } from './table.ts'

interface HostCallsOptions {
  readonly registry: ServiceRegistry
  readonly activity: ActivityList
  readonly callCounts: CallCountsByCommand
  /** Hold every item against the command's schema. Costs time: for tests and for plugin authors. */
  readonly checkReplies: boolean
  /** Where defects of plugins are told. */
  readonly log: Logger
  readonly audit: Audit
}

/** The calls of a host: hooks around, services injected, the end of patience turned into the call's signal. */
export class HostCalls implements Calls {
  readonly #table: CommandTable
  readonly #bindings = new WeakMap<Command, Binding>()
  readonly #encoders = new WeakMap<Command, Encoders>()
  readonly #running = new SwapList<RunningCall>()
  readonly #flow: Flow
  readonly #options: HostCallsOptions
  readonly #reports: Reports
  readonly #occupants = new Occupants()
  #hooks: readonly ResolvedHook[] = []
  #ofRoutes: readonly ResolvedHook[] = []
  #stopping = false

  constructor(options: HostCallsOptions) {
    this.#options = options
    this.#table = new CommandTable(options.registry, options.callCounts)
    this.#reports = new Reports(options.log)
    this.#flow = new Flow(this.#reports, (call, failed) => this.#end(call, failed))
  }

  /** The hooks around the calls of the commands that are added from here on, and around routes, outermost first. */
  surround(hooks: readonly ResolvedHook[]): void {
    this.#hooks = hooks
    this.#ofRoutes = hooks.filter(({ also }) => also.has('routes'))
  }

  /** Opens a command; its services have started. `pluginServices` are those that its plugin keeps to itself. */
  add(command: Command, plugin: string, pluginServices: PluginServices): void {
    this.#table.add(command, plugin, pluginServices, this.#hooks)
  }

  switchOff(off: SwitchedOff): void {
    this.#table.switchOff(off)
  }

  find(path: string): Command | undefined {
    return this.#table.find(path)?.command
  }

  commands(): readonly Command[] {
    return this.#table.commands()
  }

  switchedOff(): readonly SwitchedOff[] {
    return [...this.#table.off.values()].sort((a, b) => (a.path < b.path ? -1 : 1))
  }

  whyOff(path: string): string | undefined {
    return this.#table.off.get(path)?.reason
  }

  binding(command: Command): Binding {
    return remembered(this.#bindings, command, () => new Binding(command))
  }

  async bind(command: Command, words: Words): Promise<CallValues> {
    return this.binding(command).bind(words)
  }

  encoding(command: Command, name: string): Encoding | undefined {
    return remembered(this.#encoders, command, () => new Encoders(command)).get(name)
  }

  byteCounts(command: Command): ByteCounts {
    return this.#options.callCounts.of(command.path)
  }

  /** Calls that have not ended yet. */
  get running(): number {
    return this.#running.size
  }

  /** Calls that were under way for all of the last `ms` milliseconds, or for nearly all of it and have just ended. */
  occupants(ms: number): readonly Occupant[] {
    return this.#occupants.during(ms, this.#running)
  }

  described(command: Command, { args, options, body, caller }: CallRequest): Call {
    const log = this.#table.find(command.path)?.log ?? this.#options.log
    const signal = new AbortController().signal
    return { kind: 'call', command, args, options: options as Call['options'], body, caller, log, signal, deadline: undefined }
  }

  async run(command: Command, request: CallRequest): Promise<Result> {
    const entry = this.#table.get(command.path)
    if (this.#stopping) throw hostErrors.E_HOST_STOPPING()
    const denied = denial(request.caller.grant, command.access, command.path)
    if (denied !== undefined) {
      const { transport, address } = request.caller
      const { name } = request.caller.grant ?? {}
      this.#options.audit.refused({ path: command.path, transport, address, name, why: denied.message }, 'a call was refused')
      throw denied
    }
    const call = new RunningCall(entry, request, this.#options.activity)
    this.#running.add(call)
    try {
      return this.#guard(entry, call, await call.race(surrounded(entry.hooks, call, () => this.#invoke(entry, call))))
    } catch (thrown) {
      const error = readable(thrown)
      this.#reports.failed(entry, call, error)
      this.#end(call, true)
      throw error
    }
  }

  async malformed(command: Command, { error, caller }: Pick<MalformedCall, 'error' | 'caller'>): Promise<Result> {
    const hooks = this.#table.find(command.path)?.malformed ?? []
    const visit = { kind: 'malformed', command, caller, error } as const
    return surroundedBeyond(hooks, visit, `'${command.path}'`, () => Promise.reject(error))
  }

  /** Lays the hooks that asked for routes around a request for one; undefined where there are none. */
  get visit(): ((visit: Omit<RouteVisit, 'log'>, answer: () => Promise<void>) => Promise<Result>) | undefined {
    return this.#ofRoutes.length === 0 ? undefined : this.#visit
  }

  readonly #visit = (visit: Omit<RouteVisit, 'log'>, answer: () => Promise<void>): Promise<Result> => {
    const { method, path } = visit.route
    return surroundedBeyond(this.#ofRoutes, visit, `${method} ${path}`, async () => {
      await answer()
      return { kind: 'nothing' }
    })
  }

  report(command: Command, error: unknown): void {
    const entry = this.#table.find(command.path)
    if (entry !== undefined && (isUndeclared(error) || isDefect(error))) this.#reports.tell(entry.plugin, command, error)
  }

  /** Ends running calls, and refuses new ones: the host stops. */
  async abortAll(): Promise<void> {
    this.#stopping = true
    for (const call of this.#running) call.abort(hostErrors.E_HOST_STOPPING())
    // a hook that writes down how a call ended needs its service a moment longer
    await within(LAST_WORDS, this.#flow.left())
  }

  #invoke(entry: CallableCommand, call: RunningCall): Promise<Result> {
    call.inside = entry.plugin
    return resultOf(entry, entry.command.run(entry.services, call))
  }

  #end(call: RunningCall, failed = false): void {
    if (!this.#running.delete(call)) return
    call.done()
    const now = performance.now()
    this.#occupants.ended(call, now)
    call.counts.count((now - call.began) / 1000, failed)
    this.#options.activity.finish(call.record)
  }

  /** A reply that flows ends with its call, and at once when the call is aborted. */
  #guard(entry: CallableCommand, call: RunningCall, result: Result): Result {
    call.inside = entry.plugin
    const { checkReplies } = this.#options
    // An array is all there already.
    if (result.kind === 'stream' && (checkReplies || !Array.isArray(result.items))) {
      const items = checkReplies ? checked(entry, result.items) : result.items
      return { ...result, items: this.#flow.of(entry, call, items) }
    }
    if (result.kind === 'bytes' && !Array.isArray(result.bytes)) return { ...result, bytes: this.#flow.of(entry, call, result.bytes) }
    this.#end(call)
    if (result.kind === 'value' && checkReplies) check(entry, 'value', result.value)
    return result
  }
}

function remembered<K extends object, V>(map: WeakMap<K, V>, key: K, make: () => V): V {
  let value = map.get(key)
  if (value === undefined) {
    value = make()
    map.set(key, value)
  }
  return value
}
