import { once } from 'node:events'
import { Socket } from 'node:net'
import type { AbortOptions, MessageStream, MessageStreamWriteStatus } from '@libp2p/interface'
import type { Uint8ArrayList } from 'uint8arraylist'

/** A connection of libp2p's TCP transport, which keeps its socket to itself. */
interface OverSocket {
  readonly socket?: unknown
  readonly readBuffer: Uint8ArrayList
  sendClose(options?: AbortOptions): Promise<void>
}

/**
 * Takes the socket of a connection, for somebody else to read and write it. What the connection has read, and nobody has taken, comes out of the socket
 * first. The connection still tells when the socket times out, fails or closes.
 *
 * @returns undefined for a connection that is not over a socket alone
 */
export function takeSocket(connection: MessageStream): Socket | undefined {
  const { socket, readBuffer } = connection as unknown as OverSocket
  if (!(socket instanceof Socket)) return undefined
  socket.pause()
  socket.removeAllListeners('data')
  const unread = readBuffer.slice()
  readBuffer.consume(unread.length)
  if (unread.length > 0) socket.unshift(unread)
  return socket
}

/** Has a connection whose socket was taken close by the socket that writes to it, which first writes what it holds, and is given no more. */
export function closeBy(socket: Socket, connection: MessageStream, secured: MessageStream): void {
  ;(connection as unknown as OverSocket).sendClose = async (options = {}) => {
    if (socket.closed) return
    const writing = secured as MessageStream & { writeStatus: MessageStreamWriteStatus }
    if (writing.writeStatus === 'writable') writing.writeStatus = 'closing'
    const closed = once(socket, 'close', options)
    socket.destroySoon()
    await closed
  }
}
