import { type IncomingMessage, type ServerResponse, STATUS_CODES } from 'node:http'
import type { Duplex } from 'node:stream'
import { readable } from '../../../core/errors.ts'
import {
  hasCode,
  httpOf,
  type Logger,
  type Logs,
  messageOf,
  type Resources,
  type RouteDeclaration,
  type RouteVisit
} from '../../../core/index.ts'
import { isDefect } from '../../defect.ts'
import { hostErrors } from '../../errors.ts'
import type { Refused } from '../access/authorizations.ts'
import { type AccessParts, RouteAccess } from '../access/route-access.ts'
import { BatchedEnds } from '../batched-ends.ts'
import { httpErrors } from '../errors.ts'
import type { RawFields } from '../fields.ts'
import { isWhole, linger } from '../lingering-close.ts'
import { checkedOverride, overridden } from '../override.ts'
import { PLAIN, send } from '../responses.ts'
import { watchAnswer } from './answer-limit.ts'
import { RequestContext } from './context.ts'
import { HostPattern, hostName } from './host-pattern.ts'
import { PathPattern } from './path-pattern.ts'
import type { Router, ServedRoute } from './router.ts'

/** A plugin's route with its services at hand. */
export interface ResolvedRoute {
  readonly plugin: string
  readonly declaration: RouteDeclaration
  readonly services: Readonly<Record<string, unknown>>
  /** The resources that its plugin holds, connections that were upgraded among them. */
  readonly resources?: Resources | undefined
  /** Has hooks lie around a request; they throw what to answer in its stead. Without, none does. */
  surround?(visit: Omit<RouteVisit, 'log'>, answer: () => Promise<void>): Promise<unknown>
}

interface PluginRouteParts extends AccessParts {
  readonly router: Router
  readonly logs: Pick<Logs, 'get'>
  /** How long a route may take to begin its answer, in milliseconds. 0: without limit. */
  readonly answerTimeoutMs: number
  readonly routes: readonly ResolvedRoute[]
}

export function addPluginRoutes(parts: PluginRouteParts): void {
  const ends = new BatchedEnds()
  for (const route of parts.routes) parts.router.add(new PluginRoute(route, parts, ends))
}

/** How a caller is told that there is no answer. */
type Refuse = (status: number, body: string | Uint8Array, fields?: RawFields) => void

/** One request on its way to a handler. */
interface Work {
  readonly request: IncomingMessage
  readonly path: string
  readonly query: string
  readonly refuse: Refuse
  /** The work before the hooks around it. */
  begin(context: RequestContext): void
  /** The work where there is no answer yet once the handler, or the first hook, waits for something. */
  waits?(context: RequestContext): void
  /** The handler itself. */
  work(context: RequestContext): Promise<void> | void
}

/** A plugin's route as a listener serves it. */
class PluginRoute implements ServedRoute {
  readonly method
  readonly path: PathPattern
  readonly host: HostPattern | undefined
  readonly upgrade
  readonly #resolved: ResolvedRoute
  readonly #access: RouteAccess
  readonly #log: Logger
  readonly #stopping: AbortSignal
  readonly #answerTimeoutMs: number
  readonly #ends: BatchedEnds

  constructor(resolved: ResolvedRoute, parts: PluginRouteParts, ends: BatchedEnds) {
    const { declaration } = resolved
    this.method = declaration.method
    this.path = new PathPattern(declaration.path)
    this.host = declaration.host === undefined ? undefined : new HostPattern(declaration.host)
    this.upgrade = declaration.upgrade && { protocol: declaration.upgrade.protocol, handler: this.#takeOver }
    this.#resolved = resolved
    this.#access = new RouteAccess(parts, declaration, routeName(declaration))
    this.#log = parts.logs.get(resolved.plugin)
    this.#stopping = parts.router.stopping
    this.#answerTimeoutMs = parts.answerTimeoutMs
    this.#ends = ends
  }

  refusal(request: IncomingMessage, path: string, isUpgrade: boolean): Refused | undefined {
    return this.#access.refusal(request, path, isUpgrade)
  }

  isControl(): boolean {
    return this.#resolved.declaration.control
  }

  readonly handler = (request: IncomingMessage, response: ServerResponse, path: string, query: string): Promise<void> | void => {
    const { declaration, services } = this.#resolved
    const refuse: Refuse = (status, body, fields = []) => {
      if (response.headersSent) request.socket.destroy()
      else send(request, response, status, overridden(PLAIN, fields), body)
    }
    const begin = (context: RequestContext) => {
      response.on('close', () => {
        context.over(response.writableFinished)
        // nobody reads the rest of a body any more: who sends none of it, or without end, holds the connection for a moment alone
        if (response.writableFinished && hasConnection(request) && !isWhole(request)) linger(request)
      })
    }
    const waits = (context: RequestContext) => {
      if (response.headersSent) return
      const ended = watchAnswer(request, response, this.#answerTimeoutMs, () => {
        const silent = httpErrors.E_ROUTE_SILENT(this.#resolved.plugin, this.#name, this.#answerTimeoutMs)
        this.#log.error(silent.message)
        context.abort(silent)
        refuse(503, `${silent.message}\n`)
      })
      response.on('close', ended)
    }
    const work = (context: RequestContext) => declaration.handle(services, request, response, context)
    return this.#call({ request, path, query, refuse, begin, waits, work })
  }

  readonly #takeOver = (request: IncomingMessage, socket: Duplex, head: Buffer, path: string, query: string): Promise<void> | void => {
    const { declaration, services, resources } = this.#resolved
    const { bytesWritten } = request.socket
    const refuse: Refuse = (status, _, fields = []) => {
      if (request.socket.bytesWritten > bytesWritten) return socket.destroy()
      const lines = fields.map((text, i) => (i % 2 === 0 ? `${text}: ` : `${text}\r\n`)).join('')
      socket.end(`HTTP/1.1 ${status} ${STATUS_CODES[status] ?? ''}\r\nConnection: close\r\n${lines}\r\n`, 'latin1')
    }
    resources?.add(socket)
    socket.once('close', () => resources?.release(socket))
    const begin = (context: RequestContext) => void socket.once('close', () => context.over(false))
    const work = (context: RequestContext) => declaration.upgrade!.handle(services, request, socket, head, context)
    return this.#call({ request, path, query, refuse, begin, work })
  }

