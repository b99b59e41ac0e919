import type { IncomingMessage, Server, ServerResponse } from 'node:http'
import type { Socket } from 'node:net'

/** Requests of one connection that are under way at a time: answers go out in the order of their requests, so that more would only wait. */
export const MAX_UNDER_WAY = 4
/** Requests of one connection that wait, beyond which it is not read. One read may bring more. */
export const MAX_WAITING = 16

/** Time for which requests of all connections begin in one turn of the event loop, in milliseconds, and how many that waited are tried in one. */
export const TURN_MS = 10
const TRIED = 64

type Begin = (request: IncomingMessage, response: ServerResponse) => void

/**
 * The turns of the event loop in which requests begin. One read of each of many connections brings them all in one turn; where some take long, the next
 * ones wait for another, so that other servers, and whatever else runs, come between. Of those that wait, callers begin by turns: who asks for little
 * waits for one request of each other caller, however many they have.
 */
export class BeginningTurns {
  /** By caller, in the order of their turns. None is empty. */
  readonly #waiting = new Map<string, Array<() => void>>()
  #count = 0
  #planned = 0
  /** When the first request of this turn began. */
  #since: number | undefined

  /** @param caller - whom the request comes from; behind a proxy that is one for all */
  take(caller: string, begin: () => void): void {
    if (this.#count === 0 && this.#hasTime()) {
      begin()
      return
    }
    const queue = this.#waiting.get(caller)
    if (queue === undefined) this.#waiting.set(caller, [begin])
    else queue.push(begin)
    this.#count++
    this.#plan()
  }

  #first(): (() => void) | undefined {
    const [first] = this.#waiting
    if (first === undefined) return undefined
    const [caller, queue] = first
    const begin = queue.shift()
    this.#waiting.delete(caller)
    // behind the others
    if (queue.length > 0) this.#waiting.set(caller, queue)
    this.#count--
    return begin
  }

  #hasTime(): boolean {
    if (this.#since !== undefined) return performance.now() - this.#since < TURN_MS
    this.#since = performance.now()
    setImmediate(this.#over)
    return true
  }

  /** Each is an immediate of its own: what a request does in promises counts to its time. */
  #plan(): void {
    if (this.#planned > 0) return
    this.#planned = Math.min(this.#count, TRIED)
    for (let i = 0; i < this.#planned; i++) setImmediate(this.#next)
  }

  readonly #next = (): void => {
    this.#planned--
    if (this.#hasTime()) this.#first()?.()
    this.#plan()
  }

  readonly #over = (): void => {
    this.#since = undefined
  }
}

/**
 * Requests that a client sends without waiting for answers. Node.js begins all that one read of a connection brings, a thousand of them; here a
 * connection begins one a turn of the event loop, so that others wait for one request of each connection, and not for all.
 */
export class PipelinedRequests {
  readonly #last: (socket: Socket) => ServerResponse | undefined
  readonly #turns = new BeginningTurns()
  /** The newest response of a connection whose request waits for its turn, or did. */
  readonly #newest = new WeakMap<Socket, ServerResponse>()
  /** Of connections on which a request came before the answer to another was over. */
  readonly #pipelines = new WeakMap<Socket, Pipeline>()

  /** @param last - the response to the request that a connection began last */
  constructor(last: (socket: Socket) => ServerResponse | undefined) {
    this.#last = last
  }

  /** Comes between a server and what listens for its requests. */
  precede(server: Server): void {
    const listeners = server.listeners('request') as Begin[]
    const begin: Begin = (request, response) => {
      this.#newest.set(request.socket, response)
      this.inTurn(request.socket, () => {
        for (const listener of listeners) listener.call(server, request, response)
      })
    }
    for (const event of ['request', 'checkContinue'] as const) {
      server.removeAllListeners(event).on(event, (request, response) => this.#take(request, response, begin))
    }
  }

  /** Begins what a connection asks for in its turn among the requests of all; nothing where it has broken off by then. */
  inTurn(socket: Socket, begin: () => void): void {
    // one that asks for a tunnel has nobody else who looks after that
    const broken = () => socket.destroy()
    socket.on('error', broken)
    this.#turns.take(socket.remoteAddress ?? '', () => {
      socket.off('error', broken)
      if (!socket.destroyed) begin()
    })
  }

  /** Whether a request of a connection is not answered yet. */
  owesAnswer(socket: Socket): boolean {
    return this.#before(socket)?.closed === false || this.#pipelines.get(socket)?.waits === true
  }

  /** The response to the request that a connection sent last, where it is not over. */
  #before(socket: Socket): ServerResponse | undefined {
    const newest = this.#newest.get(socket)
    return newest?.closed === false ? newest : this.#last(socket)
  }

  #take(request: IncomingMessage, response: ServerResponse, begin: Begin): void {
    const { socket } = request
    let pipeline = this.#pipelines.get(socket)
    if (pipeline === undefined) {
      const last = this.#before(socket)
      if (last?.closed !== false) {
        begin(request, response)
        return
      }
      pipeline = new Pipeline(socket, last, begin)
      this.#pipelines.set(socket, pipeline)
    }
    pipeline.take(request, response)
  }
}

/** The requests of one connection. */
class Pipeline {
  readonly #socket: Socket
  readonly #begin: Begin
  readonly #waiting: Array<readonly [IncomingMessage, ServerResponse]> = []
  #underWay = 1
  #isPlanned = false
  #isPaused = false

  constructor(socket: Socket, first: ServerResponse, begin: Begin) {
    this.#socket = socket
    this.#begin = begin
    first.on('close', this.#closed)
  }

  get waits(): boolean {
    return this.#waiting.length > 0
  }

  take(request: IncomingMessage, response: ServerResponse): void {
    if (this.#underWay === 0 && !this.waits) {
      this.#start(request, response)
      return
    }
    this.#waiting.push([request, response])
    this.#plan()
    if (this.#waiting.length > MAX_WAITING && !this.#isPaused) this.#pause()
  }

  #start(request: IncomingMessage, response: ServerResponse): void {
    this.#underWay++
    response.on('close', this.#closed)
    this.#begin(request, response)
  }

  readonly #closed = (): void => {
    this.#underWay--
    this.#plan()
  }

  #plan(): void {
    if (this.#isPlanned || !this.waits || this.#underWay >= MAX_UNDER_WAY) return
    this.#isPlanned = true
    setImmediate(this.#next)
  }

  readonly #next = (): void => {
    this.#isPlanned = false
    if (this.#socket.destroyed) {
      this.#waiting.length = 0
      return
    }
    this.#start(...this.#waiting.shift()!)
    this.#plan()
    if (this.#isPaused && !this.waits) this.#resume()
  }

  #pause(): void {
    this.#isPaused = true
    // Node.js has the connection read again for each body that is taken, and behind each answer
    this.#socket.on('resume', this.#stayPaused).pause()
  }

  #resume(): void {
    this.#isPaused = false
    this.#socket.off('resume', this.#stayPaused).resume()
  }

  readonly #stayPaused = (): void => {
    this.#socket.pause()
  }
}
