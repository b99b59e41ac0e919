import 'reflect-metadata'
import { type DependencyContainer, instanceCachingFactory, container as root } from 'tsyringe'
import { isOptional, type Maker, type Plugin, type Token, tokenOf } from '../../core/index.ts'
import type { PluginServices, ServiceRegistry } from './registry.ts'

/** A service of a plugin's that is there. */
interface Made {
  readonly token: symbol
  readonly instance: unknown
}

/** The services of one plugin, made in a tsyringe container of their own out of what it has, what it requires, and each other. */
export class PluginContainer {
  readonly #plugin: Plugin
  readonly #container: DependencyContainer = root.createChildContainer()
  readonly #given: PluginServices
  #fresh: Made[] = []

  /** @param given - what only this plugin has, what it wraps among it */
  constructor(plugin: Plugin, registry: ServiceRegistry, given: PluginServices) {
    this.#plugin = plugin
    this.#given = given
    for (const [token, value] of given) this.#container.register(token, { useValue: value })
    for (const need of plugin.requires) {
      const token = tokenOf(need)
      const instance = registry.get(token)
      if (!given.has(token) && (instance !== undefined || isOptional(need))) this.#container.register(token, { useFactory: () => instance })
    }
    for (const { token, maker, value } of [...plugin.internal, ...plugin.provides]) {
      const given = registry.get<unknown>(token)
      // what somebody else provides in its stead serves its own plugin as well
      if (given !== undefined) this.#container.register(token, { useFactory: () => given })
      else if (maker === undefined) this.#container.register(token, { useValue: value })
      else this.#container.register(token, { useFactory: instanceCachingFactory(() => this.#makeBy(maker)) })
      this.#container.afterResolution(token, (_, instance) => void this.#fresh.push({ token, instance }), { frequency: 'Once' })
    }
  }

  /** The instance of one of the plugin's own provisions. */
  make(token: Token<unknown>): unknown {
    return this.#container.resolve<unknown>(token)
  }

  /** The plugin's services that were made since this was last asked, each behind those it was made of. */
  fresh(): readonly Made[] {
    const made = this.#fresh
    this.#fresh = []
    return made
  }

  /** The services that the plugin's own commands and routes get besides those of the host. */
  pluginServices(): PluginServices {
    const internal = this.#plugin.internal.map(({ token }) => [token as symbol, this.make(token)] as const)
    return new Map<symbol, unknown>([...this.#given, ...internal])
  }

  #makeBy({ needs = {}, make }: Maker<unknown>): unknown {
    const services: Record<string, unknown> = {}
    for (const [name, need] of Object.entries(needs)) {
      const of = tokenOf(need)
      if (!isOptional(need) || this.#container.isRegistered(of)) services[name] = this.#container.resolve(of)
    }
    return make(services)
  }
}
