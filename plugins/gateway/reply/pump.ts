import type { ServerResponse } from 'node:http'

/** After so much of one answer others get a turn. */
const TURN_BYTES = 256 << 10

/**
 * Writes pieces as fast as the client takes them. Of a body that fails, or is not as long as was said, the connection is broken off; one whose
 * client leaves is read no further.
 */
export async function pump(response: ServerResponse, pieces: AsyncIterable<Uint8Array>, length?: number | bigint): Promise<void> {
  let sent = 0
  let sinceTurn = 0
  try {
    for await (const piece of pieces) {
      if (response.destroyed) return
      sent += piece.length
      sinceTurn += piece.length
      if (!response.write(piece)) await drained(response)
      if (response.destroyed) return
      if (sinceTurn < TURN_BYTES) continue
      sinceTurn = 0
      await new Promise(resolve => setImmediate(resolve))
    }
  } catch (error) {
    breakOff(response)
    throw error
  }
  if (length !== undefined && BigInt(sent) !== BigInt(length)) breakOff(response)
  else response.end()
}

/** Ends a connection in a way that no client takes for the end of an answer. */
export function breakOff(response: ServerResponse): void {
  response.req.socket.resetAndDestroy()
}

/** Resolves when there is room, or nobody to send to any more. */
function drained(response: ServerResponse): Promise<void> {
  return new Promise(resolve => {
    const done = () => {
      response.off('drain', done)
      response.off('close', done)
      resolve()
    }
    response.on('drain', done)
    response.on('close', done)
  })
}
