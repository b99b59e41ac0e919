import { commonErrors } from '../errors/common.ts'
import type { NodeError } from '../errors.ts'
import { matchesPath } from './command-pattern.ts'

/** The access that a caller's authorization must grant. A caller who may `write` may also `read`; who is `admin` may do everything. */
export type Access = 'read' | 'write' | 'admin'

const ORDER: readonly Access[] = ['read', 'write', 'admin']

/** The grant of a caller. One without a grant may do everything that its transport lets it ask for. */
export interface Grant {
  /** The name under which the node's configuration knows the caller, for logs and messages. */
  readonly name?: string
  /** The most it may do. Default: everything. */
  readonly access?: Access
  /** Lists of patterns of paths, such as `pin/**`: of each list one has to match a command that it calls. Default: all commands. */
  readonly commands?: readonly (readonly string[])[]
}

/** Whether a grant covers an access. */
export function permits(grant: Grant | undefined, access: Access): boolean {
  return grant?.access === undefined || ORDER.indexOf(access) <= ORDER.indexOf(grant.access)
}

/** The grant that two grants have in common; of the second the name, where it has one. */
export function narrowed(by: Grant, grant: Grant | undefined): Grant {
  const name = grant?.name ?? by.name
  const access = by.access === undefined || (grant?.access !== undefined && permits(by, grant.access)) ? grant?.access : by.access
  const commands = [...(by.commands ?? []), ...(grant?.commands ?? [])]
  return {
    ...(name === undefined ? {} : { name }),
    ...(access === undefined ? {} : { access }),
    ...(commands.length === 0 ? {} : { commands })
  }
}

/**
 * The refusal of what a grant does not cover: the one point that decides, for commands and routes on every transport.
 *
 * @param what - as the caller knows it: `pin/add`, `POST /hello`
 * @returns E_ACCESS, E_ACCESS_COMMAND; undefined where the grant covers it
 */
export function denial(grant: Grant | undefined, access: Access, what: string): NodeError | undefined {
  const closed = grant?.commands?.find(patterns => !patterns.some(pattern => matchesPath(pattern, what)))
  if (closed !== undefined) return commonErrors.E_ACCESS_COMMAND(what, grant?.name, closed)
  if (permits(grant, access)) return undefined
  return commonErrors.E_ACCESS(what, access, grant?.name, grant?.access)
}

/** Refuses a caller what takes more access than the command itself, as an option of it does. @param what - `repo/verify` @throws E_ACCESS */
export function demand(caller: { readonly grant?: Grant | undefined }, access: Access, what: string): void {
  const { grant } = caller
  if (!permits(grant, access)) throw commonErrors.E_ACCESS(what, access, grant?.name, grant?.access)
}
