import 'reflect-metadata'
import { type DependencyContainer, instanceCachingFactory, container as root } from 'tsyringe'
import {
  type AnyProvision,
  isOptional,
  Log,
  type Logger,
  type Maker,
  Metrics,
  type Needs,
  type Plugin,
  Settings,
  type Token,
  tokenName,
  tokenOf
} from '../core/index.ts'
import { hostErrors } from './errors.ts'

/** All services of one host: who provides each, and the one instance once it is made. */
export class ServiceRegistry {
  readonly #instances = new Map<symbol, unknown>()

  set(token: symbol, instance: unknown): void {
    this.#instances.set(token, instance)
  }

  has(token: symbol): boolean {
    return this.#instances.has(token)
  }

  get<T>(token: Token<T>): T | undefined {
    return this.#instances.get(token) as T | undefined
  }

  delete(token: symbol): void {
    this.#instances.delete(token)
  }

  tokens(): Iterable<symbol> {
    return this.#instances.keys()
  }
}

/**
 * Makes one plugin's services in a tsyringe container of their own. What the plugin did not name in `requires` is refused by name,
 * whether the host has it or not.
 */
export class PluginContainer {
  readonly #plugin: Plugin
  readonly #registry: ServiceRegistry
  readonly #container: DependencyContainer
  readonly #own: ReadonlyMap<symbol, unknown>
  #refused: Error | undefined
  readonly #making: symbol[] = []
  #fresh: Made[] = []

  constructor(plugin: Plugin, registry: ServiceRegistry, { settings, log, metrics }: Possessions) {
    this.#own = new Map<symbol, unknown>([
      [Settings, settings],
      [Log, log],
      [Metrics, metrics]
    ])
    this.#plugin = plugin
    this.#registry = registry
    this.#container = root.createChildContainer()
    for (const [token, value] of this.#own) this.#container.register(token, { useValue: value })
    for (const need of plugin.requires) if (!this.#own.has(tokenOf(need))) this.#allow(tokenOf(need), isOptional(need))
    for (const { token, implementation, maker, value } of [...plugin.internal, ...plugin.provides]) {
      // what somebody else provides in its stead serves its own plugin as well
      if (registry.get(token) !== undefined) this.#allow(token, false)
      else if (maker !== undefined)
        this.#container.register(token, { useFactory: instanceCachingFactory(() => this.#makeBy(token, maker)) })
      else if (implementation === undefined) this.#container.register(token, { useValue: value })
      else this.#container.registerSingleton(token, implementation)
      this.#container.afterResolution(token, (_, instance) => void this.#fresh.push({ token, instance }), { frequency: 'Once' })
    }
    for (const token of registry.tokens()) if (!this.#container.isRegistered(token)) this.#refuse(token)
  }

  /** The instance of one of the plugin's own provisions. */
  make(provision: AnyProvision): unknown {
    this.#refused = undefined
    try {
      return this.#container.resolve<unknown>(provision.token)
    } catch (error) {
      // tsyringe tells only the text of what a factory threw, so the refusal itself is kept aside
      if (this.#refused !== undefined) throw this.#refused
      const token = String(error).split('unregistered dependency token: "', 2)[1] ?? ''
      const undeclared = /^(?:Symbol\()?holdfast\.([^")]+)/.exec(token)?.[1]
      throw undeclared === undefined ? error : hostErrors.E_SERVICE_UNDECLARED(this.#plugin.name, undeclared)
    }
  }

  /** The plugin's services that were made since this was last asked, each behind those it was made of. */
  fresh(): readonly Made[] {
    const made = this.#fresh
    this.#fresh = []
    return made
  }

  #makeBy(token: symbol, { needs = {}, make }: Maker<unknown>): unknown {
    if (this.#making.includes(token)) throw hostErrors.E_SERVICE_LOOP(this.#plugin.name, [...this.#making, token].map(tokenName))
    this.#making.push(token)
    try {
      const services: Record<string, unknown> = {}
      for (const [name, need] of Object.entries(needs)) {
        const of = tokenOf(need)
        if (!isOptional(need) || this.#container.isRegistered(of)) services[name] = this.#container.resolve(of)
      }
      return make(services)
    } finally {
      this.#making.pop()
    }
  }

  /** What the plugin's own commands and routes get besides the services of the host. */
  own(): OwnServices {
    const internal = this.#plugin.internal.map(provision => [provision.token as symbol, this.make(provision)] as const)
    return new Map<symbol, unknown>([...this.#own, ...internal])
  }

  #allow(token: Token<unknown>, optional: boolean): void {
    const instance = this.#registry.get(token)
    if (instance !== undefined || optional) this.#container.register(token, { useFactory: () => instance })
  }

  #refuse(token: symbol): void {
    this.#container.register(token, {
      useFactory: () => {
        this.#refused = hostErrors.E_SERVICE_UNDECLARED(this.#plugin.name, tokenName(token))
        throw this.#refused
      }
    })
  }
}

/** A service of a plugin's that is there. */
export interface Made {
  readonly token: symbol
  readonly instance: unknown
}

/** What every plugin has of its own. */
interface Possessions {
  readonly settings: unknown
  readonly log: Logger
  readonly metrics: Metrics
}

/** What only one plugin's own declarations get: its settings, its logger, its metrics and its internal services. */
export type OwnServices = ReadonlyMap<symbol, unknown>

/** What a declaration's `needs` get: what is its plugin's own, and services of the host. */
export function servicesOf(needs: Needs, registry: ServiceRegistry, own: OwnServices): Readonly<Record<string, unknown>> {
  const services: Record<string, unknown> = {}
  for (const [name, need] of Object.entries(needs)) {
    const token = tokenOf(need)
    const instance = own.has(token) ? own.get(token) : registry.get(token)
    if (instance !== undefined || isOptional(need)) services[name] = instance
  }
  return services
}
