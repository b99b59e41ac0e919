import type { Server as NodeServer } from 'node:http'
import type { Socket } from 'node:net'
import { lingerOn } from './lingering-close.ts'

/** Answers CONNECT with a tunnel that leads to the server itself: the requests that come through it are its own. */
export function tunnel(server: NodeServer, socket: Socket, head: Buffer): void {
  if (socket.destroyed) return
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
