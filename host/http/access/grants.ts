import type { Access, Grant, Json } from '../../../core/index.ts'
import { rpcErrors } from '../listener-errors.ts'

/** One entry of `API.Authorizations`: the name it has there, which paths its secret opens, and the most that it may do there. */
export interface PathGrant extends Grant {
  readonly name: string
  /** How the paths start that it opens; undefined for a token that names none, which its access and patterns alone bound. */
  readonly paths?: readonly string[]
}

/** An entry with what proves it. */
export interface GrantEntry {
  readonly grant: PathGrant
  /** The secret itself, as Kubo has it. */
  readonly secret: string | undefined
  /** `sha256:` and the hash of a token in hexadecimal. */
  readonly hash: string | undefined
  /** The end, in milliseconds since the epoch; infinite where there is none. */
  readonly expires: number
}

const ACCESSES: readonly Access[] = ['read', 'write', 'admin']

const KEYS: readonly string[] = ['AuthSecret', 'AllowedPaths', 'Access', 'SecretHash', 'Commands', 'Created', 'Expires']

/** @throws E_RPC_GRANT_KEY, E_RPC_GRANT_ACCESS, E_RPC_GRANT_VALUE */
export function grantEntries(configured: Json | undefined): GrantEntry[] {
  if (typeof configured !== 'object' || configured === null) return []
  return Object.entries(configured).map(([name, entry]) => entryOf(name, entry))
}

function entryOf(name: string, entry: Json): GrantEntry {
  const fields = (entry ?? {}) as Readonly<Record<string, Json | undefined>>
  const other = Object.keys(fields).find(key => !KEYS.includes(key))
  if (other !== undefined) throw rpcErrors.E_RPC_GRANT_KEY(name, other)
  const { AuthSecret, AllowedPaths, Access: wanted, SecretHash, Commands, Expires } = fields
  const access = wanted === undefined ? undefined : ACCESSES.find(one => one === wanted)
  if (wanted !== undefined && access === undefined) throw rpcErrors.E_RPC_GRANT_ACCESS(name, JSON.stringify(wanted))
  const hash = typeof SecretHash === 'string' && /^sha256:[0-9a-f]{64}$/.test(SecretHash) ? SecretHash : undefined
  if (SecretHash !== undefined && hash === undefined)
    throw rpcErrors.E_RPC_GRANT_VALUE(name, 'SecretHash', "'sha256:' and 64 hexadecimal digits")
  const expires = Expires === undefined ? Number.POSITIVE_INFINITY : Date.parse(String(Expires))
  if (Number.isNaN(expires)) throw rpcErrors.E_RPC_GRANT_VALUE(name, 'Expires', 'a time such as 2030-01-31T12:00:00Z')
  if (Commands !== undefined && !isTexts(Commands)) throw rpcErrors.E_RPC_GRANT_VALUE(name, 'Commands', 'a list of patterns such as pin/**')
  const paths = Array.isArray(AllowedPaths) ? AllowedPaths.filter(path => typeof path === 'string') : []
  return {
    grant: {
      name,
      // programs of Kubo's write an empty list where there is none
      ...((hash === undefined || paths.length > 0) && { paths }),
      access,
      ...(Commands !== undefined && { commands: [Commands as string[]] })
    },
    secret: typeof AuthSecret === 'string' ? AuthSecret : undefined,
    hash,
    expires
  }
}

function isTexts(value: Json): boolean {
  return Array.isArray(value) && value.every(one => typeof one === 'string')
}
