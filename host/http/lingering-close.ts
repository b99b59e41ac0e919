import type { IncomingMessage, ServerResponse } from 'node:http'
import type { Socket } from 'node:net'

/** How long a connection may go on taking in what its client still sends after the answer. Go's net/http waits as long. */
const LINGER_MS = 500

/** Turns of the event loop: one that ends what is under way, and one that reads. */
const TURNS_FOR_REST = 2

const LINGERS = Symbol('lingers')
/** How many look for the rest of the request; an answer may look twice. */
const LOOKS = Symbol('looks for the rest')

/** Whether the request has arrived to its last byte, so that the connection can take another one. */
export function isWhole(request: IncomingMessage): boolean {
  return request.complete || hasNoBody(request)
}

/**
 * Looks for the rest of a request before its answer begins, which would else close the connection: what was read last may be taken apart only in
 * part so far, and the end of a body in chunks is often written by itself.
 */
export async function lookForRest(request: IncomingMessage): Promise<void> {
  if (isWhole(request)) return
  const socket = request.socket as MarkedSocket
  socket[LOOKS] = (socket[LOOKS] ?? 0) + 1
  for (let turn = 0; turn < TURNS_FOR_REST && !isWhole(request); turn++) await new Promise(resolve => setImmediate(resolve))
  setImmediate(() => {
    socket[LOOKS]!--
  })
}

/** Whether an answer is about to begin on the connection, until it has: what is wrong with the rest of its request changes nothing of it. */
export function looksForRest(socket: Socket): boolean {
  return ((socket as MarkedSocket)[LOOKS] ?? 0) > 0
}

function hasNoBody({ headers }: IncomingMessage): boolean {
  return headers['transfer-encoding'] === undefined && (headers['content-length'] === undefined || headers['content-length'] === '0')
}

/**
 * Lets the connection close once the answer is out, without cutting it off: a socket that is closed while bytes are unread resets the
 * connection, and the client may lose the answer with it. So our side is closed, and what still comes in is thrown away for a while.
 */
export function closeAfter(request: IncomingMessage, response: ServerResponse): void {
  const { socket } = request
  response.shouldKeepAlive = false
  // Node calls this when a response that says `Connection: close` has been sent
  socket.destroySoon = () => linger(request)
}

/** Closes our side of a request's connection, takes in the rest of the other's for a short time, then lets go. */
export function linger(request: IncomingMessage): void {
  if (request.socket.destroyed) return
  request.removeAllListeners('data')
  request.resume()
  lingerOn(request.socket)
}

/** The same of a connection on which no request is being read. */
export function lingerOn(socket: Socket): void {
  ;(socket as MarkedSocket)[LINGERS] = true
  socket.end()
  socket.resume()
  const timer = setTimeout(() => socket.destroy(), LINGER_MS)
  socket.once('end', () => socket.destroy())
  socket.once('close', () => clearTimeout(timer))
}

/** Whether the connection only waits to be closed; requests that still come in on it cannot be answered. */
export function lingers(socket: Socket): boolean {
  return (socket as MarkedSocket)[LINGERS] === true
}

type MarkedSocket = Socket & { [LINGERS]?: boolean; [LOOKS]?: number }
