import {
  type AnyProvision,
  type Command,
  type Host,
  type Logger,
  type LogLevel,
  Metrics,
  type Plugin,
  type PluginState,
  Repo,
  type RepoLocation,
  RPC_LEVEL,
  type SwitchedOff,
  type Token,
  tokenName
} from '../core/index.ts'
import { type CatalogueEntry, catalogue } from '../plugins/catalogue.ts'
import { ActivityList } from './activity.ts'
import type { Calls } from './calls.ts'
import { FINISHED_CALLS, type HostConfiguration, type OnFailure, onFailureOf } from './configuration.ts'
import { hostErrors } from './errors.ts'
import { type InProcessRequest, outcome, requestOf } from './in-process.ts'
import { HostLogs, type LogOptions } from './logs/logs.ts'
import { callFamilies, trafficFamilies } from './metrics/calls.ts'
import { HostMetrics } from './metrics/metrics.ts'
import { ProcessMetrics } from './metrics/process.ts'
import { type Composition, compose } from './plugins/compose.ts'
import { culpritOf } from './plugins/culprit.ts'
import {
  type BoundListener,
  boundHooks,
  boundListeners,
  boundRoutes,
  type PlannedListener,
  plannedListeners
} from './plugins/declarations.ts'
import { refuseLayers } from './plugins/layers.ts'
import { stopAll } from './plugins/lifecycle.ts'
import { loadPlugins, type Plugins } from './plugins/load.ts'
import { ServiceRegistry } from './plugins/registry.ts'
import { StartedPlugins } from './plugins/start.ts'
import { pluginStates } from './plugins/states.ts'
import type { BoundRoute } from './rpc/routes.ts'
import { Runner } from './runner.ts'
import { HOST_SERVICES, hostServices } from './services.ts'
import { Tallies } from './tally.ts'
import { Traffic } from './traffic.ts'
import { version } from './version.ts'

export interface HostOptions {
  /** What to load and with which settings; see `holdfast.config.*`. */
  readonly configuration?: HostConfiguration
  /** The file the configuration was read from, for messages. */
  readonly configurationFile?: string
  /** The folder that plugin files and packages are found from. Default: the configuration file's, else the working directory. */
  readonly base?: string
  /** Where the repo is and whether to make it. Without one, everything is kept in memory. */
  readonly repo?: RepoLocation
  /** Plugins handed over as values, beside those of the configuration. */
  readonly plugins?: readonly Plugin[]
  /** Services handed over as values; each takes the place of whoever would provide it. For tests. */
  readonly services?: readonly AnyProvision[]
  readonly logLevel?: LogLevel
  /** The log beside its level: what single subsystems write, in which form, and where to. */
  readonly log?: LogOptions
  /** Built-ins to choose from. Default: all that ship. */
  readonly catalogue?: readonly CatalogueEntry[]
  /** How long one service may take to start or stop without progress, in milliseconds. Default 10,000. */
  readonly patience?: number
}

/** Longer than a listener waits for the requests that run (`rpc.limits.stopGraceMs`, 30 s by default). */
const LISTENER_PATIENCE_MS = 120_000

type State = 'created' | 'starting' | 'started' | 'stopping' | 'stopped'

/** A node: plugins loaded and ordered, their services, and the calls they answer. Several can live in one process. */
export class NodeHost implements Host {
  readonly version = version
  readonly logs: HostLogs
  readonly #options: HostOptions
  readonly #plugins: Plugins
  readonly #composition: Composition
  readonly #registry = new ServiceRegistry()
  readonly #started: StartedPlugins
  readonly #runner: Runner
  readonly #tallies = new Tallies()
  readonly #metrics: HostMetrics
  readonly #process = new ProcessMetrics()
  /** What goes through the listeners of the RPC. */
  readonly traffic = new Traffic()
  readonly #closers: Array<() => Promise<void>> = []
  readonly #log: Logger
  #state: State = 'created'
  #stopped: Promise<Error[]> | undefined
  #onShutdown: (reason: string) => void = () => {}

