import { setMaxListeners } from 'node:events'
import { type IncomingMessage, type Server as NodeServer, ServerResponse } from 'node:http'
import type { Socket } from 'node:net'
import RestifyServer from 'restify/lib/server.js'
import { networkOf } from '../../core/callers/index.ts'
import type { Authorization, Logger } from '../../core/index.ts'
import { hostErrors } from '../errors.ts'
import type { RequestCounts } from '../request-counts.ts'
import type { Authorizations } from './access/authorizations.ts'
import { ambiguousHost } from './access/host-names.ts'
import { lingers } from './lingering-close.ts'
import { type ListenAddress, openAddress } from './listen/addresses.ts'
import { listen } from './listen/listen.ts'
import { PipelinedRequests } from './listen/pipelined.ts'
import { rpcErrors } from './listener-errors.ts'
import { answerUnreadable } from './malformed-request.ts'
import { plain } from './responses.ts'
import { Router } from './routes/router.ts'
import type { RpcSettings } from './settings.ts'
import { Slots } from './slots.ts'
import { leadNowhere, tunnel } from './tunnel.ts'
import { Upgrades } from './upgrades.ts'

/** How often it is looked whether authorizations have ended, in milliseconds. */
const LOOK_MS = 1000

/** restify asks for a logger and writes to it only about its own formatters. */
const quiet = { child: () => quiet, trace() {}, debug() {}, info() {}, warn() {}, error() {}, fatal() {} }

// restify puts a `writeHead` of its own in the place of Node's, which answers nothing, where Node's answers the response
const { _writeHead } = ServerResponse.prototype as ServerResponse & { _writeHead?: ServerResponse['writeHead'] }
if (_writeHead !== undefined) ServerResponse.prototype.writeHead = _writeHead

/** The servers of the RPC, or of one plugin's listener: opened and closed together, and held to the same limits. */
export class HttpServer {
  readonly #settings: RpcSettings
  readonly #tunnels: boolean
  readonly #log: Logger
  readonly #requestCounts: RequestCounts | undefined
  readonly #slots: Slots
  readonly #authorizations: Authorizations | undefined
  readonly #servers: RestifyServer[] = []
  readonly #upgrades: Upgrades[] = []
  readonly #stopping = new AbortController()
  /** Every connection, and what was last answered on it. */
  readonly #connections = new Map<Socket, ServerResponse | undefined>()
  readonly #pipelined = new PipelinedRequests(socket => this.#connections.get(socket))
  readonly #letInBy = new WeakMap<ServerResponse, Authorization>()
  #isClosing = false
  #look: NodeJS.Timeout | undefined

