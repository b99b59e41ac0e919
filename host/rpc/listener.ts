import { unlink } from 'node:fs/promises'
import type { Server as HttpServer, IncomingMessage, ServerResponse } from 'node:http'
import type { Socket } from 'node:net'
import { createConnection } from 'node:net'
import RestifyServer from 'restify/lib/server.js'
import { type Host, type Json, type Logger, type Logs, messageOf, type Repo } from '../../core/index.ts'
import type { Calls } from '../calls.ts'
import { boundAddress, type ListenAddress, listenAddress } from './addresses.ts'
import { Api } from './api.ts'
import { Authorizations } from './authorization.ts'
import { lingers } from './closing.ts'
import { rpcErrors } from './errors.ts'
import { Guard } from './guard.ts'
import { Heads } from './heads.ts'
import { HostRule } from './hosts.ts'
import { Mux } from './mux.ts'
import { OriginRules, originSettings } from './origin.ts'
import { plain } from './plain.ts'
import { addRoutes, type BoundRoute } from './routes.ts'
import { type RpcSettings, withDefaults } from './settings.ts'
import { CommandTree } from './tree.ts'

export interface RpcOptions {
  readonly calls: Calls
  /** Where the node configuration comes from: `Addresses.API`, `API.*`, `Gateway.RootRedirect`. */
  readonly repo: Pick<Repo, 'get'>
  readonly host: Pick<Host, 'plugins' | 'switchedOff'>
  readonly logs: Pick<Logs, 'get'>
  /** The block `rpc` of the host configuration; what it does not say has its default. */
  readonly settings?: Partial<RpcSettings>
  /** Multiaddrs that stand before those of the settings and of the node configuration. */
  readonly addresses?: readonly string[]
  /** Plugins' routes on the listener `rpc`. */
  readonly routes?: readonly BoundRoute[]
  /** Origins let in besides the configured ones. */
  readonly origins?: readonly string[]
  /** Serve all of `/ipfs` and `/ipns` too, where a plugin has routes for them. */
  readonly unrestricted?: boolean
}

export interface RpcListener {
  /** Multiaddrs with the ports that were bound. */
  readonly addresses: readonly string[]
  /** Takes no more requests, lets the running ones finish for `stopGraceMs`, then cuts them off. */
  close(): Promise<void>
}

/**
 * Opens the RPC on every address.
 *
 * @throws E_RPC_EXPOSED for an address that others reach while no caller needs a secret; E_RPC_ADDRESS, E_RPC_NO_ADDRESS, E_RPC_LISTEN
 */
export async function openRpc(options: RpcOptions): Promise<RpcListener> {
  const settings = withDefaults(options.settings)
  const wanted = await Promise.all(wantedAddresses(options, settings).map(listenAddress))
  const authorizations = Authorizations.of(options.repo.get('API.Authorizations'))
  const exposed = wanted.find(address => !address.local)
  if (exposed !== undefined && authorizations === undefined) throw rpcErrors.E_RPC_EXPOSED(exposed.text)
  const door = new Door(settings, options.logs.get('rpc'))
  const tree = new CommandTree(options.calls, options.host.switchedOff())
  const addresses: string[] = []
  try {
    for (const address of wanted)
      addresses.push(await door.open(address, mux => fill(mux, { ...options, settings, authorizations, tree, address })))
  } catch (error) {
    await door.close(0)
    throw error
  }
  return { addresses, close: () => door.close(settings.limits.stopGraceMs) }
}

function wantedAddresses({ addresses, repo }: RpcOptions, settings: RpcSettings): readonly string[] {
  const configured = repo.get<Json>('Addresses.API')
  const fromRepo = (Array.isArray(configured) ? configured : [configured]).filter(address => typeof address === 'string' && address !== '')
  const wanted = addresses ?? (settings.address === undefined ? (fromRepo as string[]) : [settings.address])
  if (wanted.length === 0) throw rpcErrors.E_RPC_NO_ADDRESS()
  return wanted
}

interface Filling extends RpcOptions {
  readonly settings: RpcSettings
  readonly authorizations: Authorizations | undefined
  readonly tree: CommandTree
  readonly address: ListenAddress
}

/** Puts everything that one address serves into its mux; called when its port is known. */
function fill(mux: Mux, { calls, repo, host, logs, settings, authorizations, tree, address, routes = [], origins = [] }: Filling) {
  return (port: number | undefined): void => {
    const headers = repo.get<Json>('API.HTTPHeaders')
    const log = logs.get('rpc')
    const rules = new OriginRules(originSettings(headers, port, origins))
    const guard = new Guard(new HostRule(address, settings.allowedHosts), rules)
    const heads = new Heads(headers)
    const api = new Api({ calls, tree, origins: rules, guard, authorizations, heads, settings, log })
    mux.route('/api/v0/', (request, response, path, query) => api.handle(request, response, path, query))
    addRoutes({ mux, guard, heads, host, rootRedirect: repo.get<string>('Gateway.RootRedirect') ?? '', routes })
  }
}

