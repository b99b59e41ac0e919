import { z } from 'zod'
import type { Needs, Services } from '../token.ts'

/** One address of a listener, and whom it answers there. */
export type ListenAt = ListenAtPort | ListenAtSocket | ListenAtMultiaddr

export interface ListenAtPort extends ListenerCallers {
  /** An IP address; `127.0.0.1` where nothing is said. */
  readonly address?: string | undefined
  /** 0: any free one. */
  readonly port: number
}

export interface ListenAtSocket extends ListenerCallers {
  /** The path of a Unix socket, for this user alone. */
  readonly socket: string
}

export interface ListenAtMultiaddr extends ListenerCallers {
  /** `/ip4/127.0.0.1/tcp/8090`, `/dns4/localhost/tcp/8090`, `/unix/run/hello.sock`: as the node configuration writes addresses. */
  readonly multiaddr: string
}

/** The hosts and origins that a listener answers besides callers who name it by a loopback name, its own address or the host of a route. */
export interface ListenerCallers {
  /** Names that a Host header may carry; `*` among them: any. Default: none more. */
  readonly allowedHosts?: readonly string[] | undefined
  /** Origins whose pages may ask, for what changes something too; `*` among them: those of any site. Default: none but its own. */
  readonly allowedOrigins?: readonly string[] | undefined
}

/** An HTTP listener of a plugin's own. It opens once all plugins have started, and closes before the first of them stops. */
export interface ListenerDeclaration {
  /** The name that routes use; unique on a host. */
  readonly name: string
  readonly help: string
  readonly needs: Needs
  /** Where it opens; undefined: nowhere. */
  at(services: Readonly<Record<string, unknown>>): ListenAt | readonly ListenAt[] | undefined
  /** The daemon's name for it in the line that it listens: `Gateway server listening on …`. Default: the listener by its name. */
  readonly title?: string | undefined
  /** Whether CONNECT opens a tunnel to the listener itself, as clients that take it for their proxy ask for. Default: the connection is closed. */
  readonly tunnels?: boolean | undefined
  /** Called once all addresses are open, before the node says that it is ready. */
  opened?(services: Readonly<Record<string, unknown>>, addresses: readonly OpenAddress[]): Promise<void> | void
}

/** An address that a listener has opened, with the port that was bound. */
export interface OpenAddress {
  /** `/ip4/127.0.0.1/tcp/8090` */
  readonly multiaddr: string
  /** `http://127.0.0.1:8090`, `unix:/run/hello.sock` */
  readonly url: string
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
  at(services: Services<N>): ListenAt | readonly ListenAt[] | undefined
  title?: string
  tunnels?: boolean
  opened?(services: Services<N>, addresses: readonly OpenAddress[]): Promise<void> | void
}): ListenerDeclaration {
  return { needs: {}, ...declaration } as unknown as ListenerDeclaration
}

/** The settings of a listener, for a plugin's schema: loopback and `port` unless the configuration says otherwise. */
export function listenerSettings(port: number) {
  return {
    address: z.union([z.ipv4(), z.ipv6()], 'an IP address').default('127.0.0.1').describe('The IP address to listen on.'),
    port: z.int('a port').min(0, 'a port').max(65_535, 'a port').default(port).describe('The port to listen on. 0: any free one.'),
    allowedHosts: z
      .array(z.string('a host name'), 'a list of host names')
      .default([])
      .describe("Names that a Host header may carry beside loopback ones and the listener's own address. '*': any."),
    allowedOrigins: z
      .array(z.string('an origin'), 'a list of origins')
      .default([])
      .describe("Origins whose pages may ask, e.g. https://app.example. '*': those of any site.")
  }
}
