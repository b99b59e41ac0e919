import { isOptional, type Needs, type Token, tokenOf } from '../../core/index.ts'

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

/** The services that only one plugin's own declarations get: its settings, its logger, its metrics and its internal services. */
export type PluginServices = ReadonlyMap<symbol, unknown>

/** The services that a declaration's `needs` get: what is its plugin's own, and services of the host. */
export function servicesOf(needs: Needs, registry: ServiceRegistry, pluginServices: PluginServices): Readonly<Record<string, unknown>> {
  const services: Record<string, unknown> = {}
  for (const [name, need] of Object.entries(needs)) {
    const token = tokenOf(need)
    const instance = pluginServices.has(token) ? pluginServices.get(token) : registry.get(token)
    if (instance !== undefined || isOptional(need)) services[name] = instance
  }
  return services
}
