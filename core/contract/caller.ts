import type { Grant } from './access.ts'

/** What let a caller in: an entry of `API.Authorizations` as it stands there. */
export interface Authorization {
  /** Tells it from every other one, from a later one of the same name, too. */
  readonly id: string
  /** Fires a moment after it was removed or changed, or has expired: what still runs by it has to end. */
  readonly ended: AbortSignal
}

/** The caller of a command or a route. */
export interface Caller {
  /** The transport that its call came over: `http`, `process` for one in this process, or what a plugin's transport calls itself. */
  readonly transport: 'http' | 'process' | (string & {})
  /** An IP address. Callers in this process, and on a unix socket, have none. */
  readonly address?: string | undefined
  readonly userAgent?: string | undefined
  /** The header fields of its request, names in lower case, where its transport has some. */
  readonly headers?: HeaderFields | undefined
  /** The grant of the caller; without one, it may do everything. */
  readonly grant?: Grant | undefined
  /** What the grant was given by, where callers need a secret. What outlives a call and acts for its caller is bound to it. */
  readonly authorization?: Authorization | undefined
}

/** Header fields by name in lower case, as `node:http` tells them: those that may stand several times are lists. */
export type HeaderFields = Readonly<Record<string, string | readonly string[] | undefined>>
