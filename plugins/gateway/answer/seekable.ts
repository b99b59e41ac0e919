import { failsPrecondition, isUnmodified, mayTakeRange } from '../reply/conditions.ts'
import { multipart } from '../reply/multipart.ts'
import { begun } from '../reply/pump.ts'
import { contentRange, parseRanges, type Span, spansOf } from '../reply/ranges.ts'
import type { ContentRequest } from '../request/content.ts'
import type { GatewayServices } from '../services.ts'

/** Bytes that can be had from any place on. */
export interface Seekable {
  readonly etag: string
  readonly contentType: string
  readonly size: bigint
  /** All of them, where they are at hand. */
  readonly bytes?: Uint8Array
  /** When the file was changed last, where it says so. Below a mutable name the name's own time counts. */
  readonly modifiedAt?: Date | undefined
  read(span: Span): Promise<AsyncIterable<Uint8Array>>
}

/** Sends bytes: all, a range, or several; with the conditions of HTTP (RFC 9110). */
export function sendSeekable(request: ContentRequest, content: Seekable, { settings }: GatewayServices): Promise<void> | void {
  const { reply, name } = request
  const { etag, size, contentType } = content
  const asked = parseRanges(reply.request.headers.range)
  reply.set('Etag', etag).set('Content-Type', contentType)
  const modifiedAt = name?.resolvedAt ?? content.modifiedAt
  tellFreshness(request, modifiedAt)
  if (failsPrecondition(reply.request, etag, modifiedAt)) {
    return reply.set('Content-Type', 'text/plain; charset=utf-8').empty(412, 0)
  }
  if (isUnmodified(reply.request, modifiedAt)) return reply.unset('Content-Type').unset('Last-Modified').empty(304)
  const wanted = asked !== undefined && mayTakeRange(reply.request, etag, modifiedAt) ? asked : undefined
  const spans = spansOf(wanted, size, settings.limits.ranges)
  if (spans.kind === 'none') return reply.set('Content-Range', `bytes */${size}`).line(416, 'invalid range: failed to overlap')
  reply.set('Accept-Ranges', 'bytes')
  if (spans.kind === 'all') return sendSpan(request, content, 200, { start: 0n, length: size })
  const [first, ...more] = spans.spans
  if (more.length > 0) return multipart(reply, content, spans.spans)
  reply.set('Content-Range', contentRange(first!, size))
  return sendSpan(request, content, 206, first!)
}

function sendSpan({ reply }: ContentRequest, { bytes, read }: Seekable, status: number, span: Span): Promise<void> | void {
  if (bytes !== undefined) {
    const isAll = span.length === BigInt(bytes.length)
    return reply.whole(status, isAll ? bytes : bytes.subarray(Number(span.start), Number(span.start + span.length)))
  }
  if (reply.isHead) return reply.empty(status, span.length)
  return read(span)
    .then(pieces => begun(pieces, span.length))
    .then(pieces => reply.flow(status, pieces, span.length))
}

/** How long an answer may be kept, and since when it is as it is. */
export function tellFreshness({ reply, cacheControl, name }: ContentRequest, modifiedAt = name?.resolvedAt): void {
  if (cacheControl !== undefined) reply.set('Cache-Control', cacheControl)
  if (modifiedAt !== undefined) reply.set('Last-Modified', modifiedAt.toUTCString())
}
