import type { IncomingMessage, ServerResponse } from 'node:http'
import { isWhole } from '../lingering-close.ts'

/**
 * Watches that an answer begins. The time runs from the last of the request on: a body that still comes is waited for.
 *
 * @param ms - 0: without limit
 * @param silent - called once when nothing has been answered for so long
 * @returns what ends the watch
 */
export function watchAnswer(request: IncomingMessage, response: ServerResponse, ms: number, silent: () => void): () => void {
  if (ms === 0) return () => {}
  let seen = request.socket.bytesRead
  const look = () => {
    if (response.headersSent || response.closed) return
    const { bytesRead } = request.socket
    if (isWhole(request) || bytesRead === seen) return silent()
    seen = bytesRead
    timer = setTimeout(look, ms)
  }
  let timer = setTimeout(look, ms)
  return () => clearTimeout(timer)
}
