import type { IncomingMessage } from 'node:http'
import { goQuote } from '../../core/go/quote.ts'
import { rpcErrors } from './errors.ts'
import type { HostRule } from './hosts.ts'
import type { OriginRules } from './origin.ts'

/** Turns away what other sites' pages can make a browser send: requests under a foreign name, and those that say where they come from. */
export class Guard {
  readonly #hosts: HostRule
  readonly #origins: OriginRules

  constructor(hosts: HostRule, origins: OriginRules) {
    this.#hosts = hosts
    this.#origins = origins
  }

  /**
   * @param linked - whether a person who follows a link of another site's page may come in
   * @returns what the caller is told; undefined for one who may come in
   */
  refusal(request: IncomingMessage, linked = false): string | undefined {
    if (!this.#hosts.allows(request)) return `${rpcErrors.E_RPC_HOST(goQuote(request.headers.host ?? '')).message}\n`
    const { origin } = request.headers
    const crossSite = request.headers['sec-fetch-site'] === 'cross-site' && !(linked && isNavigation(request))
    if (crossSite && !(origin && this.#origins.names(origin))) return `${rpcErrors.E_RPC_CROSS_SITE().message}\n`
    return undefined
  }
}

function isNavigation({ method, headers }: IncomingMessage): boolean {
  return headers['sec-fetch-mode'] === 'navigate' && (method === 'GET' || method === 'HEAD')
}
