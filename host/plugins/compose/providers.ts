import { didYouMean } from '../../../config/host/suggest.ts'
import { type AnyProvision, isOptional, type Plugin, tokenName, tokenOf } from '../../../core/index.ts'
import { innerName } from '../../../core/token.ts'
import type { HostConfiguration } from '../../configuration.ts'
import { hostErrors } from '../../errors.ts'
import { type LoadedPlugin, mayHaveFailed, type Plugins, whyAbsent } from '../load/load.ts'

/** The services that the host provides by itself, by name; `replaces` says whether plugins that provide the same stand back. */
export type HostServices = ReadonlyMap<string, { readonly replaces: boolean }>

const HOST = 'the host'

/** Service name to the names of the plugins that make it, the outermost first: all but the last wrap the one behind them. */
export type Providers = ReadonlyMap<string, readonly string[]>

/** The providers of services, and services without one as the configuration names a plugin for them that failed: why, by their names. */
interface ChosenProviders {
  readonly providers: Providers
  readonly lost: ReadonlyMap<string, string>
}

/** @throws E_SERVICE_UNKNOWN, E_SERVICE_FROM, E_SERVICE_TWICE, E_SERVICE_INNER, E_SERVICE_WRAPS, E_SERVICE_REPEATED */
export function chooseProviders(
  plugins: Plugins,
  configuration: HostConfiguration,
  where: string,
  hostServices: HostServices
): ChosenProviders {
  const { loaded } = plugins
  const offers = new Map<string, LoadedPlugin[]>()
  for (const one of loaded) {
    for (const { token } of one.plugin.provides) offers.set(tokenName(token), [...(offers.get(tokenName(token)) ?? []), one])
  }
  const chosen = new Map<string, LoadedPlugin[] | undefined>()
  const lost = new Map<string, string>()
  for (const [service, from] of Object.entries(configuration.services ?? {})) {
    const keys = [from].flat()
    const isBroken = keys.some(key => mayHaveFailed(key, plugins))
    const failed = plugins.notLoaded.find(({ name, state }) => state === 'failed' && keys.includes(name))
    if (failed !== undefined) lost.set(service, `services.${service} in ${where} names '${failed.name}', which failed: ${failed.reason}`)
    if (!isBroken && !offers.has(service)) refuseUnknown(service, keys, plugins, [...offers.keys()], where)
    chosen.set(service, isBroken ? undefined : chainOf(service, keys, offers.get(service) ?? [], plugins, where))
  }
  const providers = new Map<string, readonly string[]>([...hostServices.keys()].map(name => [name, [HOST]]))
  for (const [service, offering] of offers) {
    const mine = hostServices.get(service)
    if (mine?.replaces) continue
    const chain = chosen.has(service) ? chosen.get(service) : offering
    // one that was named has failed: what was to guard is never left out
    if (chain === undefined) continue
    const names = chain.map(one => one.plugin.name)
    if (mine !== undefined) throw hostErrors.E_SERVICE_TWICE(service, [...names, HOST], '')
    if (!chosen.has(service) && chain.length > 1) throw hostErrors.E_SERVICE_TWICE(service, names, wrapping(service, offering))
    refuseGaps(service, chain, offering, where)
    providers.set(service, names)
  }
  return { providers, lost }
}

/** The services that a plugin makes: what somebody else makes in its stead is not among them. */
export function madeBy({ name, internal, provides }: Plugin, providers: Providers): AnyProvision[] {
  return [...internal, ...provides.filter(({ token }) => providers.get(tokenName(token))?.includes(name))]
}

/** The plugins that a line of the configuration names for a service. */
function chainOf(
  service: string,
  keys: readonly string[],
  offering: readonly LoadedPlugin[],
  plugins: Plugins,
  where: string
): LoadedPlugin[] {
  return keys.map((key, i) => {
    const one = offering.find(offered => offered.keys.includes(key))
    const names = offering.map(({ plugin }) => plugin.name)
    if (one === undefined) throw hostErrors.E_SERVICE_FROM(service, key, whyAbsent(key, plugins), names, where)
    if (keys.indexOf(key) < i) throw hostErrors.E_SERVICE_REPEATED(service, key, where)
    return one
  })
}

/** A misspelt name of a service would leave the one that was meant as it is. */
function refuseUnknown(service: string, keys: readonly string[], plugins: Plugins, known: readonly string[], where: string): void {
  const hint = didYouMean(service, known)
  const isOff = plugins.notLoaded.some(one => one.services.includes(service) || keys.includes(one.name))
  if (!isOff) throw hostErrors.E_SERVICE_UNKNOWN(service, where, hint)
}

/** Each but the last has to wrap what lies inside, and the last must not need anything inside. */
function refuseGaps(service: string, chain: readonly LoadedPlugin[], offering: readonly LoadedPlugin[], where: string): void {
  for (const [i, one] of chain.entries()) {
    const { name } = one.plugin
    const isLast = i === chain.length - 1
    if (!isLast && wraps(one, service) === undefined) throw hostErrors.E_SERVICE_WRAPS(service, name, chain[i + 1]!.plugin.name, where)
    if (!isLast || wraps(one, service) !== 'needed') continue
    const store = offering.find(other => wraps(other, service) === undefined)?.plugin.name
    throw hostErrors.E_SERVICE_INNER(service, name, store ?? 'PLUGIN')
  }
}

/** Whether a plugin wraps the service, and cannot be without one inside. */
function wraps({ plugin }: LoadedPlugin, service: string): 'needed' | 'optional' | undefined {
  const need = plugin.requires.find(one => innerName(tokenOf(one)) === service)
  if (need === undefined) return undefined
  return isOptional(need) ? 'optional' : 'needed'
}

/** The list that was probably meant, where some of those who offer a service wrap it and one does not. */
function wrapping(service: string, offering: readonly LoadedPlugin[]): string {
  const [outer, within] = [offering.filter(one => wraps(one, service)), offering.filter(one => !wraps(one, service))]
  return outer.length > 0 && within.length === 1 ? [...outer, ...within].map(one => `"${one.plugin.name}"`).join(', ') : ''
}