  constructor(settings: RpcSettings, log: Logger, { requestCounts, authorizations, tunnels = false }: HttpServerOptions = {}) {
    this.#requestCounts = requestCounts
    this.#tunnels = tunnels
    this.#slots = new Slots(settings.limits)
    this.#authorizations = authorizations
    this.#settings = settings
    this.#log = log
    // each request that looks at it adds a listener
    setMaxListeners(0, this.#stopping.signal)
  }

  /**
   * @param fill - puts what is served into the router, once the port is known
   * @returns the multiaddr with the port that was bound
   * @throws E_RPC_LISTEN
   */
  async open(address: ListenAddress, fill: (router: Router, port: number | undefined) => void): Promise<string> {
    const router = new Router({
      onError: (error, request, response) => this.#defect(error, request, response),
      admits: (request, response, isControl) => this.#givesSlot(request, response, isControl),
      stopping: this.#stopping.signal
    })
    // restify's own router and body readers stay out: this one knows Go's rules, and bodies are streams. Its server
    // alone is loaded: the package's front also loads plugins, parsers and formatters that nothing here uses
    const server = new RestifyServer({ name: '', router, noWriteContinue: true, log: quiet })
    // whoever listens is told by the promise; what goes wrong later concerns single connections
    server.on('error', error => this.#log.warn({ err: error }, `the RPC listener on ${address.text}`))
    server.first((request, response) => this.#admits(request, response))
    this.#prepare(server.server)
    await listen(server.server, address)
    const socketAddress = server.server.address()
    fill(router, typeof socketAddress === 'object' && socketAddress !== null ? socketAddress.port : undefined)
    this.#takeUpgrades(server.server, router)
    this.#servers.push(server)
    if (this.#authorizations !== undefined) this.#look ??= setInterval(() => this.#cutEnded(), LOOK_MS).unref()
    return openAddress(address, socketAddress)
  }

  /** Takes no more requests, closes connections once they are answered, and after `grace` milliseconds all that are left. */
  async close(grace: number): Promise<void> {
    this.#isClosing = true
    clearInterval(this.#look)
    this.#stopping.abort(hostErrors.E_HOST_STOPPING())
    for (const upgrades of this.#upgrades) upgrades.end()
    const closed = this.#servers.map(({ server }) => new Promise<void>(resolve => server.close(() => resolve())))
    for (const [socket, response] of this.#connections) {
      if (response === undefined || response.closed) socket.destroy()
      else response.once('close', () => socket.destroySoon())
    }
    const timer = setTimeout(() => {
      for (const socket of this.#connections.keys()) socket.destroy()
    }, grace)
    await Promise.all(closed)
    clearTimeout(timer)
  }

  #prepare(server: NodeServer): void {
    this.#pipelined.precede(server)
    const { headerBytes, queryBytes, headerTimeoutMs, idleTimeoutMs, keepAliveMs } = this.#settings.limits
    // the parser's bound leaves room for the exact ones, which are checked per request
    Object.assign(server, { maxHeaderSize: headerBytes + queryBytes + 1024, connectionsCheckingInterval: checkInterval(headerTimeoutMs) })
    server.headersTimeout = headerTimeoutMs
    // uploads may take any time
    server.requestTimeout = 0
    server.keepAliveTimeout = keepAliveMs
    server.timeout = idleTimeoutMs
    server.on('connection', (socket: Socket) => {
      // one that is a tunnel comes again
      if (!this.#connections.has(socket)) socket.once('close', () => this.#connections.delete(socket))
      this.#connections.set(socket, undefined)
    })
    server.on('clientError', (error: NodeJS.ErrnoException, socket: Socket) =>
      answerUnreadable(error, socket, this.#connections.get(socket))
    )
    // Go's server knows no upgrades and answers such requests like others; so does this one where no route has them
    server.removeAllListeners('upgrade')
    server.on('connect', (_: IncomingMessage, socket: Socket, head: Buffer) => {
      // answers go out in the order of their requests, and nobody looks after those that are still owed here
      if (this.#pipelined.owesAnswer(socket)) socket.destroy()
      else if (this.#tunnels) this.#pipelined.inTurn(socket, () => tunnel(server, socket, head))
      else leadNowhere(socket)
    })
  }

  #takeUpgrades(server: NodeServer, router: Router): void {
    if (!router.hasUpgrades) return
    const upgrades = new Upgrades(server, router, {
      admits: (request, response) => this.#admits(request, response),
      givesSlot: (request, response, isControl) => this.#givesSlot(request, response, isControl),
      owesAnswer: socket => this.#pipelined.owesAnswer(socket)
    })
    upgrades.listen()
    this.#upgrades.push(upgrades)
  }

  /** A handler threw: the caller learns that much, the log the rest. */
  #defect(error: unknown, request: IncomingMessage, response: ServerResponse): void {
    this.#log.error({ err: error }, `${request.method} ${request.url} failed in a way that nobody foresaw`)
    if (response.headersSent) request.socket.destroy()
    else plain(request, response, 500, 'internal error\n')
  }

  /** The checks before anything is done for a request. */
  #admits(request: IncomingMessage, response: ServerResponse): boolean {
    const { socket, url = '' } = request
    if (lingers(socket)) return false
    this.#connections.set(socket, response)
    this.#requestCounts?.begin(response)
    const { headerBytes, queryBytes } = this.#settings.limits
    const cut = url.indexOf('?')
    if (this.#isClosing) return this.#refuse(request, response, 503, rpcErrors.E_RPC_CLOSING())
    const ambiguous = this.#tunnels ? undefined : ambiguousHost(request)
    if (ambiguous !== undefined) return this.#refuse(request, response, 400, ambiguous)
    if (cut >= 0 && url.length - cut - 1 > queryBytes)
      return this.#refuse(request, response, 414, rpcErrors.E_RPC_QUERY_TOO_LONG(queryBytes))
    if (headerSize(request, cut < 0 ? url.length : cut) > headerBytes)
      return this.#refuse(request, response, 431, rpcErrors.E_RPC_HEADER_TOO_LARGE(headerBytes))
    return true
  }

  #givesSlot(request: IncomingMessage, response: ServerResponse, isControl: boolean): boolean {
    const { headers, socket } = request
    const grant = this.#authorizations?.known(headers.authorization)
    const caller = grant === undefined ? networkOf(socket.remoteAddress ?? 'unix') : `user ${grant.name}`
    const busy = this.#slots.take(request, response, caller, isControl)
    if (busy !== undefined) return this.#refuse(request, response, 503, busy)
    const authorization = grant && this.#authorizations?.behind(grant)
    if (authorization !== undefined) this.#letInBy.set(response, authorization)
    return true
  }

  /** Breaks off responses, and connections that were upgraded, once the authorization that let them in has ended. */
  #cutEnded(): void {
    this.#authorizations?.look()
    for (const [socket, response] of this.#connections) {
      if (response?.closed === false && this.#letInBy.get(response)?.ended.aborted) socket.destroy()
    }
  }

  #refuse(request: IncomingMessage, response: ServerResponse, status: number, error: Error): false {
    plain(request, response, status, `${error.message}\n`, status === 503 ? [['Retry-After', '1']] : [])
    return false
  }
}

interface HttpServerOptions {
  readonly requestCounts?: RequestCounts | undefined
  /** Tells callers apart by their secrets, where they need one. */
  readonly authorizations?: Authorizations | undefined
  /** Whether it serves as a proxy to itself: CONNECT opens a tunnel, and targets may name any host. */
  readonly tunnels?: boolean | undefined
}

/** Bytes of a path and of header fields with their separators. */
function headerSize({ rawHeaders }: IncomingMessage, path: number): number {
  let size = path
  for (const text of rawHeaders) size += text.length + 2
  return size
}

/** How often Node looks for headers that take too long; 30 s by its own default. */
function checkInterval(headerTimeout: number): number {
  return headerTimeout === 0 ? 30_000 : Math.max(10, Math.min(30_000, Math.floor(headerTimeout / 2)))
}
