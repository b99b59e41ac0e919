import type { Server as NodeServer } from 'node:http'
import type { Socket } from 'node:net'
import { lingerOn } from './lingering-close.ts'

/** Tunnels in each other that one connection may have: clients open one, and each costs about what a connection does. */
export const MOST_TUNNELS = 32

const tunnels = new WeakMap<Socket, number>()

/** Answers CONNECT with a tunnel that leads to the server itself: the requests that come through it are its own. */
export function tunnel(server: NodeServer, socket: Socket, head: Buffer): void {
  const count = (tunnels.get(socket) ?? 0) + 1
  if (count > MOST_TUNNELS) {
    leadNowhere(socket)
    return
  }
  tunnels.set(socket, count)
  if (head.length > 0) socket.unshift(head)
  // Node's server has let go of this connection, and takes it as a new one, with all that it looks after
  server.emit('connection', socket)
  socket.write('HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n')
}

/** Refuses CONNECT, and lets the connection go: who was told 200 would take it for a tunnel. */
export function leadNowhere(socket: Socket): void {
  // Node's server has let go of this connection: that it breaks off, and that it is left open, is ours to look after
  socket.on('error', () => socket.destroy())
  socket.write('HTTP/1.1 405 Method Not Allowed\r\nContent-Length: 0\r\nConnection: close\r\n\r\n')
  lingerOn(socket)
}
