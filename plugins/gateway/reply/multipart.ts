import { randomUUID } from 'node:crypto'
import { begun } from './pump.ts'
import { contentRange, type Span } from './ranges.ts'
import type { Reply } from './reply.ts'

/** The body that parts are taken from. */
interface Whole {
  readonly contentType: string
  readonly size: bigint
  readonly bytes?: Uint8Array
  read(span: Span): Promise<AsyncIterable<Uint8Array>>
}

/** Sends several ranges as the parts of one body (RFC 9110, 14.6). */
export async function multipart(reply: Reply, whole: Whole, spans: readonly Span[]): Promise<void> {
  const boundary = randomUUID()
  const heads = spans.map(
    span => `\r\n--${boundary}\r\nContent-Type: ${whole.contentType}\r\nContent-Range: ${contentRange(span, whole.size)}\r\n\r\n`
  )
  const end = `\r\n--${boundary}--\r\n`
  const framing = heads.reduce((sum, head) => sum + head.length, end.length)
  const length = spans.reduce((sum, span) => sum + span.length, BigInt(framing))
  reply.set('Content-Type', `multipart/byteranges; boundary=${boundary}`)
  return reply.isHead ? reply.empty(206, length) : reply.flow(206, await begun(parts(whole, spans, heads, end), length), length)
}

async function* parts(whole: Whole, spans: readonly Span[], heads: readonly string[], end: string): AsyncGenerator<Uint8Array> {
  for (const [i, span] of spans.entries()) {
    const pieces = whole.bytes === undefined ? await begun(await whole.read(span), span.length) : undefined
    yield Buffer.from(heads[i]!, 'latin1')
    if (whole.bytes === undefined) yield* pieces!
    else yield whole.bytes.subarray(Number(span.start), Number(span.start + span.length))
  }
  yield Buffer.from(end, 'latin1')
}
