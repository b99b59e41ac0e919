import type { ServerResponse } from 'node:http'
import { pipeline } from 'node:stream/promises'
import { type Logger, messageOf } from '../../../core/index.ts'

const TEXT = 'text/plain; charset=utf-8'

/** Answers with a whole body. */
export function answer(response: ServerResponse, type: string, body: string, more: Readonly<Record<string, string>> = {}): void {
  response.writeHead(200, { 'Content-Type': type, 'Content-Length': String(Buffer.byteLength(body)), ...more })
  response.end(body)
}

export const answerText = (response: ServerResponse, body: string) => answer(response, TEXT, body)

/** Answers an error with one line of text, as Go's `http.Error` does. */
export function refuse(response: ServerResponse, status: number, text: string): void {
  const body = `${text}\n`
  response.writeHead(status, {
    'Content-Type': TEXT,
    'X-Content-Type-Options': 'nosniff',
    'Content-Length': String(Buffer.byteLength(body))
  })
  response.end(body)
}

/**
 * Sends pieces as they come. The head goes out at once; what fails behind it breaks the connection off.
 *
 * @param signal - of the route's context
 */
export async function flow(
  response: ServerResponse,
  head: Readonly<Record<string, string>>,
  pieces: AsyncIterable<string | Uint8Array> | Iterable<string>,
  { signal, log }: { readonly signal: AbortSignal; readonly log: Logger }
): Promise<void> {
  response.writeHead(200, head)
  response.flushHeaders()
  const watched = async function* () {
    try {
      yield* pieces
    } catch (error) {
      if (!signal.aborted) log.error({ err: error }, `an answer broke off: ${messageOf(error)}`)
      throw error
    }
  }
  // the caller's leaving ends here too, and nobody is there to be told
  await pipeline(watched, response).catch(() => {})
}
