import { messageOf, NodeError } from '../../../core/index.ts'
import { remotePinErrors } from '../errors.ts'

/** How much of a service's answer is waited for and taken. */
export interface FetchBounds {
  /** Milliseconds until the last byte of an answer is there. */
  readonly answerTimeout: number
  /** Bytes of an answer, once it is unpacked. */
  readonly maxAnswer: number
}

/** Statuses of answers that have no body (Fetch standard). */
const BODILESS = new Set([204, 205, 304])

/**
 * The platform's `fetch`, held to bounds: what it resolves to is in memory as a whole, so that reading it can neither stall nor grow.
 *
 * @throws E_REMOTE_UNREACHABLE, which names the method, the URL and why; the signal's reason
 */
export async function boundedFetch(url: string, init: RequestInit, bounds: FetchBounds, signal: AbortSignal): Promise<Response> {
  const fail = (why: string) => remotePinErrors.E_REMOTE_UNREACHABLE(init.method ?? 'GET', url, why)
  const late = AbortSignal.timeout(bounds.answerTimeout)
  try {
    const response = await fetch(url, { ...init, signal: AbortSignal.any([signal, late]) })
    const bytes = await bodyOf(response, bounds.maxAnswer)
    if (bytes === undefined) throw fail(`it answers with more than ${bounds.maxAnswer} bytes (plugins.remote-pins.maxAnswer)`)
    const { status, statusText, headers } = response
    return new Response(BODILESS.has(status) ? null : new Uint8Array(bytes), { status, statusText, headers })
  } catch (error) {
    signal.throwIfAborted()
    if (error instanceof NodeError) throw error
    if (late.aborted) throw fail(`no whole answer in ${bounds.answerTimeout} ms (plugins.remote-pins.answerTimeout)`)
    throw fail(reasonOf(error, url))
  }
}

/** @returns undefined where there is more than `most` bytes; the rest is not read */
async function bodyOf(response: Response, most: number): Promise<Uint8Array | undefined> {
  const parts: Uint8Array[] = []
  let size = 0
  for await (const part of response.body ?? []) {
    size += part.byteLength
    // leaving the loop cancels the body, and with it the connection
    if (size > most) return undefined
    parts.push(part)
  }
  return Buffer.concat(parts)
}

/** The reason of an error, in the words of Go's client where it is one of the usual ones. */
function reasonOf(error: unknown, url: string): string {
  const cause = ((error as Error).cause ?? error) as Error & { code?: string; address?: string; port?: number; errors?: readonly Error[] }
  const { code, address, port } = (cause.errors?.[0] ?? cause) as typeof cause
  const at = address?.includes(':') ? `[${address}]:${port}` : `${address}:${port}`
  if (code === 'ECONNREFUSED') return `dial tcp ${at}: connect: connection refused`
  if (code === 'ENOTFOUND') return `dial tcp: lookup ${new URL(url).hostname}: no such host`
  return messageOf(cause)
}
