import type { IncomingMessage, ServerResponse } from 'node:http'
import type { Access } from './command.ts'
import type { Needs, Services } from './token.ts'

/** An HTTP route on a named listener, for groups that are no RPC. `rpc` is the RPC listener; others are opened by who declares them. */
export interface RouteDeclaration {
  readonly listener: string
  readonly method: 'GET' | 'HEAD' | 'POST' | 'PUT' | 'DELETE' | 'OPTIONS' | '*'
  /** A path (`/hello`) or a prefix ending in `/*`. */
  readonly path: string
  readonly help: string
  /**
   * What it lets a caller do, for routes that are not meant for everybody. Callers from other origins are then turned away as from the RPC,
   * and where `API.Authorizations` is set a secret must open the path: for `read` on listeners that other machines reach, else on all.
   */
  readonly access: Access | undefined
  readonly needs: Needs
  handle(services: Readonly<Record<string, unknown>>, request: IncomingMessage, response: ServerResponse): Promise<void> | void
}

export function route<const N extends Needs = {}>(declaration: {
  listener: string
  method: RouteDeclaration['method']
  path: string
  help: string
  access?: Access
  needs?: N
  handle(services: Services<N>, request: IncomingMessage, response: ServerResponse): Promise<void> | void
}): RouteDeclaration {
  return { needs: {}, access: undefined, ...declaration } as unknown as RouteDeclaration
}
