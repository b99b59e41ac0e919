import { createHmac, randomBytes } from 'node:crypto'
import { cleanPath } from '../../../core/go/path.ts'
import { decodeUtf8 } from '../../../core/go/utf8.ts'
import type { Access, Grant, Json } from '../../../core/index.ts'
import { rpcErrors } from '../listener-errors.ts'

/** One entry of `API.Authorizations`: the name it has there, which paths its secret opens, and the most that it may do there (`Access`). */
export interface PathGrant extends Grant {
  readonly name: string
  readonly paths: readonly string[]
}

export const DENIED =
  'Kubo RPC Access Denied: Please provide a valid authorization token as defined in the API.Authorizations configuration.\n'

const ACCESSES: readonly Access[] = ['read', 'write', 'admin']

const KEYS: readonly string[] = ['AuthSecret', 'AllowedPaths', 'Access']

const ALWAYS = '/api/v0/version'

/** Who may call what, as `API.Authorizations` says (Kubo 0.28, core/corehttp/commands.go). */
export class Authorizations {
  /** By the digest of the header that proves the secret: how long a look takes tells nothing of how much of a guess is right. */
  readonly #grants = new Map<string, PathGrant>()
  readonly #key = randomBytes(32)

  /**
   * @returns undefined where nothing is configured: then everybody may do everything
   * @throws E_RPC_GRANT_KEY, E_RPC_GRANT_ACCESS
   */
  static of(configured: Json | undefined): Authorizations | undefined {
    if (typeof configured !== 'object' || configured === null || Object.keys(configured).length === 0) return undefined
    return new Authorizations(configured as Readonly<Record<string, Json>>)
  }

  private constructor(configured: Readonly<Record<string, Json>>) {
    for (const [name, entry] of Object.entries(configured)) {
      const { AuthSecret, AllowedPaths, Access: wanted } = (entry ?? {}) as Readonly<Record<string, Json | undefined>>
      const other = Object.keys(entry ?? {}).find(key => !KEYS.includes(key))
      if (other !== undefined) throw rpcErrors.E_RPC_GRANT_KEY(name, other)
      const header = typeof AuthSecret === 'string' ? expectedHeader(AuthSecret) : undefined
      const paths = Array.isArray(AllowedPaths) ? AllowedPaths.filter(path => typeof path === 'string') : []
      const access = wanted === undefined ? undefined : ACCESSES.find(one => one === wanted)
      if (wanted !== undefined && access === undefined) throw rpcErrors.E_RPC_GRANT_ACCESS(name, JSON.stringify(wanted))
      if (header !== undefined) this.#grants.set(this.#digest(Buffer.from(header)), { name, paths, access })
    }
  }

  /**
   * @param path - of a command, decoded
   * @returns the grant that lets this caller in, undefined when none does
   */
  grant(header: string | undefined, path: string): PathGrant | undefined {
    const grant = this.known(header)
    if (grant === undefined) return undefined
    return path === ALWAYS || grant.paths.some(prefix => path.startsWith(prefix)) ? grant : undefined
  }

  /**
   * Whether this caller may ask for a path below which a handler may go on reading, in whichever way it reads it: as it was sent, and
   * decoded and without `..`, the path has to be one that the secret opens.
   *
   * @param path - still percent-encoded
   */
  opens(header: string | undefined, path: string): boolean {
    return this.grant(header, path) !== undefined && this.grant(header, cleanPath(decodedPath(path))) !== undefined
  }

  /** @returns the grant whose secret this caller has, whatever it opens */
  known(header: string | undefined): PathGrant | undefined {
    // Node tells the bytes of a header as latin1
    return header === undefined ? undefined : this.#grants.get(this.#digest(Buffer.from(header, 'latin1')))
  }

  #digest(header: Buffer): string {
    return createHmac('sha256', this.#key).update(header).digest('base64')
  }
}

/** A path without its percent-encoding; a broken escape stays as it is. */
export function decodedPath(path: string): string {
  if (!path.includes('%')) return path
  const bytes = path.replace(/%([0-9a-f]{2})/gi, (_, hex: string) => String.fromCharCode(Number.parseInt(hex, 16)))
  return decodeUtf8(Buffer.from(bytes, 'latin1'))
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
