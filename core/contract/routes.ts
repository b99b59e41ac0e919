import type { IncomingMessage, ServerResponse } from 'node:http'
import type { Duplex } from 'node:stream'
import type { Needs, Services } from '../token.ts'
import type { Access } from './access.ts'
import type { Caller } from './caller.ts'

/** The method that a route answers; `*`: every one. A `GET` route answers `HEAD` too, unless another does, without its body. */
export type RouteMethod = 'GET' | 'HEAD' | 'POST' | 'PUT' | 'PATCH' | 'DELETE' | 'OPTIONS' | '*'

/** The context of a request for its handler. */
export interface RouteContext<P extends string = string> {
  /**
   * The parameters of the route's path and host, by name, percent-decoded: one may hold a `/`. `*` is what lies below a prefix, without a
   * slash before it.
   */
  readonly params: { readonly [K in P]: string }
  readonly query: URLSearchParams
  /** The caller, with the grant of its secret where callers need one. */
  readonly caller: Caller
  /**
   * Fires when nobody waits for the answer any more: the caller left, the time to begin it is over (`rpc.limits.answerTimeoutMs`), or the
   * node stops and the time that running requests get for it (`rpc.limits.stopGraceMs`) is over as well.
   */
  readonly signal: AbortSignal
  /** Fires as soon as the node stops, for answers that would never end: events, long polls. */
  readonly stopping: AbortSignal
  /** Has {@link signal} fire, for all that works on the request: what it waits for takes too long. */
  abort(reason: Error): void
  /**
   * Ends an answer as `response.end` does, together with what else is ended in the same turn of the event loop: a client that is woken by one
   * answer finds those to its other requests too. Many small answers are sent twice as fast.
   */
  end(response: ServerResponse, last?: string | Uint8Array, encoding?: BufferEncoding): void
}

/**
 * Another protocol on a route's path, such as WebSocket. Requests that ask for it are turned away as those that change something; the
 * connection counts as a request for as long as it is open, and ends with the plugin, and when the node stops.
 */
export interface UpgradeDeclaration<S = Readonly<Record<string, unknown>>, P extends string = string> {
  /** Its name in the header field `Upgrade`, e.g. `websocket`. */
  readonly protocol: string
  /**
   * Takes over the connection: nothing has been answered yet. What it throws before it has written anything is answered 500.
   *
   * @param head - what has already come behind the request
   */
  handle(services: S, request: IncomingMessage, socket: Duplex, head: Buffer, context: RouteContext<P>): Promise<void> | void
}

/**
 * An HTTP route on a named listener, for groups that are no RPC. `rpc` is the RPC listener; others are opened by who declares them
 * ({@link listener}).
 *
 * Of several that fit a request, one that names its host comes before one with a parameter there, and that before one for every host; then
 * the paths decide, segment by segment from the left: a word before a parameter before a prefix.
 */
export interface RouteDeclaration {
  readonly listener: string
  readonly method: RouteMethod
  /**
   * A path (`/hello`), with parameters for whole segments (`/hello/:name`), or a prefix ending in `/*`. It is compared with the path as it
   * was sent, still percent-encoded.
   */
  readonly path: string
  /**
   * The host that it is asked under (`api.example.net`), its first label perhaps a parameter (`:cid.ipfs.example.net`); undefined: any that the
   * listener answers to. A listener answers to the hosts that its routes name.
   */
  readonly host: string | undefined
  readonly help: string
  /**
   * The access that it gives a caller, for routes that are not meant for everybody. Callers from other origins are then turned away as from the RPC,
   * and where `API.Authorizations` is set a secret must open the path. On the listener `rpc` that holds for each route, whether it says
   * what it lets a caller do or not.
   */
  readonly access: Access | undefined
  /**
   * Whether pages of other sites may ask for it. They may not otherwise: whatever says that it comes from one is turned away, and from what
   * changes something (any method but `GET`, `HEAD` and `OPTIONS`, and routes with `access`) also a browser that does not say where it comes from.
   */
  readonly crossSite: boolean
  /** Whether it is for the control of a node, as a command can be: it has a slot also while other requests hold all theirs. */
  readonly control: boolean
  /**
   * Whether the handler reads the path itself, from the request's target: `params` are empty then, and a path that is no percent-encoded
   * UTF-8 reaches it too.
   */
  readonly rawPath: boolean
  readonly needs: Needs
  readonly upgrade: UpgradeDeclaration | undefined
  /** Answers a request, perhaps after it has returned. */
  handle(
    services: Readonly<Record<string, unknown>>,
    request: IncomingMessage,
    response: ServerResponse,
    context: RouteContext
  ): Promise<void> | void
}

/** The names of the parameters in a path: `'/hello/:name/*'` → `'name' | '*'`. */
type PathParameters<P extends string> = string extends P
  ? string
  : P extends `${infer Segment}/${infer Below}`
    ? PathParameters<Segment> | PathParameters<Below>
    : P extends `:${infer Name}`
      ? Name
      : P extends '*'
        ? '*'
        : never

/** The name of the parameter in a host: `':cid.ipfs.example.net'` → `'cid'`. */
type HostParameter<H extends string> = string extends H ? string : H extends `:${infer Name}.${string}` ? Name : never

interface RouteFields<N, P, H> {
  listener: string
  method: RouteMethod
  path: P
  host?: H
  help: string
  access?: Access
  crossSite?: boolean
  control?: boolean
  rawPath?: boolean
  needs?: N
}

/** The work of a route: answer, take a connection over, or both. */
type Work<S, P extends string> =
  | {
      handle(services: S, request: IncomingMessage, response: ServerResponse, context: RouteContext<P>): Promise<void> | void
      upgrade?: UpgradeDeclaration<S, P>
    }
  | { handle?: undefined; upgrade: UpgradeDeclaration<S, P> }

/**
 * Declares a route. One with `upgrade` alone answers other requests with 426.
 *
 * ```ts
 * route({
 *   listener: 'hello',
 *   method: 'GET',
 *   path: '/hello/:name',
 *   help: 'Greets.',
 *   handle: (_, request, response, { params }) => void response.end(`hello, ${params.name}\n`)
 * })
 * ```
 */
export function route<const N extends Needs = {}, const P extends string = string, const H extends string = ''>(
  declaration: RouteFields<N, P, H> & Work<Services<N>, PathParameters<P> | HostParameter<H>>
): RouteDeclaration {
  const handle = declaration.handle ?? refuse(declaration.upgrade!.protocol)
  const defaults = { needs: {}, host: undefined, access: undefined, crossSite: false, control: false, rawPath: false, upgrade: undefined }
  return { ...defaults, ...declaration, handle } as unknown as RouteDeclaration
}

/** The handler of a route that is for another protocol alone. */
function refuse(protocol: string): RouteDeclaration['handle'] {
  return (_, __, response) => {
    // a field of one's own takes the place of the one by which Node.js says that it closes the connection
    const connection = response.shouldKeepAlive ? 'Upgrade' : 'Upgrade, close'
    response.writeHead(426, { Upgrade: protocol, Connection: connection, 'Content-Type': 'text/plain; charset=utf-8' })
    response.end(`426 - Upgrade Required: ${protocol}\n`)
  }
}
