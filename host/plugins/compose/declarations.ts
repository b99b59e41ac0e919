import {
  type Command,
  isOptional,
  type ListenAt,
  type ListenerDeclaration,
  Log,
  type Logger,
  messageOf,
  type Need,
  type OpenAddress,
  type Plugin,
  Resources,
  Settings
} from '../../../core/index.ts'
import type { ResolvedHook } from '../../calls/resolved-hook.ts'
import { hostErrors } from '../../errors.ts'
import type { ResolvedRoute } from '../../http/routes/plugin-routes.ts'
import type { LoadedPlugin } from '../load/load.ts'
import { type PluginServices, ServiceRegistry, servicesOf } from '../registry.ts'

/** The container that a started plugin's declarations get their services from. */
export interface Sources {
  readonly plugin: Plugin
  readonly registry: ServiceRegistry
  readonly pluginServices: PluginServices
}

/** A plugin's listener, and where it opens. */
export interface ResolvedListener {
  readonly plugin: string
  readonly declaration: ListenerDeclaration
  /** Where it opens: one address or more; undefined: nowhere. */
  at(): readonly ListenAt[] | undefined
  /** Tells the plugin what was opened. */
  opened(addresses: readonly OpenAddress[]): Promise<void>
}

/**
 * A plugin's hooks, which of these commands each is about asked of it.
 *
 * @throws E_HOOK_ONLY
 */
export function resolvedHooks({ plugin, registry, pluginServices }: Sources, commands: readonly Command[]): ResolvedHook[] {
  return plugin.around.map(hook => {
    const log = pluginServices.get(Log) as Logger
    // a bare function asked for calls alone
    if (typeof hook === 'function')
      return { plugin: plugin.name, log, also: new Set(), only: () => true, run: hook as unknown as ResolvedHook['run'] }
    const { only, also, needs } = hook
    const services = servicesOf(needs, registry, pluginServices)
    const concerned = new Set(commands.filter(command => isAbout(command, () => only(command, services))))
    return { plugin: plugin.name, log, also, only: command => concerned.has(command), run: (call, next) => hook.run(services, call, next) }
  })
}

function isAbout({ path }: Command, only: () => boolean): boolean {
  try {
    return only()
  } catch (error) {
    throw hostErrors.E_HOOK_ONLY(path, messageOf(error))
  }
}

export function resolvedRoutes(
  { plugin, registry, pluginServices }: Sources,
  listener: string,
  surround: ResolvedRoute['surround']
): ResolvedRoute[] {
  const declarations = plugin.routes.filter(declaration => declaration.listener === listener)
  return declarations.map(declaration => ({
    plugin: plugin.name,
    declaration,
    services: servicesOf(declaration.needs, registry, pluginServices),
    resources: pluginServices.get(Resources) as Resources | undefined,
    surround
  }))
}

export function resolvedListeners({ plugin, registry, pluginServices }: Sources): ResolvedListener[] {
  return plugin.listeners.map(declaration => ({
    plugin: plugin.name,
    declaration,
    at: () => placesOf(declaration.at(servicesOf(declaration.needs, registry, pluginServices))),
    opened: async addresses => declaration.opened?.(servicesOf(declaration.needs, registry, pluginServices), addresses)
  }))
}

function placesOf(at: ReturnType<ListenerDeclaration['at']>): readonly ListenAt[] | undefined {
  return at === undefined ? undefined : [at].flat()
}

/** A plugin's listener on a host that has not started. */
export interface PlannedListener {
  readonly plugin: string
  readonly name: string
  at(): readonly ListenAt[]
}

/** The listeners whose place their plugin's settings alone tell. */
export function plannedListeners({ plugin, settings }: LoadedPlugin): PlannedListener[] {
  const known = plugin.listeners.filter(({ needs }) => Object.values<Need>(needs).every(need => isOptional(need) || need === Settings))
  const pluginServices = new Map([[Settings as symbol, settings]])
  return known.map(declaration => ({
    plugin: plugin.name,
    name: declaration.name,
    at: () => placesOf(declaration.at(servicesOf(declaration.needs, new ServiceRegistry(), pluginServices))) ?? []
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
