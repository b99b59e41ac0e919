import type { Socket } from 'node:net'
import type { MultiaddrConnection, Transport, Upgrader } from '@libp2p/interface'
import type { TCPComponents } from '@libp2p/tcp'

/** What a connection over TCP writes with. */
interface TcpConnection {
  readonly socket?: Socket
  sendData(data: Iterable<Uint8Array>): { sentBytes: number; canSendMore: boolean }
}

/**
 * TCP whose connections write what is there in one call of the system. The library makes a call for each of the pieces, and a secured message is four
 * of them, two octets of length and a tag among these.
 */
export async function tcpTransport(): Promise<(components: TCPComponents) => Transport> {
  const { tcp } = await import('@libp2p/tcp')
  return components => {
    const transport = tcp()(components)
    const { dial, createListener } = transport
    transport.dial = (address, options) => dial.call(transport, address, { ...options, upgrader: joining(options.upgrader) })
    transport.createListener = options => createListener.call(transport, { ...options, upgrader: joining(options.upgrader) })
    return transport
  }
}

function joining(upgrader: Upgrader): Upgrader {
  return {
    upgradeInbound: (connection: MultiaddrConnection, options) => upgrader.upgradeInbound(joined(connection), options),
    upgradeOutbound: ((connection: MultiaddrConnection, options: never) =>
      upgrader.upgradeOutbound(joined(connection), options)) as Upgrader['upgradeOutbound'],
    createInboundAbortSignal: signal => upgrader.createInboundAbortSignal(signal),
    getConnectionEncrypters: () => upgrader.getConnectionEncrypters(),
    getStreamMuxers: () => upgrader.getStreamMuxers()
  }
}

function joined(connection: MultiaddrConnection): MultiaddrConnection {
  const writing = connection as unknown as TcpConnection
  const { socket } = writing
  // another version of the library keeps it elsewhere, and writes piece by piece
  if (socket === undefined) return connection
  writing.sendData = data => {
    let sentBytes = 0
    let canSendMore = true
    socket.cork()
    for (const piece of data) {
      sentBytes += piece.byteLength
      canSendMore = socket.write(piece)
    }
    socket.uncork()
    return { sentBytes, canSendMore }
  }
  return connection
}
