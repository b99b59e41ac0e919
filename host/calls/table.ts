import { type Command, Log, type Logger, type SwitchedOff } from '../../core/index.ts'
import { hostErrors } from '../errors.ts'
import { type PluginServices, type ServiceRegistry, servicesOf } from '../plugins/registry.ts'
import type { CallCounts, CallCountsByCommand } from './call-counts.ts'
import type { ResolvedHook } from './resolved-hook.ts'

/** A command ready to be called: its plugin's name, and its services once they have started. */
export interface CallableCommand {
  readonly command: Command
  readonly plugin: string
  readonly services: Readonly<Record<string, unknown>>
  /** The hooks around its calls, outermost first. */
  readonly hooks: readonly ResolvedHook[]
  /** The hooks around calls of it that are none: their words do not bind. */
  readonly malformed: readonly ResolvedHook[]
  readonly log: Logger
  readonly counts: CallCounts
}

/** The commands of a host: those that answer, and why others do not. */
export class CommandTable {
  readonly #entries = new Map<string, CallableCommand>()
  readonly #off = new Map<string, SwitchedOff>()
  readonly #registry: ServiceRegistry
  readonly #callCounts: CallCountsByCommand
  #sorted: readonly Command[] | undefined

  constructor(registry: ServiceRegistry, callCounts: CallCountsByCommand) {
    this.#registry = registry
    this.#callCounts = callCounts
  }

  /** Opens a command; its services have started. `pluginServices` are those that its plugin keeps to itself. */
  add(command: Command, plugin: string, pluginServices: PluginServices, hooks: readonly ResolvedHook[]): void {
    const concerned = hooks.filter(({ only }) => only(command))
    this.#entries.set(command.path, {
      command,
      plugin,
      services: servicesOf(command.needs, this.#registry, pluginServices),
      hooks: concerned,
      malformed: concerned.filter(({ also }) => also.has('malformed')),
      log: pluginServices.get(Log) as Logger,
      counts: this.#callCounts.of(command.path)
    })
    this.#sorted = undefined
  }

  switchOff(off: SwitchedOff): void {
    this.#off.set(off.path, off)
  }

  find(path: string): CallableCommand | undefined {
    return this.#entries.get(path)
  }

  /** @throws E_NO_COMMAND with the setting that turned it off */
  get(path: string): CallableCommand {
    const entry = this.#entries.get(path)
    if (entry !== undefined) return entry
    const off = this.#off.get(path)?.reason
    throw hostErrors.E_NO_COMMAND(path, off === undefined ? '' : `: ${off}`)
  }

  commands(): readonly Command[] {
    this.#sorted ??= [...this.#entries.values()].map(entry => entry.command).sort((a, b) => (a.path < b.path ? -1 : 1))
    return this.#sorted
  }

  get off(): ReadonlyMap<string, SwitchedOff> {
    return this.#off
  }
}