  /** Has a handler do its work, and answers what it throws. Every request of a plugin's route goes through here. */
  #call({ request, path, query, refuse, begin, waits, work }: Work): Promise<void> | void {
    let signal: AbortSignal | undefined
    try {
      const caller = this.#access.caller(request)
      const params = this.#resolved.declaration.rawPath
        ? {}
        : { ...this.host?.values(hostName(request.headers.host)), ...this.path.values(path) }
      const context = new RequestContext(params, query, caller, this.#stopping, this.#ends)
      signal = context.signal
      begin(context)
      const working = this.#resolved.surround === undefined ? work(context) : this.#surrounded(request, path, context, work)
      waits?.(context)
      return working && this.#over(working, refuse, signal)
    } catch (error) {
      this.#failed(error, refuse, signal)
    }
  }

  async #over(working: Promise<void>, refuse: Refuse, signal: AbortSignal): Promise<void> {
    try {
      await working
    } catch (error) {
      this.#failed(error, refuse, signal)
    }
  }

  #failed(thrown: unknown, refuse: Refuse, signal: AbortSignal | undefined): void {
    const error = readable(thrown)
    // nobody is there to be told, and a handler that says that it was stopped did as it was asked
    if (signal?.aborted && isAbort(error, signal)) return
    const failed = (of: unknown) => {
      this.#log.error({ err: of }, hostErrors.E_ROUTE_FAILED(this.#resolved.plugin, this.#name, messageOf(of)).message)
    }
    if (hasCode(error, 'E_PATH_ENCODING')) refuse(400, `${error.message}\n`)
    else if (isDeclared(error)) {
      const { body = `${messageOf(error)}\n`, ...words } = httpOf(error)
      const { status = 500, fields } = checkedOverride(words, failed)
      refuse(status, body, fields)
    } else {
      failed(error)
      refuse(500, 'internal error\n')
    }
  }

  /** @throws E_ROUTE_HOOK for hooks that let nobody answer */
  async #surrounded({ method = '' }: IncomingMessage, path: string, context: RequestContext, work: Work['work']): Promise<void> {
    const { caller, signal } = context
    let isHandled = false
    await this.#resolved.surround!({ kind: 'route', route: this.#resolved.declaration, method, path, caller, signal }, async () => {
      isHandled = true
      await work(context)
    })
    if (!isHandled) throw hostErrors.E_ROUTE_HOOK()
  }

  get #name(): string {
    return routeName(this.#resolved.declaration)
  }
}

/** Whether a caller is meant to see an error: it is one that a plugin, or the node, declares. */
function isDeclared(error: unknown): boolean {
  return error instanceof Error && typeof (error as { wire?: unknown }).wire === 'string' && !isDefect(error)
}

/** How messages name a route: `GET api.example.net/hello`. */
export const routeName = ({ method, host, path }: Pick<RouteDeclaration, 'method' | 'host' | 'path'>) => `${method} ${host ?? ''}${path}`

function isAbort(error: unknown, signal: AbortSignal): boolean {
  if (error === signal.reason) return true
  const { name, code } = (error ?? {}) as { name?: unknown; code?: unknown }
  return name === 'AbortError' || code === 'ERR_STREAM_PREMATURE_CLOSE'
}

/** Whether a request still has its connection: one that a handler left in the middle of its body has none. */
function hasConnection({ socket }: { readonly socket: IncomingMessage['socket'] | null }): boolean {
  return socket !== null
}