  constructor(options: HostOptions, plugins: Plugins, composition: Composition) {
    this.#options = options
    this.#plugins = plugins
    this.#composition = composition
    this.logs = new HostLogs({ ...options.log, level: options.logLevel ?? options.log?.level })
    this.#log = this.logs.get('host')
    const activity = new ActivityList(options.configuration?.calls?.finished ?? FINISHED_CALLS)
    this.#runner = new Runner({
      activity,
      tallies: this.#tallies,
      registry: this.#registry,
      checkReplies: options.configuration?.rpc?.checkReplies ?? false,
      log: this.#log
    })
    this.#metrics = this.#measure()
    for (const { token, value } of hostServices({ host: this, activity, metrics: this.#metrics, repo: options.repo }))
      this.#registry.set(token, value)
    const given = new Set<symbol>()
    for (const { token, value } of options.services ?? []) {
      given.add(token)
      this.#registry.set(token, value)
    }
    this.#started = new StartedPlugins({
      composition,
      registry: this.#registry,
      repo: options.repo?.path,
      given,
      patience: options.patience,
      logOf: name => this.logs.get(name),
      metricsOf: name => (given.has(Metrics) ? this.#registry.get(Metrics)! : this.#metrics.of(name)),
      isVital: name => this.onFailure(name) === 'abort'
    })
  }

  /** What listeners and command lines call commands through. */
  get calls(): Calls {
    return this.#runner
  }

  /** A started service by its token, for whoever holds the host. */
  service<T>(token: Token<T>): T | undefined {
    return this.#registry.get(token)
  }

  get configuration(): HostConfiguration {
    return this.#options.configuration ?? {}
  }

  /** Throws what would keep the host from starting, as far as that can be told without starting anything. Nothing is changed. */
  async checkStart(): Promise<void> {
    const path = this.#options.repo?.path
    if (path !== undefined) await refuseLayers(this.#composition, path, name => this.onFailure(name) === 'abort')
  }

  /** Lines of the configuration that may be mistakes. */
  get doubts(): readonly string[] {
    return this.#composition.doubts
  }

  /** Starts every plugin, providers first. On an error that means abort, what had started is stopped again. */
  async start(): Promise<void> {
    if (this.#state !== 'created') throw hostErrors.E_HOST_STATE('start', this.#state)
    this.#state = 'starting'
    try {
      await this.#started.start()
      this.#runner.surround(this.#started.sources().flatMap(boundHooks))
      for (const { command, plugin } of this.#composition.commands) this.#open(command, plugin)
      for (const [path, reason] of this.#composition.off) this.#runner.switchOff(path, reason)
      this.#state = 'started'
    } catch (error) {
      this.#state = 'started'
      await this.stop()
      throw error
    }
  }

  /** Something to close before any service stops, such as a listener. Last come, first closed. */
  beforeStop(close: () => Promise<void>): void {
    this.#closers.push(close)
  }

  /** Has services give memory back that they can have again, for when there is nothing to do. */
  rest(): void {
    for (const error of this.#started.rest()) this.#log.error(error.message)
  }

  /** Stops listeners, then services in reverse order. Never throws. @returns what went wrong on the way */
  stop(): Promise<Error[]> {
    this.#stopped ??= this.#stop()
    return this.#stopped
  }

  async #stop(): Promise<Error[]> {
    if (this.#state === 'created') return []
    this.#state = 'stopping'
    // whoever follows the log would keep its listener open
    this.logs.close()
    const listeners = this.#closers.map((close, i) => ({ plugin: 'host', what: `listener ${i + 1}`, instance: { stop: close } }))
    // a listener gives running requests time of its own
    const errors = await stopAll(listeners, LISTENER_PATIENCE_MS)
    await this.#runner.drain(0)
    errors.push(...(await this.#started.stop()))
    for (const error of errors) this.#log.error(error.message)
    this.#process.stop()
    this.#state = 'stopped'
    return errors
  }

  #measure(): HostMetrics {
    const metrics = new HostMetrics(this.#log)
    const info = { version: RPC_LEVEL, commit: `holdfast/${version}` }
    const own = metrics.of('host')
    own.observed({ name: 'ipfs_info', whole: true, type: 'gauge', help: 'What this node is.' }, () => [{ value: 1, labels: info }])
    metrics.from(() => callFamilies(this.#tallies, () => this.#runner.running))
    metrics.from(() => trafficFamilies({ api: this.traffic }))
    metrics.from(() => this.#process.families())
    return metrics
  }

  /** A command whose plugin failed, or whose needs failed, stays away and says why. */
  #open(command: Command, plugin: Plugin): void {
    const own = this.#started.own(plugin.name)
    if (own === undefined) {
      this.#runner.switchOff(command.path, `its plugin '${plugin.name}' failed: ${this.#started.states.get(plugin.name)?.reason}`)
      return
    }
    const missing = this.#started.missing(Object.values(command.needs), own)
    if (missing === undefined) this.#runner.add(command, plugin.name, own)
    else this.#runner.switchOff(command.path, `it needs the service '${missing}', which nobody provides${this.#started.whyAbsent(missing)}`)
  }

  /**
   * Calls a command in this process, past HTTP: `await host.call('pin/add', { args: ['Qm…'], options: { name: 'x' } })`.
   *
   * @returns the object of a `value` reply, an async iterable for `stream` and `bytes`, undefined for `nothing`
   * @throws NodeError what the command answers; E_NO_COMMAND with the setting that turned it off
   */
  async call(path: string, request: InProcessRequest = {}): Promise<unknown> {
    if (this.#state !== 'started') throw hostErrors.E_HOST_STATE(`call '${path}'`, this.#state)
    const command = this.#runner.get(path)
    if (command === undefined) {
      const off = this.#runner.whyOff(path)
      throw hostErrors.E_NO_COMMAND(path, off === undefined ? '' : `: ${off}`)
    }
    return outcome(await this.#runner.run(command, requestOf(command, request)))
  }

  commands(): readonly Command[] {
    return this.#runner.commands()
  }

  switchedOff(): readonly SwitchedOff[] {
    return [...this.#runner.switchedOff()].map(([path, reason]) => ({ path, reason })).sort((a, b) => (a.path < b.path ? -1 : 1))
  }

  plugins(): readonly PluginState[] {
    return pluginStates(this.#plugins, this.#started.states, this.#composition.providers, this.#runner.commands())
  }

  /** The routes that plugins declare for a listener, with their services. Known once the host has started. */
  routes(listener: string): BoundRoute[] {
    return this.#started.sources().flatMap(sources => boundRoutes(sources, listener))
  }

  /** The listeners that plugins open themselves. Known once the host has started. */
  listeners(): BoundListener[] {
    return this.#started.sources().flatMap(boundListeners)
  }

  /** The same before the host has started, of those whose place is known by then. */
  plannedListeners(): PlannedListener[] {
    return this.#composition.order.flatMap(plannedListeners)
  }

  /** What the configuration says of a plugin's failure. */
  onFailure(plugin: string): OnFailure {
    return onFailureOf(this.configuration, plugin, ...(this.#plugins.loaded.find(one => one.plugin.name === plugin)?.keys ?? []))
  }

  /** The plugin outside this package whose file comes first in an error's stack. */
  culpritOf(error: unknown): string | undefined {
    return culpritOf(error, this.#plugins.loaded)
  }

  shutdown(reason: string): void {
    this.#onShutdown(reason)
  }

  /** What `shutdown` (a command, a signal) means to whoever runs this host. */
  onShutdown(act: (reason: string) => void): void {
    this.#onShutdown = act
  }
}

/** Loads and orders what the configuration wants. Nothing has started yet; whatever a person has to mend is thrown here. */
export async function createHost(options: HostOptions = {}): Promise<NodeHost> {
  const configuration = options.configuration ?? {}
  const where = options.configurationFile ?? 'the configuration'
  const base = options.base ?? process.cwd()
  const all = await loadPlugins({ catalogue: options.catalogue ?? catalogue, configuration, where, base, given: options.plugins })
  const own = new Map(HOST_SERVICES.map(token => [tokenName(token), { replaces: false }]))
  for (const { token } of options.services ?? []) own.set(tokenName(token), { replaces: true })
  const composition = compose(all, configuration, where, own)
  return new NodeHost(options, all, composition)
}

/** The repo of a started host. */
export function repoOf(host: NodeHost): Repo {
  const repo = host.service(Repo)
  if (repo === undefined) throw hostErrors.E_SERVICE_MISSING('repo', ['the RPC listener'], '')
  return repo
}
