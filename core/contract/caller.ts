import type { Grant } from './access.ts'

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
}

/** Header fields by name in lower case, as `node:http` tells them: those that may stand several times are lists. */
export type HeaderFields = Readonly<Record<string, string | readonly string[] | undefined>>
