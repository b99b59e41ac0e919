import { Resolver } from 'node:dns/promises'
import { fromByteString } from '../../../core/go/index.ts'
import type { TxtResolver } from '../../../core/index.ts'
import { nameErrors } from '../errors.ts'

/** Codes of the system's resolver where a domain is not, or has no texts. */
const NOTHING = new Set(['ENOTFOUND', 'ENODATA', 'EBADNAME', 'EFORMERR'])

/** The texts of Go's resolver for the failures that both have. */
const WORDS: Readonly<Record<string, string>> = {
  ESERVFAIL: 'server misbehaving',
  EREFUSED: 'server misbehaving',
  ETIMEOUT: 'i/o timeout',
  ECONNREFUSED: 'connection refused'
}

/** Asks the name servers of the system. */
export class SystemResolver implements TxtResolver {
  readonly #servers: readonly string[] | undefined

  /** @param servers - the name servers to ask instead (`127.0.0.1:5353`) */
  constructor(servers?: readonly string[]) {
    this.#servers = servers
  }

  /** @throws E_DNS */
  async texts(domain: string, { signal }: { readonly signal: AbortSignal }): Promise<readonly string[]> {
    const resolver = new Resolver({ timeout: 5000, tries: 2 })
    if (this.#servers !== undefined) resolver.setServers(this.#servers)
    const cancel = () => resolver.cancel()
    signal.addEventListener('abort', cancel, { once: true })
    try {
      // Node.js has a character for each byte
      return (await resolver.resolveTxt(domain.replace(/\.$/, ''))).map(parts => fromByteString(parts.join('')))
    } catch (error) {
      signal.throwIfAborted()
      const { code = '' } = error as { code?: string }
      if (NOTHING.has(code)) return []
      throw nameErrors.E_DNS(`lookup ${domain}: ${WORDS[code] ?? code}`)
    } finally {
      signal.removeEventListener('abort', cancel)
    }
  }
}
