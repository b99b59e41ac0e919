import { Socket } from 'node:net'
import type { MessageStream } from '@libp2p/interface'

/** A connection that writes to a socket. */
interface Writing {
  readonly socket?: unknown
  sendData(data: Iterable<Uint8Array> & { readonly byteLength: number }): { readonly sentBytes: number; readonly canSendMore: boolean }
}

/**
 * Hands all parts of what is sent to the socket in one call to the system. The library makes a call for each, which is three for a message, and stops in
 * its midst when the socket is full. A connection that is no socket is left as it is.
 */
export function writeAtOnce(connection: MessageStream): void {
  const writing = connection as unknown as Writing
  const { socket } = writing
  if (!(socket instanceof Socket)) return
  writing.sendData = data => {
    socket.cork()
    let canSendMore = true
    for (const part of data) canSendMore = socket.write(part)
    socket.uncork()
    return { sentBytes: data.byteLength, canSendMore }
  }
}
