import type { MultiaddrConnection, Transport, Upgrader } from '@libp2p/interface'
import type { Multiaddr } from '@multiformats/multiaddr'
import { WebSocket } from 'ws'
import { unlessAborted } from '../../../core/concurrency/index.ts'

interface Opening {
  _connect(address: Multiaddr, options: { readonly signal: AbortSignal }): Promise<WebSocket>
}

/** A connection of the library's. */
interface ByWebSocket {
  readonly websocket: WebSocket
  sendReset(): void
}

/**
 * WebSockets that end when their dial is given up, and when a connection is aborted. The library leaves the first open, and closes the second with
 * a code that is refused; the WebSockets of Node.js, by which it dials, cannot be ended while their peer says nothing, nor tell why one fails.
 */
export function endingWebSockets<C>(
  make: (components: C) => Transport,
  uriOf: (address: Multiaddr) => string
): (components: C) => Transport {
  return components => {
    const transport = make(components)
    const { dial, createListener } = transport
    ;(transport as unknown as Opening)._connect = (address, { signal }) => opened(uriOf(address), signal)
    transport.dial = (address, options) => dial.call(transport, address, { ...options, upgrader: ending(options.upgrader) })
    transport.createListener = options => createListener.call(transport, { ...options, upgrader: ending(options.upgrader) })
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
  const socket = new WebSocket(uri, { perMessageDeflate: false })
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
