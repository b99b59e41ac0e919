import type { IncomingMessage, ServerResponse } from 'node:http'
import type { Duplex } from 'node:stream'
import { hasCode, type Logger, type Logs, messageOf, type RouteDeclaration } from '../../core/index.ts'
import { hostErrors } from '../errors.ts'
import type { BoundRoute } from '../plugins/declarations.ts'
import { plain } from '../rpc/plain.ts'
import { type AccessParts, RouteAccess } from './access/route-access.ts'
import { watchAnswer } from './answer-limit.ts'
import { httpErrors } from './errors.ts'
import { HostPattern, hostName } from './host-pattern.ts'
import { PathPattern } from './path-pattern.ts'
import { RequestContext } from './route-context.ts'
import type { Router, ServedRoute } from './router.ts'

export interface PluginRouteParts extends AccessParts {
  readonly router: Router
  readonly logs: Pick<Logs, 'get'>
  /** How long a route may take to begin its answer, in milliseconds. 0: without limit. */
  readonly answerTimeoutMs: number
  readonly routes: readonly BoundRoute[]
}

export function addPluginRoutes(parts: PluginRouteParts): void {
  for (const route of parts.routes) parts.router.add(new PluginRoute(route, parts))
}

/** How a caller is told that there is no answer. */
type Refuse = (status: number, text: string) => void

/** A plugin's route as a listener serves it. */
class PluginRoute implements ServedRoute {
  readonly method
  readonly path: PathPattern
  readonly host: HostPattern | undefined
  readonly upgrade
  readonly #bound: BoundRoute
  readonly #access: RouteAccess
  readonly #log: Logger
  readonly #stopping: AbortSignal
  readonly #answerTimeoutMs: number

  constructor(bound: BoundRoute, parts: PluginRouteParts) {
    const { declaration } = bound
    this.method = declaration.method
    this.path = new PathPattern(declaration.path)
    this.host = declaration.host === undefined ? undefined : new HostPattern(declaration.host)
    this.upgrade = declaration.upgrade && { protocol: declaration.upgrade.protocol, handler: this.#takeOver }
    this.#bound = bound
    this.#access = new RouteAccess(parts, declaration)
    this.#log = parts.logs.get(bound.plugin)
    this.#stopping = parts.router.stopping
    this.#answerTimeoutMs = parts.answerTimeoutMs
  }

  refusal(request: IncomingMessage, path: string, isUpgrade: boolean): string | undefined {
    return this.#access.refusal(request, path, isUpgrade)
  }

  isControl(): boolean {
    return this.#bound.declaration.control
  }

  readonly handler = (request: IncomingMessage, response: ServerResponse, path: string, query: string): Promise<void> => {
    const { declaration, services } = this.#bound
    const refuse: Refuse = (status, text) => {
      if (response.headersSent) request.socket.destroy()
      else plain(request, response, status, text)
    }
    return this.#call(request, path, query, refuse, context => {
      const ended = watchAnswer(request, response, this.#answerTimeoutMs, () => {
        const silent = httpErrors.E_ROUTE_SILENT(this.#bound.plugin, this.#name, this.#answerTimeoutMs)
        this.#log.error(silent.message)
        context.abort(silent)
        refuse(503, `${silent.message}\n`)
      })
      response.once('close', () => {
        ended()
        context.over(response.writableFinished)
      })
      return declaration.handle(services, request, response, context)
    })
  }

  readonly #takeOver = (request: IncomingMessage, socket: Duplex, head: Buffer, path: string, query: string): Promise<void> => {
    const { declaration, services, resources } = this.#bound
    const { bytesWritten } = request.socket
    const refuse: Refuse = status => {
      if (request.socket.bytesWritten > bytesWritten) socket.destroy()
      else socket.end(`HTTP/1.1 ${status} ${status === 400 ? 'Bad Request' : 'Internal Server Error'}\r\nConnection: close\r\n\r\n`)
    }
    resources?.add(socket)
    return this.#call(request, path, query, refuse, context => {
      socket.once('close', () => {
        resources?.release(socket)
        context.over(false)
      })
      return declaration.upgrade!.handle(services, request, socket, head, context)
    })
  }

  /** Has a handler do its work, and answers what it throws. Every request of a plugin's route goes through here. */
  async #call(
    request: IncomingMessage,
    path: string,
    query: string,
    refuse: Refuse,
    work: (context: RequestContext) => Promise<void> | void
  ): Promise<void> {
    let signal: AbortSignal | undefined
    try {
      const params = { ...this.host?.values(hostName(request.headers.host)), ...this.path.values(path) }
      const context = new RequestContext(params, query, this.#stopping)
      signal = context.signal
      await work(context)
    } catch (error) {
      // nobody is there to be told, and a handler that says that it was stopped did as it was asked
      if (signal?.aborted && isAbort(error, signal)) return
      if (hasCode(error, 'E_PATH_ENCODING')) return refuse(400, `${error.message}\n`)
      this.#log.error({ err: error }, hostErrors.E_ROUTE_FAILED(this.#bound.plugin, this.#name, messageOf(error)).message)
      refuse(500, 'internal error\n')
    }
  }

  get #name(): string {
    return routeName(this.#bound.declaration)
  }
}

/** How messages name a route: `GET api.example.net/hello`. */
export const routeName = ({ method, host, path }: Pick<RouteDeclaration, 'method' | 'host' | 'path'>) => `${method} ${host ?? ''}${path}`

function isAbort(error: unknown, signal: AbortSignal): boolean {
  if (error === signal.reason) return true
  const { name, code } = (error ?? {}) as { name?: unknown; code?: unknown }
  return name === 'AbortError' || code === 'ERR_STREAM_PREMATURE_CLOSE'
}
