import { once } from 'node:events'
import { Socket } from 'node:net'
import type { MessageStream } from '@libp2p/interface'

/** A connection that writes to a socket. */
interface Writing {
  readonly socket?: unknown
  sendData(data: Iterable<Uint8Array> & { readonly byteLength: number }): { readonly sentBytes: number; readonly canSendMore: boolean }
}

/** Octets beyond which nothing more is waited for: a call to the system costs little beside them. */
const ENOUGH = 16 * 1024

/**
 * Hands all that is sent in one turn of the event loop to the socket in one call to the system: each wakes the peer, and takes as long as to encrypt 20 KiB.
 * The library makes a call for each part, which is three for a message, and stops in its midst when the socket is full. A connection that is no socket is
 * left as it is.
 */
export function writeAtOnce(connection: MessageStream): void {
  const writing = connection as unknown as Writing
  const { socket } = writing
  if (!(socket instanceof Socket)) return
  let isHeld = false
  const flush = () => {
    if (!isHeld) return
    isHeld = false
    socket.uncork()
  }
  writing.sendData = data => {
    if (!isHeld) {
      isHeld = true
      socket.cork()
      setImmediate(flush)
    }
    let canSendMore = true
    for (const part of data) canSendMore = socket.write(part)
    if (socket.writableLength >= ENOUGH) flush()
    return { sentBytes: data.byteLength, canSendMore }
  }
}

/** Has a connection send what waits to be encrypted before it closes: the library asks what it holds itself alone. */
export function closeWritten(connection: MessageStream, secured: MessageStream): void {
  const close = connection.close.bind(connection)
  connection.close = async (options = {}) => {
    if (connection.status === 'open' && secured.writeBufferLength > 0)
      await Promise.race(['idle', 'close'].map(event => once(secured, event, options)))
    await close(options)
  }
}
