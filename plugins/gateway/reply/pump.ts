import type { ServerResponse } from 'node:http'
import { taken, watchClient } from '../../../core/callers/index.ts'
import { gatewayErrors } from '../errors.ts'
import { SharedTurns } from './shared-turns.ts'

/** After so much of one answer others get a turn. With less, a folder that was let go of while its answer waited is read again for little. */
const TURN_BYTES = 1 << 20
/** The turns of all long answers in the process: it has one event loop, whatever listens. */
const turns = new SharedTurns()

/** The body that is being sent. */
interface Sending {
  /** Its bytes; undefined: as many as there are. */
  readonly length: number | bigint | undefined
  /** Milliseconds for which the client may take none of them; 0: without limit. */
  readonly stalledTimeoutMs: number
}

/**
 * Writes pieces as fast as the client takes them. Of a body that fails, or is not as long as was said, the connection is broken off; one whose
 * client leaves, or takes nothing for too long, is read no further.
 */
export async function pump(
  response: ServerResponse,
  pieces: AsyncIterable<Uint8Array>,
  { length, stalledTimeoutMs }: Sending
): Promise<void> {
  let sent = 0
  let sinceTurn = 0
  try {
    for await (const piece of pieces) {
      if (response.destroyed) return
      sent += piece.length
      sinceTurn += piece.length
      if (!response.write(piece)) await drained(response, stalledTimeoutMs)
      if (response.destroyed) return
      if (sinceTurn < TURN_BYTES) continue
      // before the next piece is read: what waits for its turn holds none
      await turns.take(sinceTurn)
      sinceTurn = 0
    }
  } catch (error) {
    breakOff(response)
    throw error
  }
  if (length !== undefined && BigInt(sent) !== BigInt(length)) return breakOff(response)
  response.end()
  await taken(response, stalledTimeoutMs)
}

/**
 * Pieces of which the first is there: what keeps it from coming is thrown before anything is sent.
 *
 * @param length - of all of them, as it is declared
 * @throws E_GATEWAY_SHORT where there are none
 */
export async function begun(pieces: AsyncIterable<Uint8Array>, length: bigint): Promise<AsyncIterable<Uint8Array>> {
  const remaining = pieces[Symbol.asyncIterator]()
  let first: IteratorResult<Uint8Array> | undefined = await remaining.next()
  if (first.done === true && length > 0n) throw gatewayErrors.E_GATEWAY_SHORT()
  return {
    [Symbol.asyncIterator]: () => ({
      next() {
        if (first === undefined) return remaining.next()
        const step = Promise.resolve(first)
        first = undefined
        return step
      },
      return: async () => (await remaining.return?.()) ?? { done: true, value: undefined }
    })
  }
}

/** How long a client may take to read what was sent before the failure, in milliseconds. */
const LAST_WORDS_MS = 5000

/**
 * Ends a connection in a way that no client takes for the end of an answer: behind what was sent, without the last chunk or the rest of the
 * length. A client that knows neither is reset.
 */
export function breakOff(response: ServerResponse): void {
  const { socket } = response.req
  if (!response.chunkedEncoding && !response.hasHeader('Content-Length') && response.req.httpVersion === '1.0') {
    socket.resetAndDestroy()
    return
  }
  const timer = setTimeout(() => socket.destroy(), LAST_WORDS_MS)
  socket.once('close', () => clearTimeout(timer))
  socket.destroySoon()
}

/** Resolves when there is room, or nobody to send to any more. */
function drained(response: ServerResponse, stalledTimeoutMs: number): Promise<void> {
  const release = watchClient(response, stalledTimeoutMs)
  return new Promise(resolve => {
    const done = () => {
      release()
      response.off('drain', done)
      response.off('close', done)
      resolve()
    }
    response.on('drain', done)
    response.on('close', done)
  })
}
