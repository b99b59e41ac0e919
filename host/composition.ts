import { didYouMean } from '../config/host/suggest.ts'
import {
  type AnyProvision,
  type Command,
  isOptional,
  Log,
  Metrics,
  type Needs,
  type Plugin,
  Settings,
  tokenName,
  tokenOf
} from '../core/index.ts'
import { refuseSharedListeners } from './bound.ts'
import type { HostConfiguration } from './configuration.ts'
import { hostErrors } from './errors.ts'
import { orderByNeeds } from './graph.ts'
import { declarers, type Loaded, type NotLoaded } from './loader.ts'
import { decideCommand, matches } from './toggles.ts'

export interface CommandChoice {
  readonly command: Command
  readonly plugin: Plugin
}

/** Who provides what, in which order plugins start, and which command of whom answers. */
export interface Composition {
  /** Plugins in the order of their start. */
  readonly order: readonly Loaded[]
  /** Service name to the plugin whose provider counts. */
  readonly providers: ReadonlyMap<string, string>
  readonly commands: readonly CommandChoice[]
  /** Paths that are declared but off, and the setting that decided. */
  readonly off: ReadonlyMap<string, string>
}

/** What the host provides by itself, by service name; `replaces` says whether plugins that provide the same stand back. */
export type Own = ReadonlyMap<string, { readonly replaces: boolean }>

/** Decides everything that can be decided before a line of a plugin's services runs. Throws what a person has to mend. */
export function compose(
  { loaded, notLoaded }: { loaded: readonly Loaded[]; notLoaded: readonly NotLoaded[] },
  configuration: HostConfiguration,
  where: string,
  own: Own
): Composition {
  const providers = chooseProviders(loaded, configuration, where, own)
  const order = orderPlugins(loaded, notLoaded, providers, own)
  const { commands, off } = chooseCommands(loaded, notLoaded, configuration, where)
  requireProviders(usersOf(commands, order), notLoaded, providers, own)
  refuseSharedListeners(order.map(({ plugin }) => plugin))
  return { order, providers, commands, off }
}

function chooseProviders(loaded: readonly Loaded[], configuration: HostConfiguration, where: string, own: Own): Map<string, string> {
  const offers = new Map<string, Loaded[]>()
  for (const one of loaded) {
    for (const { token } of one.plugin.provides) offers.set(tokenName(token), [...(offers.get(tokenName(token)) ?? []), one])
  }
  for (const [service, from] of Object.entries(configuration.services ?? {})) {
    const offering = offers.get(service) ?? []
    if (!offering.some(one => one.keys.includes(from))) {
      throw hostErrors.E_SERVICE_FROM(
        service,
        from,
        offering.map(one => one.plugin.name),
        where
      )
    }
  }
  const providers = new Map<string, string>([...own.keys()].map(name => [name, HOST]))
  for (const [service, offering] of offers) {
    const mine = own.get(service)
    if (mine?.replaces) continue
    const wanted = configuration.services?.[service]
    const chosen = wanted === undefined ? offering : offering.filter(one => one.keys.includes(wanted))
    const names = chosen.map(one => one.plugin.name)
    if (names.length > 1 || mine !== undefined) throw hostErrors.E_SERVICE_TWICE(service, mine === undefined ? names : [...names, HOST])
    providers.set(service, names[0]!)
  }
  return providers
}

const HOST = 'the host'
/** What every plugin has of its own. */
const PRIVATE: ReadonlySet<symbol> = new Set([Settings, Log, Metrics])

function orderPlugins(loaded: readonly Loaded[], notLoaded: readonly NotLoaded[], providers: Map<string, string>, own: Own): Loaded[] {
  const rooms = loaded.map(({ plugin }) => ({
    name: plugin.name,
    provides: plugin.provides.map(({ token }: AnyProvision) => tokenName(token)),
    requires: plugin.requires.filter(need => !isOptional(need)).map(need => tokenName(tokenOf(need))),
    optional: plugin.requires.filter(isOptional).map(need => tokenName(tokenOf(need)))
  }))
  for (const room of rooms) {
    for (const service of room.requires) {
      if (providers.has(service) || own.has(service)) continue
      const users = rooms.filter(r => r.requires.includes(service)).map(r => r.name)
      throw hostErrors.E_SERVICE_MISSING(service, users, remedy(service, notLoaded))
    }
  }
  const { sorted, cycle } = orderByNeeds(rooms, providers)
  if (cycle !== undefined) throw hostErrors.E_SERVICE_CYCLE(cycle)
  const byName = new Map(loaded.map(one => [one.plugin.name, one]))
  return sorted.map(name => byName.get(name)!)
}

