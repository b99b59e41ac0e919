import {
  inner,
  Log,
  type Logger,
  Metrics,
  messageOf,
  type Need,
  type Plugin,
  Repo,
  Resources,
  Settings,
  type Startable,
  StorageLayers,
  type Token,
  token,
  tokenName,
  tokenOf
} from '../../core/index.ts'
import { isInitialised } from '../../core/repo/layout.ts'
import { innerName } from '../../core/token.ts'
import type { ResolvedHook } from '../calls/resolved-hook.ts'
import { hostErrors } from '../errors.ts'
import type { Composition } from './compose/composition.ts'
import { resolvedHooks, type Sources } from './compose/declarations.ts'
import { layersOf } from './compose/layers.ts'
import { needsAround, remedy, unmet } from './compose/needs.ts'
import { Untouched } from './compose/untouched.ts'
import { PluginContainer } from './container.ts'
import { asPlugin, leftRunning, noting, toldOf } from './left.ts'
import { afterStartOf, FOREIGN_STOP_MS, type Living, PATIENCE_MS, releaseMemoryOfAll, startOne, stopAll } from './lifecycle.ts'
import type { LoadedPlugin } from './load/load.ts'
import type { PluginServices, ServiceRegistry } from './registry.ts'
import { PluginResources } from './resources.ts'
import type { State } from './states.ts'

interface StartOptions {
  readonly composition: Composition
  readonly registry: ServiceRegistry
  /** The repo's folder; undefined where everything is kept in memory. */
  readonly repo: string | undefined
  /** The services that somebody gave in the stead of every plugin. */
  readonly given: ReadonlySet<symbol>
  /** How long one service may take to start or stop, in milliseconds. */
  readonly patience: number | undefined
  logOf(plugin: string): Logger
  metricsOf(plugin: string): Metrics
  isVital(plugin: string): boolean
  /** Whether a plugin has a part in what the host is for. */
  hasPart(one: LoadedPlugin): boolean
}

/** The plugins of a host that have started: their services, and what became of each plugin. */
export class StartedPlugins {
  readonly states = new Map<string, State>()
  readonly #options: StartOptions
  readonly #living: Living[] = []
  /** The services that each started plugin's commands and routes get besides those of the host. */
  readonly #pluginServices = new Map<string, PluginServices>()
  /** The wrapped services, by name and the plugin that wraps them. */
  readonly #wrapped = new Map<string, unknown>()
  /** Plugins that have no part in what the host is for. */
  readonly #spared = new Set<string>()
  /** Whether the repo's folder held none before. */
  #isNew = false

  constructor(options: StartOptions) {
    this.#options = options
  }

