import { parseDuration } from '../../../core/go/index.ts'
import { type Json, messageOf, type Repo, type TxtResolver } from '../../../core/index.ts'
import { nameErrors } from '../errors.ts'
import type { NameSettings } from '../settings.ts'
import { CachedResolver, type CacheLimits } from './cache.ts'
import { HttpsResolver } from './https.ts'
import { SystemResolver } from './system.ts'

/** Domains that are none of the common system, and who knows them (Kubo 0.28, core/node/dns.go). */
const IMPLICIT = { 'eth.': 'https://resolver.cloudflare-eth.com/dns-query', 'crypto.': 'https://resolver.cloudflare-eth.com/dns-query' }

/** What newer versions of Kubo write for the usual one, which they fetch from a server of their makers. */
const AUTO = 'auto'

const NOBODY: TxtResolver = { texts: async () => [] }

/** The resolver of each domain: that of the longest entry of `DNS.Resolvers` that it ends in, in any case of letters (RFC 4343). */
export class Resolvers implements TxtResolver {
  /** The longest first. */
  readonly #by: ReadonlyArray<readonly [string, TxtResolver]>

  /** @throws E_DNS_DOMAIN, E_DNS_RESOLVER, E_DNS_CACHE for an entry of the node configuration that makes no sense */
  constructor(repo: Pick<Repo, 'get'>, { dns, maxDomains }: Pick<NameSettings, 'dns' | 'maxDomains'>) {
    const limits = { most: maxDomains, longest: longestOf(repo.get('DNS.MaxCacheTTL')) }
    const configured = (repo.get('DNS.Resolvers') ?? {}) as Readonly<Record<string, string>>
    const by = new Map<string, TxtResolver>([['.', dns === 'system' ? new SystemResolver() : NOBODY]])
    for (const [key, url] of [...Object.entries(IMPLICIT), ...Object.entries(configured)]) {
      const domain = key.toLowerCase()
      // an empty one switches off what would be there without it
      if (url === '' && domain in IMPLICIT) by.delete(domain)
      else if (url !== AUTO) by.set(domain, resolverOf(key, url, limits))
    }
    this.#by = [...by].sort(([a], [b]) => b.length - a.length)
  }

  texts(domain: string, options: { readonly signal: AbortSignal }): Promise<readonly string[]> {
    const lower = domain.toLowerCase()
    const [, resolver] = this.#by.find(([end]) => end === '.' || lower === end || lower.endsWith(`.${end}`))!
    return resolver.texts(domain, options)
  }
}

function resolverOf(domain: string, url: string, limits: CacheLimits): TxtResolver {
  if (!domain.endsWith('.')) throw nameErrors.E_DNS_DOMAIN(domain)
  if (!url.startsWith('https://') || !URL.canParse(url)) throw nameErrors.E_DNS_RESOLVER(domain, url)
  return new CachedResolver(new HttpsResolver(url), limits)
}

/** Milliseconds. @throws E_DNS_CACHE */
function longestOf(setting: Json | undefined): number | undefined {
  if (setting === undefined || setting === null || setting === '' || setting === 'default') return undefined
  try {
    return Number(parseDuration(String(setting)) / 1_000_000n)
  } catch (error) {
    throw nameErrors.E_DNS_CACHE(JSON.stringify(setting), messageOf(error))
  }
}
