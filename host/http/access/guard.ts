import type { IncomingMessage } from 'node:http'
import type { Audit } from '../../../core/callers/index.ts'
import { goQuote } from '../../../core/go/quote.ts'
import { rpcErrors } from '../listener-errors.ts'
import type { OriginRules } from './cors.ts'
import type { HostRule } from './host-names.ts'

/** The texts for callers who are turned away, with the setting that would let them in. */
interface Refusals {
  /** @param host - as the request named it, in quotes */
  host(host: string): string
  crossSite(): string
}

const ofRpc: Refusals = {
  host: host => rpcErrors.E_RPC_HOST(host).message,
  crossSite: () => rpcErrors.E_RPC_CROSS_SITE().message
}

/** Turns away what other sites' pages can make a browser send: requests under a foreign name, and those that say where they come from. */
export class Guard {
  readonly #hosts: HostRule
  readonly #origins: OriginRules
  readonly #refusals: Refusals
  readonly #audit: Audit | undefined

  constructor(hosts: HostRule, origins: OriginRules, { refusals = ofRpc, audit }: { refusals?: Refusals; audit?: Audit } = {}) {
    this.#hosts = hosts
    this.#origins = origins
    this.#refusals = refusals
    this.#audit = audit
  }

  /**
   * @param linked - whether a person who follows a link of another site's page may come in
   * @returns what the caller is told; undefined for one who may come in
   */
  refusal(request: IncomingMessage, linked = false): string | undefined {
    const refused = this.foreignHost(request) ?? this.crossSite(request, linked)
    return refused === undefined ? undefined : this.turnedAway(request, refused)
  }

  /** Has the log tell of a request that is turned away. @returns what its caller is told */
  turnedAway({ url = '', headers: { host, origin }, socket }: IncomingMessage, told: string): string {
    this.#audit?.refused({ path: url.split('?', 1)[0]!, address: socket.remoteAddress, host, origin, why: told.trim() })
    return told
  }

  /** Why a request under this name is turned away. */
  foreignHost(request: IncomingMessage): string | undefined {
    return this.#hosts.allows(request) ? undefined : `${this.#refusals.host(goQuote(request.headers.host ?? ''))}\n`
  }

  /** Why a request of which the browser says that another site's page made it is turned away. */
  crossSite(request: IncomingMessage, linked = false): string | undefined {
    const { origin } = request.headers
    const isForeign = request.headers['sec-fetch-site'] === 'cross-site' && !(linked && isNavigation(request))
    return isForeign && !(origin && this.#origins.names(origin)) ? this.foreignPage() : undefined
  }

  /** The text for a page of another site. */
  foreignPage(): string {
    return `${this.#refusals.crossSite()}\n`
  }
}

function isNavigation({ method, headers }: IncomingMessage): boolean {
  return headers['sec-fetch-mode'] === 'navigate' && (method === 'GET' || method === 'HEAD')
}
