import { OF_EVERY_PLUGIN } from '../../../core/contract/plugin.ts'
import { isOptional, type Need, type Plugin, tokenName, tokenOf } from '../../../core/index.ts'
import { innerName } from '../../../core/token.ts'
import { type HostConfiguration, onFailureOf } from '../../configuration.ts'
import { hostErrors } from '../../errors.ts'
import { failedUnread, type LoadedPlugin } from '../load/load.ts'
import type { Composition } from './composition.ts'
import type { Providers } from './providers.ts'

/** The name of the first service that is needed for sure and that nobody has; undefined when all needs are met. */
export function unmet(needs: Iterable<Need>, has: (token: symbol) => boolean): string | undefined {
  for (const need of needs) if (!isOptional(need) && !has(tokenOf(need))) return tokenName(tokenOf(need))
  return undefined
}

/** The services that a plugin's hooks, routes and listeners need. */
export const needsAround = (plugin: Plugin): Need[] => [...needsOfHooks(plugin), ...needsOfRoutes(plugin)]

const needsOfHooks = ({ around }: Plugin): Need[] =>
  around.flatMap(hook => (typeof hook === 'function' ? [] : Object.values<Need>(hook.needs)))

const needsOfRoutes = ({ routes, listeners }: Plugin): Need[] => [...routes, ...listeners].flatMap(one => Object.values<Need>(one.needs))

/** The services that a plugin has, or will have, once all plugins have started. */
function willHave({ name, internal }: Plugin, providers: Providers): (token: symbol) => boolean {
  return token => {
    const wrapped = innerName(token)
    if (wrapped !== undefined) return isWithin(providers.get(wrapped) ?? [], name)
    return OF_EVERY_PLUGIN.has(token) || internal.some(provision => provision.token === token) || providers.has(tokenName(token))
  }
}

/** Whether something lies inside of what the plugin makes. */
const isWithin = (chain: readonly string[], plugin: string) => chain.includes(plugin) && chain.at(-1) !== plugin

/** Why nobody provides a service, and what would. */
export function remedy(service: string, { notLoaded, lost }: Pick<Composition, 'notLoaded' | 'lost'>): string {
  const named = lost.get(service)
  if (named !== undefined) return `: ${named}`
  const absences = notLoaded.filter(one => one.services.includes(service))
  // what the configuration switched off is missed before what nobody switched on
  const absent = absences.find(one => !one.isOffByDefault) ?? absences[0]
  if (absent === undefined) {
    const reasons = failedUnread(notLoaded).map(({ reason }) => reason)
    return reasons.length === 0 ? '' : `: one that failed may have provided it: ${reasons.join('; ')}`
  }
  return absent.state === 'off'
    ? `: the plugin '${absent.name}' would, but it is off (${absent.reason})`
    : `: the plugin '${absent.name}' would, but it failed: ${absent.reason}`
}

interface Needing extends Pick<Composition, 'commands' | 'notLoaded' | 'providers' | 'lost'> {
  readonly loaded: readonly LoadedPlugin[]
  readonly configuration: HostConfiguration
}

/**
 * The check that every needed service is provided: a plugin without one could only fail, so the host refuses to open. Where the one who would provide it failed and the
 * host goes on without it, it goes on without its users as well, unless one of them is a plugin that the host does not go on without.
 *
 * @throws E_SERVICE_MISSING
 */
export function requireProviders({ loaded, commands, notLoaded, providers, lost, configuration }: Needing): void {
  const missing = new Map<string, { users: string[]; isVital: boolean }>()
  const look = (user: string, plugin: Plugin, needs: Iterable<Need>, isVital: boolean) => {
    const service = unmet(needs, willHave(plugin, providers))
    if (service === undefined) return
    const known = missing.get(service)
    missing.set(service, { users: [...(known?.users ?? []), user], isVital: isVital || known?.isVital === true })
  }
  for (const { plugin, keys } of loaded) {
    const isVital = onFailureOf(configuration, ...keys) === 'abort'
    // a service that another plugin makes in its stead is not made, so what it would wrap need not be there
    const services = plugin.requires.filter(need => innerName(tokenOf(need)) === undefined)
    look(plugin.name, plugin, services, isVital)
    look(`a hook of ${plugin.name}`, plugin, needsOfHooks(plugin), isVital)
    look(`a route of ${plugin.name}`, plugin, needsOfRoutes(plugin), isVital)
  }
  for (const { command, plugin } of commands) look(`${command.path} (${plugin.name})`, plugin, Object.values(command.needs), false)
  const goesOn = (service: string) =>
    failedUnread(notLoaded).length > 0 || notLoaded.some(({ state, services }) => state === 'failed' && services.includes(service))
  for (const [service, { users, isVital }] of missing)
    if (isVital || !goesOn(service)) throw hostErrors.E_SERVICE_MISSING(service, users, remedy(service, { notLoaded, lost }))
}
