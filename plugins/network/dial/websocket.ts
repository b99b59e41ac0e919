import type { IncomingMessage, ServerResponse } from 'node:http'
import type { Server, Socket } from 'node:net'
import type { Listener, MultiaddrConnection, Transport, Upgrader } from '@libp2p/interface'
import type { Multiaddr } from '@multiformats/multiaddr'
import { WebSocket } from 'ws'
import { unlessAborted } from '../../../core/concurrency/index.ts'
import { PendingInbound } from '../connections/pending.ts'

/** The largest message of a peer, in bytes. It is a piece of a stream, and held until it is whole; peers write 64 KiB at a time, some a few of them. */
export const MOST_OF_WEB_SOCKET = 1 << 20

interface Opening {
  _connect(address: Multiaddr, options: { readonly signal: AbortSignal }): Promise<WebSocket>
}

/** The library's listener, whose sockets are the connections that are not closed yet. */
interface Listening {
  readonly server: Server
  readonly wsServer: { readonly options: { maxPayload: number } }
  readonly sockets: Set<Socket>
  onSocketConnection(socket: Socket): Promise<void>
  onWsServerConnection(socket: WebSocket, request: IncomingMessage): void
  httpRequestHandler(request: IncomingMessage, response: ServerResponse): void
}

/** The bounds of connections that are to become WebSockets. */
export interface ListenBounds {
  /** Of all together; half of them of one address. */
  readonly most: number
  /** The time in which one is to become a WebSocket, in milliseconds. */
  readonly time: number
  /** Called with the address of one that is closed, and why. */
  refused(address: string, why: string): void
}

/** A connection of the library's. */
interface ByWebSocket {
  readonly websocket: WebSocket
  sendReset(): void
}

/**
 * Holds a listener of the library to bounds. By itself it waits for ever for a connection to become a WebSocket, takes messages of 100 MiB, and has nobody
 * listen to a WebSocket's errors, so that the first octet that is none of its protocol ends the process.
 */
function boundListener(listener: Listener, { most, time, refused }: ListenBounds): Listener {
  const listening = listener as unknown as Listening
  const pending = new PendingInbound(most)
  const { onSocketConnection, onWsServerConnection } = listening
  /** Called when a connection has become a WebSocket, by its other end: over TLS it is another object then. */
  const waiting = new Map<string, () => void>()
  listening.wsServer.options.maxPayload = MOST_OF_WEB_SOCKET
  listening.server.on('error', () => {})
  listening.onSocketConnection = async socket => {
    const { remoteAddress, remotePort } = socket
    // it may be gone already
    if (remoteAddress === undefined) return void socket.destroy()
    const address = addressOf(socket)
    const source = { addEventListener: (type: 'close', closed: () => void) => void socket.once(type, closed) }
    const close = (why: string) => {
      refused(address, why)
      socket.destroy()
    }
    pending.take(source, address, { isSilent: () => socket.bytesRead === 0, close })
    const timer = setTimeout(() => close(LATE), time)
    const end = `${remoteAddress} ${remotePort}`
    const over = () => {
      clearTimeout(timer)
      if (waiting.get(end) === over) waiting.delete(end)
      pending.secured(source)
    }
    waiting.set(end, over)
    // what says nothing is closed together with the listener
    listening.sockets.add(socket)
    socket.once('close', () => {
      over()
      listening.sockets.delete(socket)
    })
    await onSocketConnection.call(listening, socket)
  }
  listening.onWsServerConnection = (socket, request) => {
    const { remoteAddress, remotePort } = request.socket
    waiting.get(`${remoteAddress} ${remotePort}`)?.()
    const address = addressOf(request.socket)
    socket.on('error', () => {
      refused(address, 'it sent what is no WebSocket')
      socket.terminate()
    })
    onWsServerConnection.call(listening, socket, request)
  }
  listening.httpRequestHandler = (_, response) => {
    response.writeHead(400, { Connection: 'close' }).end('Only WebSocket connections are supported')
  }
  return listener
}

const LATE = 'it was not secured in time (plugins.network.negotiationTimeout)'

const addressOf = ({ remoteAddress = '', remoteFamily }: Socket) => `/${remoteFamily === 'IPv6' ? 'ip6' : 'ip4'}/${remoteAddress}`

/**
 * WebSockets that end when their dial is given up, and when a connection is aborted, and whose listeners have bounds. The library leaves the first open, and closes the second with
 * a code that is refused; the WebSockets of Node.js, by which it dials, cannot be ended while their peer says nothing, nor tell why one fails.
 */
export function endingWebSockets<C>(
  make: (components: C) => Transport,
  uriOf: (address: Multiaddr) => string,
  bounds: ListenBounds
): (components: C) => Transport {
  return components => {
    const transport = make(components)
    const { dial, createListener } = transport
    ;(transport as unknown as Opening)._connect = (address, { signal }) => opened(uriOf(address), signal)
    transport.dial = (address, options) => dial.call(transport, address, { ...options, upgrader: ending(options.upgrader) })
    transport.createListener = options =>
      boundListener(createListener.call(transport, { ...options, upgrader: ending(options.upgrader) }), bounds)
    return transport
  }
}

function ending(upgrader: Upgrader): Upgrader {
  const made: Upgrader = Object.create(upgrader)
  const resettable = (connection: MultiaddrConnection) => {
    const { websocket } = connection as unknown as ByWebSocket
    ;(connection as unknown as ByWebSocket).sendReset = () => websocket.terminate()
    return connection
  }
  made.upgradeInbound = (connection, options) => upgrader.upgradeInbound(resettable(connection), options)
  made.upgradeOutbound = (connection, options) => {
    const { websocket } = resettable(connection) as unknown as ByWebSocket
    websocket.resume()
    return upgrader.upgradeOutbound(connection, options)
  }
  return made
}

/** A WebSocket that is open. @throws why it could not be opened, and the reason of `signal` */
async function opened(uri: string, signal: AbortSignal): Promise<WebSocket> {
  signal.throwIfAborted()
  const socket = new WebSocket(uri, { perMessageDeflate: false, maxPayload: MOST_OF_WEB_SOCKET })
  socket.binaryType = 'arraybuffer'
  try {
    const open = new Promise<void>((resolve, reject) => {
      // what a peer sends together with its answer waits until somebody listens
      const begin = () => {
        socket.pause()
        resolve()
      }
      socket.addEventListener('open', begin, { once: true })
      // one that is ended while it opens has an error as well
      socket.addEventListener('error', event => reject((event as Event & { readonly error: Error }).error))
    })
    await unlessAborted(open, signal)
    return socket
  } catch (error) {
    socket.terminate()
    throw error
  }
}
