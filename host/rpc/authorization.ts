import type { Json } from '../../core/index.ts'

/** One entry of `API.Authorizations`: the name it has there, and which paths its secret opens. */
export interface Grant {
  readonly name: string
  readonly paths: readonly string[]
}

export const DENIED =
  'Kubo RPC Access Denied: Please provide a valid authorization token as defined in the API.Authorizations configuration.\n'

const ALWAYS = '/api/v0/version'

/** Who may call what, as `API.Authorizations` says (Kubo 0.28, core/corehttp/commands.go). */
export class Authorizations {
  readonly #grants = new Map<string, Grant>()

  /** @returns undefined where nothing is configured: then everybody may do everything */
  static of(configured: Json | undefined): Authorizations | undefined {
    if (typeof configured !== 'object' || configured === null || Object.keys(configured).length === 0) return undefined
    return new Authorizations(configured as Readonly<Record<string, Json>>)
  }

  private constructor(configured: Readonly<Record<string, Json>>) {
    for (const [name, entry] of Object.entries(configured)) {
      const { AuthSecret, AllowedPaths } = (entry ?? {}) as { AuthSecret?: Json; AllowedPaths?: Json }
      const header = typeof AuthSecret === 'string' ? expectedHeader(AuthSecret) : undefined
      const paths = Array.isArray(AllowedPaths) ? AllowedPaths.filter(path => typeof path === 'string') : []
      if (header !== undefined) this.#grants.set(header, { name, paths })
    }
  }

  /** @returns the grant that lets this caller in, undefined when none does */
  grant(header: string | undefined, path: string): Grant | undefined {
    const grant = this.#grants.get(header ?? '')
    if (grant === undefined) return undefined
    return path === ALWAYS || grant.paths.some(prefix => path.startsWith(prefix)) ? grant : undefined
  }
}

/** The `Authorization` header that proves a secret; undefined for a secret of a kind that nobody can prove. */
export function expectedHeader(secret: string): string | undefined {
  if (secret === '') return undefined
  const colon = secret.indexOf(':')
  if (colon < 0) return `Bearer ${secret}`
  const rest = secret.slice(colon + 1)
  switch (secret.slice(0, colon)) {
    case 'bearer':
      return `Bearer ${rest}`
    case 'basic':
      return `Basic ${rest.includes(':') ? Buffer.from(rest).toString('base64') : rest}`
    default:
      return undefined
  }
}
