import type { IncomingMessage } from 'node:http'
import type { Audit } from '../../../core/callers/index.ts'
import { type Caller, denial, type RouteDeclaration } from '../../../core/index.ts'
import { HttpCaller } from '../caller.ts'
import { type Authorizations, isRefusal, type Refused } from './authorizations.ts'
import { type OriginRules, originOf } from './cors.ts'
import type { Guard } from './guard.ts'

export interface AccessParts {
  readonly guard: Guard
  readonly origins: OriginRules
  readonly authorizations: Authorizations | undefined
  readonly audit?: Audit | undefined
  /** Whether it is the RPC's listener: each of its routes asks for a secret, and its pages are those that the RPC knows. */
  readonly isRpc: boolean
}

const SAFE = new Set(['GET', 'HEAD', 'OPTIONS'])

/** The check of callers of a plugin's route. */
export class RouteAccess {
  readonly #parts: AccessParts
  readonly #route: Pick<RouteDeclaration, 'access' | 'crossSite' | 'host'>
  readonly #name: string

  /** @param name - of the route, for messages */
  constructor(parts: AccessParts, route: Pick<RouteDeclaration, 'access' | 'crossSite' | 'host'>, name: string) {
    this.#parts = parts
    this.#route = route
    this.#name = name
  }

  /** The caller, with the grant of its secret. */
  caller(request: IncomingMessage): Caller {
    const { authorizations } = this.#parts
    const grant = authorizations?.known(request.headers.authorization)
    return new HttpCaller(request, grant, grant && authorizations?.behind(grant))
  }

  /**
   * @param path - still percent-encoded
   * @returns what a caller who is turned away is told; undefined for one who may come in
   */
  refusal(request: IncomingMessage, path: string, isUpgrade: boolean): Refused | undefined {
    const foreign = this.#foreign(request, isUpgrade)
    return foreign === undefined ? this.#denied(request, path) : this.#parts.guard.turnedAway(request, foreign)
  }

  /** Why a request is turned away for where it comes from, or what it calls this node. */
  #foreign(request: IncomingMessage, isUpgrade: boolean): string | undefined {
    const { guard, origins } = this.#parts
    const isForAnyPage = this.#route.crossSite || origins.any || this.#isSameOrigin(request)
    const changes = isUpgrade || this.#route.access !== undefined || !SAFE.has(request.method ?? '')
    if (!isForAnyPage && changes && !this.#saysWhence(request)) return '403 - Forbidden\n'
    const foreignHost = this.#route.host === undefined ? guard.foreignHost(request) : undefined
    const foreignPage = isForAnyPage ? undefined : this.#foreignPage(request, !changes)
    return foreignHost ?? foreignPage
  }

  /** Whether the page that asks was itself asked for under the same name: what other name would lead here, {@link Guard} turns away. */
  #isSameOrigin({ headers: { origin, referer, host } }: IncomingMessage): boolean {
    const from = origin ?? (referer === undefined ? undefined : originOf(referer))
    return !this.#parts.isRpc && host !== undefined && from?.replace(/^https?:\/\//, '').toLowerCase() === host.toLowerCase()
  }

  /** Whether a caller comes from a page that may ask, or is no browser. */
  #saysWhence({ headers }: IncomingMessage): boolean {
    // a browser that says so sends what a person typed, or what a page of this node's own asks for
    const isSameOrigin = headers['sec-fetch-site'] === 'none' || headers['sec-fetch-site'] === 'same-origin'
    const { origin, referer } = headers
    return this.#parts.origins.letsIn({ origin, referer, userAgent: isSameOrigin ? undefined : headers['user-agent'] })
  }

  /** @param linked - whether a person who follows a link of another site's page may come in */
  #foreignPage(request: IncomingMessage, linked: boolean): string | undefined {
    const { guard, origins } = this.#parts
    const { origin } = request.headers
    return origin && !origins.names(origin) ? guard.foreignPage() : guard.crossSite(request, linked)
  }

  /** Why somebody without a secret that opens the path is turned away, where callers need one. */
  #denied(request: IncomingMessage, path: string): Refused | undefined {
    const { authorizations, isRpc } = this.#parts
    if (authorizations === undefined || (!isRpc && this.#route.access === undefined)) return undefined
    const { authorization } = request.headers
    const verdict = authorizations.admitRoute(authorization, path, request.socket.remoteAddress)
    if (isRefusal(verdict)) return verdict
    // nothing but its access bounds a token without paths, so a route that says none is for those who may do everything
    const access = this.#route.access ?? (verdict.paths === undefined ? 'admin' : undefined)
    const denied = access && denial(verdict, access, this.#name)
    if (denied === undefined) return undefined
    this.#parts.audit?.refused({ path, address: request.socket.remoteAddress, name: verdict.name, why: denied.message })
    return `403 - Forbidden: ${denied.message}\n`
  }
}
