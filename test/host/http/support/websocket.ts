/** As much of WebSocket (RFC 6455) as an echo takes: short frames in one piece. */
import { createHash } from 'node:crypto'
import type { IncomingMessage } from 'node:http'
import type { Duplex } from 'node:stream'

const GUID = '258EAFA5-E914-47DA-95CA-C5AB0DC85B11'
const TEXT = 0x81
const CLOSE = 0x88

/** Agrees to become a WebSocket, and sends every short text back behind `prefix`. */
export function echo(request: IncomingMessage, socket: Duplex, prefix = ''): void {
  const accept = createHash('sha1').update(`${request.headers['sec-websocket-key']}${GUID}`).digest('base64')
  socket.write(`HTTP/1.1 101 Switching Protocols\r\nUpgrade: websocket\r\nConnection: Upgrade\r\nSec-WebSocket-Accept: ${accept}\r\n\r\n`)
  socket.on('data', (frame: Buffer) => {
    const mask = frame.subarray(2, 6)
    const data = frame.subarray(6, 6 + (frame[1]! & 0x7f)).map((byte, i) => byte ^ mask[i % 4]!)
    if (frame[0] === TEXT) send(socket, TEXT, Buffer.from(prefix + Buffer.from(data)))
    else if (frame[0] === CLOSE) close(socket, data.length < 2 ? 1000 : Buffer.from(data).readUInt16BE())
  })
}

/** Says that nothing more comes, and why. */
export function close(socket: Duplex, code: number): void {
  const reason = Buffer.alloc(2)
  reason.writeUInt16BE(code)
  send(socket, CLOSE, reason)
  socket.end()
}

function send(socket: Duplex, kind: number, data: Buffer): void {
  socket.write(Buffer.concat([Buffer.from([kind, data.length]), data]))
}
