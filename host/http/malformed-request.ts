import type { ServerResponse } from 'node:http'
import type { Socket } from 'node:net'
import { lingerOn, lingers, looksForRest } from './lingering-close.ts'

/** Answers by the code of Node.js's error; all others are bad requests. */
const ANSWERS: Readonly<Record<string, string>> = {
  HPE_HEADER_OVERFLOW: '431 Request Header Fields Too Large',
  HPE_CHUNK_EXTENSIONS_OVERFLOW: '413 Payload Too Large',
  ERR_HTTP_REQUEST_TIMEOUT: '408 Request Timeout'
}

/**
 * Answers what cannot be read as a request with the words of Node.js. Its own way closes the connection at once, which resets it while the
 * client still sends: the client then loses the answer too.
 *
 * @param last - the last response on the connection
 */
export function answerUnreadable(error: NodeJS.ErrnoException, socket: Socket, last: ServerResponse | undefined): void {
  if (lingers(socket)) return
  if (looksForRest(socket)) {
    setImmediate(answerUnreadable, error, socket, last)
    return
  }
  const underWay = last !== undefined && !last.closed
  if (!socket.writable || (underWay && last.headersSent)) {
    socket.destroy(error)
    return
  }
  socket.write(`HTTP/1.1 ${ANSWERS[error.code ?? ''] ?? '400 Bad Request'}\r\nConnection: close\r\n\r\n`)
  // a command that reads the body is to learn at once that no more comes
  if (underWay) socket.destroy(error)
  else lingerOn(socket)
}
