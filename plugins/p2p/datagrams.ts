import { createSocket } from 'node:dgram'
import { once } from 'node:events'
import { Duplex } from 'node:stream'
import type { SocketAddress } from './addresses.ts'

/** The most octets of one datagram: what a stream brings at once beyond them goes in several. */
const MOST_BYTES = 65_507

/** Datagrams that came and were not read, beyond which further ones are dropped, in octets. */
const UNREAD = 1024 * 1024

/** A conversation with a service over UDP as a stream: what is written goes as datagrams, what comes is read as octets. It never ends by itself. */
export async function connectDatagrams({ network, host, port }: SocketAddress, signal: AbortSignal): Promise<Duplex> {
  const socket = createSocket(network.endsWith('6') ? 'udp6' : 'udp4')
  const connected = once(socket, 'connect', { signal })
  socket.connect(port!, host)
  try {
    await connected
  } catch (error) {
    socket.close()
    throw error
  }
  const duplex: Duplex = new Duplex({
    read: () => {},
    write(bytes: Buffer, _, done) {
      const send = (at: number): void =>
        socket.send(bytes.subarray(at, at + MOST_BYTES), error =>
          error != null || at + MOST_BYTES >= bytes.length ? done(error) : send(at + MOST_BYTES)
        )
      send(0)
    },
    final(done) {
      // nobody can tell the service that there is no more: the conversation is over
      duplex.push(null)
      done()
    },
    destroy(error, done) {
      socket.close(() => done(error))
    }
  })
  socket.on('message', bytes => {
    if (duplex.readableLength < UNREAD) duplex.push(bytes)
  })
  socket.on('error', error => duplex.destroy(error))
  return duplex
}
