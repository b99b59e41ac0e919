import type { RouteMethod } from '../../../core/index.ts'
import type { HostPattern } from './host-pattern.ts'
import type { PathPattern } from './path-pattern.ts'

/** The match of a route: host, path and methods. */
export interface Matcher {
  readonly method: RouteMethod
  readonly path: PathPattern
  /** The host that it is for; undefined: every one. */
  readonly host: HostPattern | undefined
}

/**
 * The find for a request: the route that takes it; or, where those for its path and host take other methods, these methods and the first of the
 * routes; or where it would find one under a slash more; or nothing.
 */
type RouteMatch<R> =
  | { readonly kind: 'route'; readonly route: R }
  | { readonly kind: 'methods'; readonly allow: string; readonly first: R }
  | { readonly kind: 'below' }
  | { readonly kind: 'nothing' }

const NOTHING = { kind: 'nothing' } as const
const BELOW = { kind: 'below' } as const

/**
 * Routes in the order in which they are tried: those that name a host before those with a parameter there, and these before those for every
 * host; then by path, a word before a parameter before a prefix; then by method, an own one before `*`.
 */
export class RouteTable<R extends Matcher> {
  readonly #routes: R[] = []
  #hasHosts = false

  add(route: R): void {
    this.#hasHosts ||= route.host !== undefined
    this.#routes.push(route)
    this.#routes.sort(byRank)
  }

  /**
   * @param path - clean, and still percent-encoded
   * @param host - the name that is asked for; it is called only where some route names one
   */
  find(method: string, path: string, host: () => string): RouteMatch<R> {
    const name = this.#hasHosts ? host() : ''
    const others: R[] = []
    let isRoot = false
    for (const route of this.#routes) {
      if (route.host !== undefined && !route.host.matches(name)) continue
      if (!route.path.matches(path)) isRoot ||= route.path.isRoot(path)
      else if (isRoot && route.path.isPrefix) break
      else if (takes(route.method, method)) return { kind: 'route', route }
      else others.push(route)
    }
    if (others.length > 0) return { kind: 'methods', allow: allowOf(others), first: others[0]! }
    return isRoot ? BELOW : NOTHING
  }
}

/** The key that routes with the same matching share; two of them are the same thing. */
export const matcherKey = ({ method, path, host }: Matcher) => `${method} ${host?.shape ?? ''}${path.shape}`

function takes(routeMethod: RouteMethod, method: string): boolean {
  return routeMethod === method || routeMethod === '*' || (routeMethod === 'GET' && method === 'HEAD')
}

/** The value of `Allow`. */
function allowOf(routes: readonly Matcher[]): string {
  const methods = new Set<string>(routes.map(({ method }) => method))
  if (methods.has('GET')) methods.add('HEAD')
  return [...methods.add('OPTIONS')].sort().join(', ')
}

function byRank(a: Matcher, b: Matcher): number {
  const [one, other] = [rankOf(a), rankOf(b)]
  return one < other ? -1 : one > other ? 1 : 0
}

function rankOf({ method, path, host }: Matcher): string {
  const hosts = host === undefined ? 2 : host.parameter === undefined ? 0 : 1
  return `${hosts}${path.rank} ${METHODS[method] ?? 1}`
}

// a HEAD that another answers is not what a GET route is asked for
const METHODS: Readonly<Partial<Record<RouteMethod, number>>> = { HEAD: 0, '*': 2 }