  /** Starts every plugin, providers first. @throws E_PLUGIN_FAILED of the first that is vital */
  async start(): Promise<void> {
    const { order, notLoaded, doubts } = this.#options.composition
    for (const { state, reason } of notLoaded) if (state === 'failed') this.#options.logOf('host').error(reason)
    await this.#layer()
    for (const doubt of doubts) this.#options.logOf('host').error(doubt)
    for (const one of order) {
      if (this.states.has(one.plugin.name)) continue
      if (!this.#options.hasPart(one)) {
        this.#spared.add(one.plugin.name)
        continue
      }
      if (one.from === 'built-in') await this.#startPlugin(one)
      else await noting(one.plugin.name, () => this.#startPlugin(one))
    }
    // a hook that is left out for want of a service could be the one that guards
    for (const one of order) {
      const pluginServices = this.#pluginServices.get(one.plugin.name)
      if (pluginServices === undefined) continue
      const missing = this.missing(needsAround(one.plugin), pluginServices)
      if (missing !== undefined) this.#fail(one, hostErrors.E_SERVICE_MISSING(missing, [one.plugin.name], this.whyAbsent(missing)))
    }
    // users before providers: what all depend on, the repo, is complete when nothing can fail any more
    for (const one of order.toReversed()) {
      const started = this.#living.filter(({ plugin }) => plugin === one.plugin.name).reverse()
      const after = (living: Living) => afterStartOf(living, this.#options.patience).catch(error => this.#fail(one, error))
      for (const living of started) await (one.from === 'built-in' ? after(living) : asPlugin(one.plugin.name, () => after(living)))
    }
  }

  /** The hooks of the started plugins, outermost first. A plugin that cannot say what its own are about fails. @throws E_PLUGIN_FAILED of one that is vital */
  hooks(): ResolvedHook[] {
    const { order, commands } = this.#options.composition
    const all = commands.map(({ command }) => command)
    return order.flatMap(one => {
      const pluginServices = this.#pluginServices.get(one.plugin.name)
      if (pluginServices === undefined) return []
      const { registry } = this.#options
      try {
        // what it needs may have failed a moment ago
        const missing = this.missing(needsAround(one.plugin), pluginServices)
        if (missing !== undefined) throw hostErrors.E_SERVICE_MISSING(missing, [one.plugin.name], this.whyAbsent(missing))
        return resolvedHooks({ plugin: one.plugin, registry, pluginServices }, all)
      } catch (error) {
        this.#fail(one, error)
        return []
      }
    })
  }

  /** Stops all services, the last that started first. @returns what went wrong */
  async stop(): Promise<Error[]> {
    const { composition, patience } = this.#options
    const foreign = new Set(composition.order.filter(({ from }) => from !== 'built-in').map(({ plugin }) => plugin.name))
    const errors = await stopAll(this.#living, plugin => patience ?? (foreign.has(plugin) ? FOREIGN_STOP_MS : PATIENCE_MS))
    // what was just closed has gone a turn later
    await new Promise(resolve => setImmediate(resolve))
    const left = leftRunning().filter(({ plugin }) => this.states.has(plugin))
    for (const line of toldOf(left)) this.#options.logOf('host').error(`${line}: end it in the stop of a service, or give it to Resources`)
    for (const [name, entry] of this.states) if (entry.state === 'started') this.states.set(name, { ...entry, state: 'stopped' })
    return errors
  }

  /** Has services give memory back that they can have again. @returns what went wrong */
  releaseMemory(): Error[] {
    return releaseMemoryOfAll(this.#living)
  }

  /** The services that only this plugin has; undefined when it has not started. */
  pluginServices(plugin: string): PluginServices | undefined {
    return this.#pluginServices.get(plugin)
  }

  /** Whether the plugin was not started, as it has no part in what the host is for. */
  isSpared(plugin: string): boolean {
    return this.#spared.has(plugin)
  }

  /** The started plugins in the order of their start. */
  sources(): Sources[] {
    const { composition, registry } = this.#options
    return composition.order.flatMap(({ plugin }) => {
      const pluginServices = this.#pluginServices.get(plugin.name)
      return pluginServices === undefined ? [] : [{ plugin, registry, pluginServices }]
    })
  }

  /** The name of the first service that is needed for sure and is not there. */
  missing(needs: Iterable<Need>, pluginServices: PluginServices): string | undefined {
    return unmet(needs, token => pluginServices.has(token) || this.#options.registry.has(token))
  }

  whyAbsent(service: string): string {
    const name = innerName(token(service)) ?? service
    const { composition } = this.#options
    const { providers } = composition
    for (const provider of providers.get(name) ?? []) {
      const reason = this.states.get(provider)?.reason
      if (reason !== undefined) return `: the plugin '${provider}' failed: ${reason}`
    }
    return providers.has(name) ? '' : remedy(name, composition)
  }

  /** How services store what they keep is known before anything starts, so that one which cannot read what is there changes nothing. */
  async #layer(): Promise<void> {
    const { composition, registry, repo, patience } = this.#options
    if (repo === undefined) return
    this.#isNew = !(await isInitialised(repo))
    const { layers, failures } = await layersOf(composition, repo, patience)
    registry.set(StorageLayers, layers)
    for (const [one, error] of failures) this.#fail(one, error)
  }

  async #startPlugin(one: LoadedPlugin): Promise<void> {
    const { plugin, settings } = one
    const { registry, logOf, metricsOf } = this.#options
    const began = performance.now()
    const log = logOf(plugin.name)
    const resources = new PluginResources(log)
    const had: PluginServices = new Map<symbol, unknown>([
      [Settings, settings],
      [Log, log],
      [Metrics, metricsOf(plugin.name)],
      [Resources, resources],
      ...this.#within(plugin)
    ])
    this.#living.push({ plugin: plugin.name, what: 'what it held', instance: resources })
    try {
      const missing = this.missing(this.#needed(plugin), had)
      if (missing !== undefined) throw hostErrors.E_SERVICE_MISSING(missing, [plugin.name], this.whyAbsent(missing))
      const container = new PluginContainer(plugin, registry, had)
      for (const { token } of plugin.provides) {
        if (!this.#makes(plugin, token)) continue
        const instance = container.make(token)
        await this.#startMade(plugin, container)
        await this.#offer(plugin, token, instance)
      }
      const pluginServices = container.pluginServices()
      await this.#startMade(plugin, container)
      this.#pluginServices.set(plugin.name, pluginServices)
      this.states.set(plugin.name, { state: 'started', startedAt: new Date(), startTime: performance.now() - began })
    } catch (error) {
      this.#fail(one, error)
    }
  }

  /** Starts what the plugin's container made, each behind those it was made of. */
  async #startMade(plugin: Plugin, container: PluginContainer): Promise<void> {
    for (const { token, instance } of container.fresh()) {
      if (this.#options.given.has(token) || !(this.#makes(plugin, token) || plugin.internal.some(provision => provision.token === token)))
        continue
      // one object may serve several tokens; it has one life
      if (this.#living.some(other => other.instance === instance)) continue
      const living: Living = { plugin: plugin.name, what: `service '${tokenName(token)}'`, instance: instance as Startable }
      this.#living.push(living)
      await startOne(living, this.#options.patience)
    }
  }

  /** The services that its own need. One that it would wrap for a service that others make in its stead is not missing. */
  #needed({ name, requires }: Plugin): Need[] {
    return requires.filter(need => {
      const wrapped = innerName(tokenOf(need))
      return wrapped === undefined || this.#options.composition.providers.get(wrapped)?.includes(name)
    })
  }

  /** Hands a service to everybody, or to the plugin that wraps it. */
  async #offer({ name }: Plugin, token: Token<unknown>, instance: unknown): Promise<void> {
    const chain = this.#chain(token)
    const outer = chain[chain.indexOf(name) - 1]
    if (outer === undefined) {
      const { registry } = this.#options
      const service = tokenName(token)
      registry.set(token, instance)
      if (!this.#isNew || !registry.get(StorageLayers)?.get(service)?.length) return
      // it stops behind all who use the service, and before the service itself
      const living: Living = { plugin: name, what: `what '${service}' keeps`, instance: new Untouched(service, instance, registry) }
      this.#living.push(living)
      await startOne(living, this.#options.patience)
    } else this.#wrapped.set(wrapKey(tokenName(token), outer), instance)
  }

  /** The services that the plugin wraps, by the tokens of `inner`. */
  #within({ name, provides }: Plugin): Array<[symbol, unknown]> {
    return provides.flatMap(({ token }): Array<[symbol, unknown]> => {
      const key = wrapKey(tokenName(token), name)
      return this.#wrapped.has(key) ? [[inner(token), this.#wrapped.get(key)]] : []
    })
  }

  #makes({ name }: Plugin, token: symbol): boolean {
    return this.#chain(token).includes(name) && !this.#options.given.has(token)
  }

  #chain(token: symbol): readonly string[] {
    return this.#options.composition.providers.get(tokenName(token)) ?? []
  }

  #fail({ plugin, from }: LoadedPlugin, error: unknown): void {
    const failure = hostErrors.E_PLUGIN_FAILED(plugin.name, from, messageOf(error))
    failure.cause = error
    const isTold = this.states.get(plugin.name)?.state === 'failed'
    if (!isTold) this.states.set(plugin.name, { state: 'failed', reason: messageOf(error) })
    // nothing of a node works without its repo, and whatever failed behind it would hide why
    const isRepo = this.#options.repo !== undefined && plugin.provides.some(({ token: made }) => made === Repo)
    if (isRepo || this.#options.isVital(plugin.name)) throw failure
    // What else of it needs what failed is no other failure.
    if (isTold) return
    for (const { token } of plugin.provides) if (this.#makes(plugin, token)) this.#options.registry.delete(token)
    this.#pluginServices.delete(plugin.name)
    this.#options.logOf('host').error(failure.message)
  }
}

const wrapKey = (service: string, outer: string) => `${service} inside of ${outer}`
