import type { IncomingMessage, ServerResponse } from 'node:http'
import { z } from 'zod'
import type { Access } from './access.ts'
import type { Needs, Services } from './token.ts'

/**
 * An HTTP route on a named listener, for groups that are no RPC. `rpc` is the RPC listener; others are opened by who declares them
 * ({@link listener}).
 */
export interface RouteDeclaration {
  readonly listener: string
  readonly method: 'GET' | 'HEAD' | 'POST' | 'PUT' | 'DELETE' | 'OPTIONS' | '*'
  /** A path (`/hello`) or a prefix ending in `/*`. */
  readonly path: string
  readonly help: string
  /**
   * What it lets a caller do, for routes that are not meant for everybody. Callers from other origins are then turned away as from the RPC,
   * and where `API.Authorizations` is set a secret must open the path. On the listener `rpc` that holds for each route, whether it says
   * what it lets a caller do or not.
   */
  readonly access: Access | undefined
  /** Whether it is for the control of a node, as a command can be: it has a slot also while other requests hold all theirs. */
  readonly control: boolean
  readonly needs: Needs
  handle(services: Readonly<Record<string, unknown>>, request: IncomingMessage, response: ServerResponse): Promise<void> | void
}

export function route<const N extends Needs = {}>(declaration: {
  listener: string
  method: RouteDeclaration['method']
  path: string
  help: string
  access?: Access
  control?: boolean
  needs?: N
  handle(services: Services<N>, request: IncomingMessage, response: ServerResponse): Promise<void> | void
}): RouteDeclaration {
  return { needs: {}, access: undefined, control: false, ...declaration } as unknown as RouteDeclaration
}

/** Where a listener opens. */
export interface ListenAt {
  /** An IP address; `127.0.0.1` where nothing is said. */
  readonly address?: string | undefined
  /** 0: any free one. */
  readonly port: number
}

/** An HTTP listener of a plugin's own. It opens once all plugins have started, and closes before the first of them stops. */
export interface ListenerDeclaration {
  /** What routes name it by; unique on a host. */
  readonly name: string
  readonly help: string
  readonly needs: Needs
  at(services: Readonly<Record<string, unknown>>): ListenAt
}

/**
 * Declares a listener.
 *
 * ```ts
 * const schema = z.strictObject(listenerSettings(8090))
 * listener({ name: 'hello', help: 'Greets.', needs: { at: settings<typeof schema>() }, at: ({ at }) => at })
 * ```
 */
export function listener<const N extends Needs = {}>(declaration: {
  name: string
  help: string
  needs?: N
  at(services: Services<N>): ListenAt
}): ListenerDeclaration {
  return { needs: {}, ...declaration } as unknown as ListenerDeclaration
}

/** The settings of a listener, for a plugin's schema: loopback and `port` unless the configuration says otherwise. */
export function listenerSettings(port: number) {
  return {
    address: z.union([z.ipv4(), z.ipv6()], 'an IP address').default('127.0.0.1').describe('The IP address to listen on.'),
    port: z.int('a port').min(0, 'a port').max(65_535, 'a port').default(port).describe('The port to listen on. 0: any free one.')
  }
}
