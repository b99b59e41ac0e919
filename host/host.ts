import {
  type Command,
  DEFAULT_LEVEL,
  type Host,
  type NodeKeyReader,
  type PluginState,
  type RpcLevel,
  type SwitchedOff,
  type Token
} from '../core/index.ts'
import { callInProcess, type InProcessRequest } from './calls/in-process.ts'
import { openCommands } from './calls/open.ts'
import { type HostConfiguration, type OnFailure, onFailureOf } from './configuration.ts'
import { hostErrors } from './errors.ts'
import type { ResolvedRoute } from './http/routes/plugin-routes.ts'
import type { HostOptions } from './options.ts'
import { type HostParts, partsOf } from './parts.ts'
import type { Composition } from './plugins/compose/composition.ts'
import { type ResolvedListener, resolvedListeners, resolvedRoutes } from './plugins/compose/declarations.ts'
import { culpritOf } from './plugins/load/culprit.ts'
import type { Plugins } from './plugins/load/load.ts'
import { nodeKeyReaders } from './plugins/node-keys.ts'
import { pluginStates } from './plugins/states.ts'
import { stopHost } from './stop.ts'
import { version } from './version.ts'
import { watchLoop } from './watch/index.ts'

type State = 'created' | 'starting' | 'started' | 'stopping' | 'stopped'

/** A node: plugins loaded and ordered, their services, and the calls they answer. Several can live in one process. */
export class NodeHost implements Host {
  readonly version = version
  readonly level: RpcLevel
  readonly logs: HostParts['logs']
  /** The calls that listeners, command lines and transports of plugins make commands run by. */
  readonly calls: HostParts['calls']
  /** The counts of requests and bytes of the listeners of the RPC. */
  readonly requestCounts: HostParts['requestCounts']
  /** What keeps it from its work. */
  readonly health: HostParts['health']
  readonly configuration: HostConfiguration
  /** The plan of the start, told before it. */
  readonly planned: HostParts['planned']
  readonly #plugins: Plugins
  readonly #parts: HostParts
  readonly #closers: Array<() => Promise<void>> = []
  #state: State = 'created'
  #stopped: Promise<Error[]> | undefined
  #onShutdown: ((reason: string) => void) | undefined

  constructor(options: HostOptions, plugins: Plugins, composition: Composition) {
    this.configuration = options.configuration ?? {}
    this.level = this.configuration.rpc?.level ?? DEFAULT_LEVEL
    this.#plugins = plugins
    this.#parts = partsOf(this, options, composition, name => this.onFailure(name) === 'abort')
    this.logs = this.#parts.logs
    this.calls = this.#parts.calls
    this.health = this.#parts.health
    this.requestCounts = this.#parts.requestCounts
    this.planned = this.#parts.planned
  }

  /** A started service by its token, for whoever holds the host. */
  service<T>(token: Token<T>): T | undefined {
    return this.#parts.registry.get(token)
  }

  /** Starts every plugin, providers first. On an error that means abort, what had started is stopped again. */
  async start(): Promise<void> {
    if (this.#state !== 'created') throw hostErrors.E_HOST_STATE('start', this.#state)
    this.#state = 'starting'
    try {
      await this.#parts.started.start()
      this.calls.surround(this.#parts.started.hooks())
      openCommands(this.calls, this.#parts.composition, this.#parts.started)
      this.#state = 'started'
    } catch (error) {
      this.#state = 'started'
      await this.stop()
      throw error
    }
  }

  /** Tells the log from now on when the event loop is blocked, and by whom. */
  async watch(): Promise<void> {
    this.beforeStop(await watchLoop(this.#parts, this.#plugins.loaded, this.configuration.calls?.blockedMs))
  }

  /** Something to close before any service stops, such as a listener. Last come, first closed. */
  beforeStop(close: () => Promise<void>): void {
    this.#closers.push(close)
  }

  /** Has services give memory back that they can have again, for when there is nothing to do. */
  releaseMemory(): void {
    for (const error of this.#parts.started.releaseMemory()) this.#parts.log.error(error.message)
  }

  /** Stops listeners, then services in reverse order. Never throws. @returns what went wrong on the way */
  stop(): Promise<Error[]> {
    this.#stopped ??= this.#stop()
    return this.#stopped
  }

  async #stop(): Promise<Error[]> {
    if (this.#state === 'created') return []
    this.#state = 'stopping'
    const errors = await stopHost(this.#parts, this.#closers)
    this.#state = 'stopped'
    return errors
  }

  /**
   * Calls a command in this process: `host.call('pin/add', { args: ['Qm…'], options: { name: 'x' } })`.
   * @returns the object of a `value` reply, an async iterable for `stream` and `bytes`, undefined for `nothing`
   * @throws NodeError what the command answers; E_NO_COMMAND with the setting that turned it off
   */
  async call(path: string, request: InProcessRequest = {}): Promise<unknown> {
    if (this.#state !== 'started') throw hostErrors.E_HOST_STATE(`call '${path}'`, this.#state)
    return callInProcess(this.calls, path, request)
  }

  commands(): readonly Command[] {
    return this.calls.commands()
  }

  switchedOff(): readonly SwitchedOff[] {
    return this.calls.switchedOff()
  }

  plugins(): readonly PluginState[] {
    return pluginStates(this.#plugins, this.#parts.started.states, this.#parts.composition, this.calls.commands())
  }

  nodeKeyReaders(): readonly NodeKeyReader[] {
    return nodeKeyReaders(this.#plugins, this.#parts.started.states)
  }

  /** The routes that plugins declare for a listener, with their services. Known once the host has started. */
  routes(listener: string): ResolvedRoute[] {
    return this.#parts.started.sources().flatMap(sources => resolvedRoutes(sources, listener, this.calls.visit))
  }

  /** The listeners that plugins open themselves. Known once the host has started. */
  listeners(): ResolvedListener[] {
    return this.#parts.started.sources().flatMap(resolvedListeners)
  }

  /** The configuration's word on a plugin's failure. */
  onFailure(plugin: string): OnFailure {
    return onFailureOf(this.configuration, plugin, ...(this.#plugins.loaded.find(one => one.plugin.name === plugin)?.keys ?? []))
  }

  /** The plugin outside this package whose file comes first in an error's stack. */
  culpritOf(error: unknown): string | undefined {
    return culpritOf(error, this.#plugins.loaded)
  }

  /** @throws E_NO_DAEMON where nobody said what that means: a command that works on the repo without a node */
  shutdown(reason: string): void {
    if (this.#onShutdown === undefined) throw hostErrors.E_NO_DAEMON()
    this.#onShutdown(reason)
  }

  /** The meaning of `shutdown` (a command, a signal) for whoever runs this host. */
  onShutdown(act: (reason: string) => void): void {
    this.#onShutdown = act
  }
}
