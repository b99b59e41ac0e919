import type { Body } from '../../../core/index.ts'
import { mostOfMessage } from '../message-size.ts'
import { serverFor } from '../server.ts'
import type { ServerParts } from '../server-parts.ts'
import type { McpLimits } from '../settings.ts'
import { Lines } from './lines.ts'

/** How long calls that run when the client has closed its side may take to be answered, in milliseconds. */
const LAST_ANSWERS = 2000

/**
 * Serves one client: messages come in with the body, one a line, and answers go out. It ends when the body does, or the signal fires, and ends
 * the calls that still run then.
 *
 * @throws E_MCP_MESSAGE_SIZE
 */
export async function* serveLines(
  parts: ServerParts,
  { body, signal, limits }: { body: Body; signal: AbortSignal; limits: McpLimits }
): AsyncGenerator<Uint8Array> {
  const lines = new Lines(mostOfMessage(limits))
  const server = serverFor(parts)
  await server.connect(lines)
  const close = () => void server.close()
  signal.addEventListener('abort', close, { once: true })
  let failure: { readonly error: unknown } | undefined
  void read(body, lines)
    .then(() => lines.idle(LAST_ANSWERS))
    .catch(error => {
      failure = { error }
    })
    .finally(close)
  try {
    yield* lines.output
  } finally {
    signal.removeEventListener('abort', close)
    close()
  }
  if (failure !== undefined) throw failure.error
}

async function read(body: Body, lines: Lines): Promise<void> {
  for await (const part of body) for await (const bytes of part.bytes()) lines.receive(bytes)
}
