import { once } from 'node:events'
import { type IncomingMessage, request as open } from 'node:http'

/** What a test sends to a node. */
export interface Request {
  /** Below `/api/v0/`, with its query. */
  readonly path: string
  /** The parts of an upload, or the bytes of any other body. */
  readonly parts?: readonly Part[]
  readonly body?: Uint8Array | string | AsyncIterable<Uint8Array>
  readonly headers?: Readonly<Record<string, string | readonly string[]>>
  /** Leave after so many bytes of the answer. */
  readonly leave?: number
}

/** A file of an upload; a string is its bytes. */
export type Part = Uint8Array | string | { readonly head: readonly string[]; readonly data: Uint8Array | string }

/** What came back. */
export interface Answer {
  readonly status: number
  /** Bytes of the body. */
  readonly bytes: number
  /** The body, unless it is longer than a megabyte. */
  readonly text: string
  /** What the trailer says went wrong. */
  readonly error: string | undefined
}

const BOUNDARY = 'edge-of-the-part'
const KEPT = 1 << 20

/** The bytes of an upload. */
export function multipart(parts: readonly Part[], boundary: string = BOUNDARY): Buffer {
  const pieces = parts.flatMap((part, i) => {
    const whole = typeof part === 'object' && 'head' in part
    const head = whole
      ? part.head
      : [`Content-Disposition: form-data; name="file"; filename="f${i}"`, 'Content-Type: application/octet-stream']
    return [`--${boundary}\r\n${head.join('\r\n')}\r\n\r\n`, whole ? part.data : part, '\r\n']
  })
  return Buffer.concat([...pieces, `--${boundary}--\r\n`].map(piece => Buffer.from(piece as string)))
}

/** Asks a node and reads the answer to its end, or as far as the request wants. */
export async function ask(port: number, { path, parts, body, headers, leave = Number.POSITIVE_INFINITY }: Request): Promise<Answer> {
  const type = parts === undefined ? {} : { 'Content-Type': `multipart/form-data; boundary=${BOUNDARY}` }
  const outgoing = open({
    host: '127.0.0.1',
    port,
    method: 'POST',
    path: `/api/v0/${path}`,
    headers: { ...type, ...headers } as Record<string, string>
  })
  const answered = once(outgoing, 'response') as Promise<[IncomingMessage]>
  outgoing.on('error', () => {})
  const sent = parts === undefined ? (body ?? '') : multipart(parts)
  if (typeof sent === 'string' || sent instanceof Uint8Array) outgoing.end(sent)
  else void send(outgoing, sent)
  const [response] = await answered
  const kept: Buffer[] = []
  let bytes = 0
  for await (const chunk of response as AsyncIterable<Buffer>) {
    bytes += chunk.length
    if (bytes <= KEPT) kept.push(chunk)
    if (bytes >= leave) break
  }
  outgoing.destroy()
  const error = response.trailers['x-stream-error']
  return { status: response.statusCode!, bytes, text: bytes > KEPT ? '' : Buffer.concat(kept).toString(), error }
}

async function send(outgoing: ReturnType<typeof open>, body: AsyncIterable<Uint8Array>): Promise<void> {
  const gone = once(outgoing, 'close')
  for await (const chunk of body) {
    if (outgoing.destroyed) return
    if (!outgoing.write(chunk)) await Promise.race([new Promise(resolve => outgoing.once('drain', resolve)), gone])
  }
  outgoing.end()
}