/** Why nobody provides a service, and what would. */
export function remedy(service: string, notLoaded: readonly NotLoaded[]): string {
  const absent = notLoaded.find(one => one.services.includes(service))
  if (absent === undefined) return ''
  return absent.state === 'off'
    ? `: the plugin '${absent.name}' would, but it is off (${absent.reason})`
    : `: the plugin '${absent.name}' would, but it failed: ${absent.reason}`
}

function chooseCommands(loaded: readonly Loaded[], notLoaded: readonly NotLoaded[], configuration: HostConfiguration, where: string) {
  const commands: CommandChoice[] = []
  const off = new Map<string, string>()
  const declared = declarers(loaded)
  const rules = Object.entries(configuration.commands ?? {})
  for (const [path, choices] of declared) {
    const rule = rules.find(([pattern, value]) => typeof value === 'object' && matches(pattern, path))?.[1]
    let chosen = choices
    if (typeof rule === 'object') {
      chosen = choices.filter(({ plugin }) => keysOf(loaded, plugin).includes(rule.from))
      if (chosen.length === 0 && choices.length > 0)
        throw hostErrors.E_COMMAND_FROM(
          path,
          rule.from,
          choices.map(c => c.plugin.name),
          where
        )
    }
    const wanted = chosen.filter(({ command, plugin }) => {
      const { on, reason } = decideCommand(command, plugin, configuration, where)
      if (!on) off.set(path, reason)
      return on
    })
    if (wanted.length > 1)
      throw hostErrors.E_COMMAND_TWICE(
        path,
        wanted.map(c => c.plugin.name)
      )
    if (wanted.length === 1) {
      off.delete(path)
      commands.push(wanted[0]!)
    }
  }
  for (const { paths, reason, state } of notLoaded) {
    for (const path of paths) if (state === 'off' && !declared.has(path)) off.set(path, reason)
  }
  for (const [pattern] of rules) {
    const known = [...declared.keys(), ...notLoaded.flatMap(one => one.paths)]
    if (!known.some(path => matches(pattern, path))) throw hostErrors.E_COMMAND_UNKNOWN(pattern, where, didYouMean(pattern, known))
  }
  return { commands, off }
}

const keysOf = (loaded: readonly Loaded[], plugin: Plugin) => loaded.find(one => one.plugin === plugin)?.keys ?? [plugin.name]

/** Somebody who needs services, for messages. */
interface User {
  readonly name: string
  readonly needs: Needs
  readonly plugin: Plugin
}

function usersOf(commands: readonly CommandChoice[], order: readonly Loaded[]): User[] {
  const hooks = order.flatMap(({ plugin }) =>
    plugin.around.map(hook => ({ name: `a hook of ${plugin.name}`, needs: typeof hook === 'function' ? {} : hook.needs, plugin }))
  )
  const routes = order.flatMap(({ plugin }) =>
    [...plugin.routes, ...plugin.listeners].map(({ needs }) => ({ name: `a route of ${plugin.name}`, needs, plugin }))
  )
  return [
    ...commands.map(({ command, plugin }) => ({ name: `${command.path} (${plugin.name})`, needs: command.needs, plugin })),
    ...hooks,
    ...routes
  ]
}

/** What needs a service that nobody provides could only fail, so the host refuses to open. */
function requireProviders(users: readonly User[], notLoaded: readonly NotLoaded[], providers: Map<string, string>, own: Own): void {
  const missing = new Map<string, string[]>()
  for (const { name, needs, plugin } of users) {
    for (const need of Object.values(needs)) {
      if (isOptional(need)) continue
      const service = tokenName(tokenOf(need))
      const internal = plugin.internal.some(({ token }) => token === tokenOf(need))
      if (internal || PRIVATE.has(tokenOf(need)) || providers.has(service) || own.has(service)) continue
      missing.set(service, [...(missing.get(service) ?? []), name])
    }
  }
  for (const [service, names] of missing) throw hostErrors.E_SERVICE_MISSING(service, names, remedy(service, notLoaded))
}
