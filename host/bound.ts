import {
  type Hook,
  isOptional,
  type ListenAt,
  type ListenerDeclaration,
  type Needs,
  type Plugin,
  tokenName,
  tokenOf
} from '../core/index.ts'
import { type OwnServices, type ServiceRegistry, servicesOf } from './container.ts'
import { hostErrors } from './errors.ts'
import type { BoundRoute } from './rpc/routes.ts'
import type { BoundHook } from './runner.ts'

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
  at(): ListenAt
}

const needsOf = (hook: Hook): Needs => (typeof hook === 'function' ? {} : hook.needs)

/** The first service that a plugin's hooks, routes and listeners need and nobody has; undefined when all are there. */
export function missingNeed({ plugin, registry, own }: Sources): string | undefined {
  const needs = [...plugin.around.map(needsOf), ...plugin.routes.map(route => route.needs), ...plugin.listeners.map(one => one.needs)]
  const missing = needs.flatMap(all => Object.values(all)).find(need => !isOptional(need) && !has(tokenOf(need)))
  return missing === undefined ? undefined : tokenName(tokenOf(missing))

  function has(token: symbol): boolean {
    return own.has(token) || registry.has(token)
  }
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
    services: servicesOf(declaration.needs, registry, own)
  }))
}

export function boundListeners({ plugin, registry, own }: Sources): BoundListener[] {
  return plugin.listeners.map(declaration => ({
    plugin: plugin.name,
    declaration,
    at: () => declaration.at(servicesOf(declaration.needs, registry, own))
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
