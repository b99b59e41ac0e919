import { type Server as HttpServer, type IncomingMessage, ServerResponse } from 'node:http'
import type { Socket } from 'node:net'
import { plain } from './responses.ts'
import { type Router, refuse, type ServedRoute } from './routes/router.ts'

/** The checks of every request before it is served; it has been answered where it is refused. */
interface UpgradeChecks {
  admits(request: IncomingMessage, response: ServerResponse): boolean
  givesSlot(request: IncomingMessage, response: ServerResponse, isControl: boolean): boolean
  /** Whether an earlier request of the connection is not answered yet. */
  owesAnswer(socket: Socket): boolean
}

/** How often connections that nobody reads are looked at for their end, and after what silence the other side is asked, in milliseconds. */
const LOOK_MS = 1000
const ALIVE_MS = 60_000

type Upgradable = ServedRoute & { readonly upgrade: NonNullable<ServedRoute['upgrade']> }

/**
 * The requests of one server that ask for another protocol. Those that a route has such a handler for are led there, behind the same checks as
 * others; the rest are requests like any other, as HTTP has it.
 */
export class Upgrades {
  readonly #server: HttpServer
  readonly #router: Router
  readonly #checks: UpgradeChecks
  /** Connections that were handed over. */
  readonly #sockets = new Set<Socket>()
  #look: NodeJS.Timeout | undefined

  constructor(server: HttpServer, router: Router, checks: UpgradeChecks) {
    this.#server = server
    this.#router = router
    this.#checks = checks
  }

  /** Listens for upgrades; without, Node.js serves all of them as requests. */
  listen(): void {
    // Node.js before 24.9 asks nobody, and hands over whatever asks for an upgrade
    Object.assign(this.#server, { shouldUpgradeCallback: (request: IncomingMessage) => this.#takes(request) })
    this.#server.on('upgrade', (request: IncomingMessage, socket: Socket, head: Buffer) => this.#upgrade(request, socket, head))
  }

  /** Tells the other sides of all connections that were handed over that nothing more comes. */
  end(): void {
    for (const socket of this.#sockets) socket.end()
  }

  #upgrade(request: IncomingMessage, socket: Socket, head: Buffer): void {
    // Node's server has let go of this connection: that it breaks off is ours to look after
    socket.on('error', () => socket.destroy())
    if (this.#checks.owesAnswer(socket)) {
      socket.destroy()
      return
    }
    const response = new ServerResponse(request)
    response.assignSocket(socket)
    response.shouldKeepAlive = false
    response.once('finish', () => socket.destroySoon())
    const route = this.#routeOf(request)
    if (route === undefined) this.#serve(request, response)
    else this.#lead(route, request, response, socket, head)
  }

  #lead(route: Upgradable, request: IncomingMessage, response: ServerResponse, socket: Socket, head: Buffer): void {
    const { path, query } = this.#router.find(request)
    if (!this.#checks.admits(request, response) || !this.#checks.givesSlot(request, response, route.isControl?.(path) ?? false)) return
    const refused = route.refusal?.(request, path, true)
    if (refused !== undefined) {
      refuse(request, response, refused)
      return
    }
    response.detachSocket(socket)
    response.statusCode = 101
    this.#keep(socket)
    socket.once('close', () => {
      this.#sockets.delete(socket)
      if (this.#sockets.size === 0) clearInterval(this.#look)
      // for what counts requests
      response.emit('close')
    })
    void route.upgrade.handler(request, socket, head, path, query)
  }

  /** Keeps a connection until either side ends it, whether or not its handler reads what would tell that the other side is gone. */
  #keep(socket: Socket): void {
    socket.setTimeout(0)
    socket.setKeepAlive(true, ALIVE_MS)
    socket.allowHalfOpen = false
    if (this.#sockets.size === 0) this.#look = setInterval(() => this.#sockets.forEach(seeEnd), LOOK_MS).unref()
    this.#sockets.add(socket)
  }

  /** Answers as if no upgrade had been asked for. What has been read of a body is lost by then. */
  #serve(request: IncomingMessage, response: ServerResponse): void {
    const { 'content-length': length = '0', 'transfer-encoding': encoding } = request.headers
    if (length === '0' && encoding === undefined) this.#server.emit('request', request, response)
    else if (this.#checks.admits(request, response))
      plain(request, response, 400, 'a request with a body cannot ask for another protocol here\n')
  }

  /** Whether a connection is handed over. Answers go out in the order of their requests, so none is while an earlier one is owed. */
  #takes(request: IncomingMessage): boolean {
    return this.#routeOf(request) !== undefined && !this.#checks.owesAnswer(request.socket)
  }

  /** The route that takes what a request asks to change to. */
  #routeOf(request: IncomingMessage): Upgradable | undefined {
    const { route } = this.#router.find(request)
    const asked = (request.headers.upgrade ?? '').toLowerCase().split(/[ ,]+/)
    if (route?.upgrade === undefined || !asked.includes(route.upgrade.protocol.toLowerCase())) return undefined
    return request.method === 'GET' && (route.method === 'GET' || route.method === '*') ? (route as Upgradable) : undefined
  }
}

/** Sees the end of a connection that nobody reads. Nothing of what has come is taken. */
function seeEnd(socket: Socket): void {
  if (socket.readableFlowing === null && socket.listenerCount('readable') === 0) socket.read(0)
}
