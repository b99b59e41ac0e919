import { type ListenAt, type ListenerDeclaration, type Plugin, Resources } from '../../core/index.ts'
import { hostErrors } from '../errors.ts'
import type { BoundRoute } from '../http/plugin-routes.ts'
import type { BoundHook } from '../runner.ts'
import { type OwnServices, type ServiceRegistry, servicesOf } from './registry.ts'

/** What a started plugin's declarations get their services from. */
export interface Sources {
  readonly plugin: Plugin
  readonly registry: ServiceRegistry
  readonly own: OwnServices
}

/** A plugin's listener, and where it opens. */
export interface BoundListener {
  readonly plugin: string
  readonly declaration: ListenerDeclaration
  /** Where it opens: one address or more. */
  at(): readonly ListenAt[]
}

export function boundHooks({ plugin, registry, own }: Sources): BoundHook[] {
  return plugin.around.map(hook => {
    if (typeof hook === 'function') return { plugin: plugin.name, only: () => true, run: hook }
    const services = servicesOf(hook.needs, registry, own)
    return { plugin: plugin.name, only: hook.only, run: (call, next) => hook.run(services, call, next) }
  })
}

export function boundRoutes({ plugin, registry, own }: Sources, listener: string): BoundRoute[] {
  const declarations = plugin.routes.filter(declaration => declaration.listener === listener)
  return declarations.map(declaration => ({
    plugin: plugin.name,
    declaration,
    services: servicesOf(declaration.needs, registry, own),
    resources: own.get(Resources) as Resources | undefined
  }))
}

export function boundListeners({ plugin, registry, own }: Sources): BoundListener[] {
  return plugin.listeners.map(declaration => ({
    plugin: plugin.name,
    declaration,
    at: () => [declaration.at(servicesOf(declaration.needs, registry, own))].flat()
  }))
}

/** @throws E_LISTENER_TWICE */
export function refuseSharedListeners(plugins: readonly Plugin[]): void {
  const owners = new Map<string, string>([[RPC, 'the host']])
  for (const { name, listeners } of plugins) {
    for (const listener of listeners) {
      const owner = owners.get(listener.name)
      if (owner !== undefined) throw hostErrors.E_LISTENER_TWICE(listener.name, [owner, name])
      owners.set(listener.name, name)
    }
  }
}

const RPC = 'rpc'
