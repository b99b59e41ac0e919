import { nodeConfigModel } from '../config/node/index.ts'
import {
  Activity,
  type AnyProvision,
  type Command,
  Host,
  isOptional,
  type Logger,
  type LogLevel,
  Logs,
  Metrics,
  MetricsReport,
  messageOf,
  NodeConfigModel,
  type Plugin,
  type PluginState,
  Repo,
  RepoLocation,
  RPC_LEVEL,
  type Startable,
  type SwitchedOff,
  type Token,
  tokenName,
  tokenOf
} from '../core/index.ts'
import { type CatalogueEntry, catalogue } from '../plugins/catalogue.ts'
import { ActivityList } from './activity.ts'
import { culpritOf } from './blame.ts'
import { type BoundListener, boundHooks, boundListeners, boundRoutes, missingNeed, type Sources } from './bound.ts'
import type { Calls } from './calls.ts'
import { type Composition, compose } from './composition.ts'
import { FINISHED_CALLS, type HostConfiguration, type OnFailure, onFailureOf } from './configuration.ts'
import { type OwnServices, PluginContainer, ServiceRegistry } from './container.ts'
import { hostErrors } from './errors.ts'
import { type InProcessRequest, outcome, requestOf } from './in-process.ts'
import { type Living, PATIENCE_MS, restAll, startOne, stopAll } from './lifecycle.ts'
import { type Loaded, loadPlugins, type NotLoaded } from './loader.ts'
import { HostLogs, type LogOptions } from './logs/logs.ts'
import { callFamilies, trafficFamilies } from './metrics/calls.ts'
import { HostMetrics } from './metrics/metrics.ts'
import { ProcessMetrics } from './metrics/process.ts'
import type { BoundRoute } from './rpc/routes.ts'
import { Runner } from './runner.ts'
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
  readonly #registry = new ServiceRegistry()
  readonly #loaded: readonly Loaded[]
  readonly #notLoaded: NotLoaded[]
  readonly #composition: Composition
  readonly #runner: Runner
  readonly #tallies = new Tallies()
  readonly #metrics: HostMetrics
  readonly #process = new ProcessMetrics()
  /** What goes through the listeners of the RPC. */
  readonly traffic = new Traffic()
  readonly #living: Living[] = []
  readonly #states = new Map<string, { state: PluginState['state']; reason?: string; startedAt?: Date; startTime?: number }>()
  /** What each started plugin's commands and routes get besides the services of the host. */
  readonly #own = new Map<string, OwnServices>()
  readonly #closers: Array<() => Promise<void>> = []
  readonly #log: Logger
  #state: State = 'created'
  #stopped: Promise<Error[]> | undefined
  #onShutdown: (reason: string) => void = () => {}

  constructor(options: HostOptions, loaded: readonly Loaded[], notLoaded: readonly NotLoaded[], composition: Composition) {
    this.#options = options
    this.#loaded = loaded
    this.#notLoaded = [...notLoaded]
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
    this.#registry.set(Host, this)
    this.#registry.set(Logs, this.logs)
    this.#registry.set(Activity, activity)
    this.#registry.set(Metrics, this.#metrics.of('host'))
    this.#registry.set(MetricsReport, this.#metrics)
    this.#registry.set(RepoLocation, options.repo ?? { path: undefined, init: {} })
    this.#registry.set(NodeConfigModel, nodeConfigModel)
    for (const { token, value } of options.services ?? []) this.#registry.set(token, value)
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

  /** Starts every plugin, providers first. On an error that means abort, what had started is stopped again. */
  async start(): Promise<void> {
    if (this.#state !== 'created') throw hostErrors.E_HOST_STATE('start', this.#state)
    this.#state = 'starting'
    try {
      for (const one of this.#composition.order) await this.#startPlugin(one)
      for (const one of this.#composition.order) this.#requireNeeds(one)
      this.#runner.surround(this.#sources().flatMap(boundHooks))
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
    for (const error of restAll(this.#living)) this.#log.error(error.message)
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
    const patience = this.#options.patience ?? PATIENCE_MS
    const listeners = this.#closers.map((close, i) => ({ plugin: 'host', what: `listener ${i + 1}`, instance: { stop: close } }))
    // a listener gives running requests time of its own
    const errors = await stopAll(listeners, LISTENER_PATIENCE_MS)
    await this.#runner.drain(0)
    errors.push(...(await stopAll(this.#living, patience)))
    for (const error of errors) this.#log.error(error.message)
    for (const [name, entry] of this.#states) if (entry.state === 'started') this.#states.set(name, { ...entry, state: 'stopped' })
    this.#process.stop()
    this.#state = 'stopped'
    return errors
  }

  async #startPlugin({ plugin, from, settings }: Loaded): Promise<void> {
    const began = performance.now()
    const log = this.logs.get(plugin.name)
    try {
      const missing = plugin.requires.find(need => !isOptional(need) && !this.#registry.has(tokenOf(need)))
      if (missing !== undefined)
        throw hostErrors.E_SERVICE_MISSING(tokenName(tokenOf(missing)), [plugin.name], this.#whyAbsent(tokenName(tokenOf(missing))))
      const container = new PluginContainer(plugin, this.#registry, { settings, log, metrics: this.#metricsOf(plugin.name) })
      for (const provision of plugin.provides) {
        if (!this.#provides(plugin, provision.token)) continue
        const instance = container.make(provision)
        await this.#startMade(plugin, container)
        this.#registry.set(provision.token, instance)
      }
      const own = container.own()
      await this.#startMade(plugin, container)
      this.#own.set(plugin.name, own)
      this.#states.set(plugin.name, { state: 'started', startedAt: new Date(), startTime: performance.now() - began })
    } catch (error) {
      this.#fail(plugin, from, error)
    }
  }

  /** Starts what the plugin's container made, each behind those it was made of. */
  async #startMade(plugin: Plugin, container: PluginContainer): Promise<void> {
    for (const { token, instance } of container.fresh()) {
      if (this.#given(token) || !(this.#provides(plugin, token) || plugin.internal.some(own => own.token === token))) continue
      const living: Living = { plugin: plugin.name, what: `service '${tokenName(token)}'`, instance: instance as Startable }
      // one class may serve several tokens; it has one life
      if (this.#living.some(other => other.instance === instance)) continue
      this.#living.push(living)
      await startOne(living, this.#options.patience)
    }
  }

  #provides({ name }: Plugin, token: symbol): boolean {
    return this.#composition.providers.get(tokenName(token)) === name && !this.#given(token)
  }

  #fail(plugin: Plugin, from: string, error: unknown): void {
    const failure = hostErrors.E_PLUGIN_FAILED(plugin.name, from, messageOf(error))
    failure.cause = error
    if (this.onFailure(plugin.name) === 'abort') throw failure
    for (const { token } of plugin.provides) if (this.#provides(plugin, token)) this.#registry.delete(token)
    this.#own.delete(plugin.name)
    this.#states.set(plugin.name, { state: 'failed', reason: messageOf(error) })
    this.#log.error(failure.message)
  }

  /** A plugin whose hooks, routes or listeners lack a service counts as failed: a hook that is left out could be the one that guards. */
  #requireNeeds({ plugin, from }: Loaded): void {
    const own = this.#own.get(plugin.name)
    const missing = own === undefined ? undefined : missingNeed({ plugin, registry: this.#registry, own })
    if (missing !== undefined) this.#fail(plugin, from, hostErrors.E_SERVICE_MISSING(missing, [plugin.name], this.#whyAbsent(missing)))
  }

  #metricsOf(plugin: string): Metrics {
    return this.#given(Metrics) ? this.#registry.get(Metrics)! : this.#metrics.of(plugin)
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

  #given(token: symbol): boolean {
    return this.#options.services?.some(provision => provision.token === token) ?? false
  }

  #whyAbsent(service: string): string {
    const provider = this.#composition.providers.get(service)
    const failed = provider === undefined ? undefined : this.#states.get(provider)
    return failed?.reason === undefined ? '' : `: the plugin '${provider}' failed: ${failed.reason}`
  }

  /** The started plugins in the order of their start. */
  #sources(): Sources[] {
    return this.#composition.order.flatMap(({ plugin }) => {
      const own = this.#own.get(plugin.name)
      return own === undefined ? [] : [{ plugin, registry: this.#registry, own }]
    })
  }

  /** A command whose plugin failed, or whose needs failed, stays away and says why. */
  #open(command: Command, plugin: Plugin): void {
    const state = this.#states.get(plugin.name)
    const own = this.#own.get(plugin.name)
    if (state?.state === 'failed' || own === undefined) {
      this.#runner.switchOff(command.path, `its plugin '${plugin.name}' failed: ${state?.reason}`)
      return
    }
    const missing = Object.values(command.needs).find(
      need => !isOptional(need) && !own.has(tokenOf(need)) && !this.#registry.has(tokenOf(need))
    )
    if (missing !== undefined) {
      const service = tokenName(tokenOf(missing))
      this.#runner.switchOff(command.path, `it needs the service '${service}', which nobody provides${this.#whyAbsent(service)}`)
      return
    }
    this.#runner.add(command, plugin.name, own)
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
    const opened = new Set(this.#runner.commands())
    const loaded = this.#loaded.map(({ plugin, from }) => ({
      name: plugin.name,
      status: plugin.status,
      about: plugin.about,
      from,
      state: 'loaded' as const,
      ...this.#states.get(plugin.name),
      commands: plugin.commands.filter(command => opened.has(command)).map(command => command.path),
      services: plugin.provides.map(({ token }) => tokenName(token)).filter(name => this.#composition.providers.get(name) === plugin.name)
    }))
    const absent = this.#notLoaded.map(({ name, status, about, from, state, reason }) => ({
      name,
      status,
      about,
      from,
      state,
      reason,
      commands: [],
      services: []
    }))
    return [...loaded, ...absent]
  }

  /** The routes that plugins declare for a listener, with their services. Known once the host has started. */
  routes(listener: string): BoundRoute[] {
    return this.#sources().flatMap(sources => boundRoutes(sources, listener))
  }

  /** The listeners that plugins open themselves. Known once the host has started. */
  listeners(): BoundListener[] {
    return this.#sources().flatMap(boundListeners)
  }

  /** What the configuration says of a plugin's failure. */
  onFailure(plugin: string): OnFailure {
    return onFailureOf(this.configuration, plugin, ...(this.#loaded.find(one => one.plugin.name === plugin)?.keys ?? []))
  }

  /** The plugin outside this package whose file comes first in an error's stack. */
  culpritOf(error: unknown): string | undefined {
    return culpritOf(error, this.#loaded)
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
  const own = new Map(
    [Activity, Host, Logs, Metrics, MetricsReport, NodeConfigModel, RepoLocation].map(token => [tokenName(token), { replaces: false }])
  )
  for (const { token } of options.services ?? []) own.set(tokenName(token), { replaces: true })
  const composition = compose(all, configuration, where, own)
  return new NodeHost(options, all.loaded, all.notLoaded, composition)
}

/** The repo of a started host. */
export function repoOf(host: NodeHost): Repo {
  const repo = host.service(Repo)
  if (repo === undefined) throw hostErrors.E_SERVICE_MISSING('repo', ['the RPC listener'], '')
  return repo
}
