import type { IncomingMessage, ServerResponse } from 'node:http'
import { httpOf } from '../../../core/index.ts'
import { mcpErrors } from '../errors.ts'

/**
 * The body of a request.
 *
 * @param onBytes - told of each piece before it is kept; what it throws ends the reading
 * @throws E_MCP_MESSAGE_SIZE; the rest of one that is too long is not read
 */
export async function bodyText(request: IncomingMessage, most: number, onBytes: (bytes: number) => void): Promise<string> {
  if (Number(request.headers['content-length'] ?? 0) > most) throw mcpErrors.E_MCP_MESSAGE_SIZE(most)
  const chunks: Buffer[] = []
  let size = 0
  for await (const chunk of request.iterator({ destroyOnReturn: false }) as AsyncIterable<Buffer>) {
    size += chunk.length
    if (size > most) throw mcpErrors.E_MCP_MESSAGE_SIZE(most)
    onBytes(chunk.length)
    chunks.push(chunk)
  }
  return Buffer.concat(chunks).toString()
}

/** A request as the SDK's transport wants it; its body is handed over beside it. */
export function asWebRequest(request: IncomingMessage): Request {
  const headers = new Headers()
  for (const [name, value] of Object.entries(request.headers)) if (value !== undefined) headers.set(name, String(value))
  return new Request(`http://localhost${request.url ?? '/'}`, { method: request.method, headers })
}

/**
 * Sends what the SDK's transport answers, as fast as it is taken.
 *
 * @returns whether all of it was; not, where the client left before
 */
export async function sendWebResponse(from: Response, response: ServerResponse): Promise<boolean> {
  response.writeHead(from.status, Object.fromEntries([...from.headers].filter(([name]) => name !== 'connection')))
  if (from.body === null) {
    response.end()
    return true
  }
  response.flushHeaders()
  const reader = from.body.getReader()
  const gone = new Promise<undefined>(resolve => response.once('close', () => resolve(undefined)))
  for (;;) {
    const step = await Promise.race([reader.read(), gone])
    if (step === undefined) {
      await reader.cancel()
      return false
    }
    if (step.done) break
    if (!response.write(step.value)) await Promise.race([new Promise(resolve => response.once('drain', resolve)), gone])
  }
  response.end()
  return true
}

/** An error in the words of the protocol, for a request that reaches no session. */
export function refuse(response: ServerResponse, error: Error): void {
  const { status, headers } = httpOf(error)
  response.writeHead(status, { 'Content-Type': 'application/json', ...headers })
  response.end(JSON.stringify({ jsonrpc: '2.0', error: { code: -32000, message: error.message }, id: null }))
}