/** All listening servers of one RPC: opened and closed together, and held to the same limits. */
class Door {
  readonly #settings: RpcSettings
  readonly #log: Logger
  readonly #servers: RestifyServer[] = []

  constructor(settings: RpcSettings, log: Logger) {
    this.#settings = settings
    this.#log = log
  }

  async open(address: ListenAddress, fillWith: (mux: Mux) => (port: number | undefined) => void): Promise<string> {
    const mux = new Mux((error, request, response) => this.#defect(error, request, response))
    // restify's own router and body readers stay out: the mux knows Go's rules, and bodies are streams. Its server
    // alone is loaded: the package's front also loads plugins, parsers and formatters that nothing here uses
    const server = new RestifyServer({ name: '', router: mux, noWriteContinue: true, log: quiet })
    this.#limit(server.server)
    server.first((request: IncomingMessage, response: ServerResponse) => this.#admits(request, response))
    await listen(server.server, address)
    const bound = server.server.address()
    fillWith(mux)(typeof bound === 'object' && bound !== null ? bound.port : undefined)
    this.#servers.push(server)
    return boundAddress(address, bound)
  }

  async close(grace: number): Promise<void> {
    await Promise.all(
      this.#servers.map(async ({ server }) => {
        const closed = new Promise<void>(resolve => server.close(() => resolve()))
        server.closeIdleConnections()
        const timer = setTimeout(() => server.closeAllConnections(), grace)
        await closed
        clearTimeout(timer)
      })
    )
  }

  #limit(server: HttpServer): void {
    const { headerBytes, queryBytes, headerTimeoutMs, idleTimeoutMs, keepAliveMs } = this.#settings.limits
    // the parser's bound leaves room for the exact ones, which are checked per request
    Object.assign(server, { maxHeaderSize: headerBytes + queryBytes + 1024, connectionsCheckingInterval: checkInterval(headerTimeoutMs) })
    server.headersTimeout = headerTimeoutMs
    // uploads may take any time
    server.requestTimeout = 0
    server.keepAliveTimeout = keepAliveMs
    server.timeout = idleTimeoutMs
    // Go's server knows no upgrades and answers such requests like others
    server.removeAllListeners('upgrade')
    server.on('connect', (_: IncomingMessage, socket: Socket) => {
      socket.end('HTTP/1.1 200 OK\r\nContent-Length: 0\r\nConnection: close\r\n\r\n')
    })
  }

  /** A handler threw: the caller learns that much, the log the rest. */
  #defect(error: unknown, request: IncomingMessage, response: ServerResponse): void {
    this.#log.error({ err: error }, `${request.method} ${request.url} failed in a way that nobody foresaw`)
    if (response.headersSent) request.socket.destroy()
    else plain(request, response, 500, 'internal error\n')
  }

  /** What is checked before anything is done for a request. */
  #admits(request: IncomingMessage, response: ServerResponse): boolean {
    if (lingers(request.socket)) return false
    const { concurrentRequests, headerBytes, queryBytes } = this.#settings.limits
    const running = this.#servers.reduce((sum, server) => sum + server.inflightRequests(), 0)
    if (running > concurrentRequests) {
      plain(request, response, 503, `${rpcErrors.E_RPC_BUSY(concurrentRequests).message}\n`, [['Retry-After', '1']])
      return false
    }
    const { url = '' } = request
    const cut = url.indexOf('?')
    if (cut >= 0 && url.length - cut - 1 > queryBytes) {
      plain(request, response, 414, `${rpcErrors.E_RPC_QUERY_TOO_LONG(queryBytes).message}\n`)
      return false
    }
    if (headerSize(request, cut < 0 ? url.length : cut) > headerBytes) {
      plain(request, response, 431, `${rpcErrors.E_RPC_HEADER_TOO_LARGE(headerBytes).message}\n`)
      return false
    }
    return true
  }
}

/** restify asks for a logger and writes to it only about its own formatters. */
const quiet = { child: () => quiet, trace() {}, debug() {}, info() {}, warn() {}, error() {}, fatal() {} }

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

async function listen(server: HttpServer, address: ListenAddress): Promise<void> {
  try {
    await attempt(server, address)
  } catch (error) {
    const { listen: to } = address
    if (!('path' in to) || (error as NodeJS.ErrnoException).code !== 'EADDRINUSE' || (await answers(to.path))) {
      throw rpcErrors.E_RPC_LISTEN(address.text, messageOf(error))
    }
    // a socket that nobody listens on was left behind by a process that was killed
    await unlink(to.path)
    await attempt(server, address)
  }
}

function attempt(server: HttpServer, { listen: to }: ListenAddress): Promise<void> {
  return new Promise((resolve, reject) => {
    server.once('error', reject)
    server.listen(to, () => {
      server.off('error', reject)
      resolve()
    })
  })
}

function answers(path: string): Promise<boolean> {
  return new Promise(resolve => {
    const socket = createConnection(path)
    socket.once('connect', () => {
      socket.destroy()
      resolve(true)
    })
    socket.once('error', () => resolve(false))
  })
}
