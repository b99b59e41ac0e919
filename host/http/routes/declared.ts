import { messageOf, type Plugin, type RouteDeclaration } from '../../../core/index.ts'
import { hostErrors } from '../../errors.ts'
import { HostPattern } from './host-pattern.ts'
import { PathPattern } from './path-pattern.ts'
import { routeName } from './plugin-routes.ts'
import { matcherKey } from './table.ts'

/** Paths of the RPC's listener that are the host's own, whatever the method. */
const OWN = ['/', '/health', '/ready', '/version', '/webui/*', '/plugins', '/openapi.json', '/docs', '/docs/*'].map(
  path => new PathPattern(path).shape
)
const API = '/api/v0'

/**
 * Refuses routes that could not be reached, or of which nobody could tell which one is.
 *
 * @throws E_ROUTE_DECLARED, E_ROUTE_TWICE, E_ROUTE_REPEATED
 */
export function refuseAmbiguousRoutes(plugins: readonly Plugin[]): void {
  const owners = new Map<string, string>()
  for (const { name, routes } of plugins) {
    for (const route of routes) {
      const problem = routeProblem(route)
      if (problem !== undefined) throw hostErrors.E_ROUTE_DECLARED(name, routeName(route), problem)
      const key = `${route.listener} ${routeKey(route)}`
      const owner = owners.get(key)
      if (owner === name) throw hostErrors.E_ROUTE_REPEATED(name, routeName(route), route.listener)
      if (owner !== undefined) throw hostErrors.E_ROUTE_TWICE(routeName(route), route.listener, [owner, name])
      owners.set(key, name)
    }
  }
}

/** The warning about routes that nobody can ask for, as no plugin that is on opens their listener. */
export function strayRoutes(plugins: readonly Plugin[]): string[] {
  const open = new Set(['rpc', ...plugins.flatMap(({ listeners }) => listeners.map(({ name }) => name))])
  return plugins.flatMap(({ name, routes }) =>
    routes
      .filter(({ listener }) => !open.has(listener))
      .map(
        route => `plugin '${name}': its route ${routeName(route)} is for the listener '${route.listener}', which no plugin that is on opens`
      )
  )
}

/** Why a listener could not serve a route as it is declared; undefined where it can. */
export function routeProblem({ listener, method, path, host, upgrade }: RouteDeclaration): string | undefined {
  try {
    const pattern = new PathPattern(path)
    const { parameter } = host === undefined ? { parameter: undefined } : new HostPattern(host)
    if (parameter !== undefined && pattern.parameters.includes(parameter))
      return `its path and its host both have a parameter '${parameter}'`
    if (listener === 'rpc' && (OWN.includes(pattern.shape) || pattern.text === API || pattern.text.startsWith(`${API}/`)))
      return "the RPC's listener has that path itself: choose another one, or open a listener"
  } catch (error) {
    return messageOf(error)
  }
  return upgrade === undefined || method === 'GET' || method === '*' ? undefined : `an upgrade is asked for by GET, not by ${method}`
}

/** The key that two routes of one listener must not share. */
export const routeKey = ({ method, path, host }: RouteDeclaration) =>
  matcherKey({ method, path: new PathPattern(path), host: host === undefined ? undefined : new HostPattern(host) })
