import { hasAlready } from '../reply/conditions.ts'
import { disposition, filenameIn } from '../reply/disposition.ts'
import type { ContentRequest } from '../request/content.ts'

/** The header fields of a file to keep: browsers neither show it nor guess what it is. */
export function attach({ reply, query }: ContentRequest, name: string): void {
  reply.set('Content-Disposition', disposition('attachment', filenameIn(query) || name)).set('X-Content-Type-Options', 'nosniff')
}

/** Whether the client has it already, and was told so. */
export function isKnown({ reply, cacheControl }: ContentRequest, etag: string): boolean {
  if (!hasAlready(reply.request, [etag])) return false
  reply.unset('Content-Disposition').unset('X-Content-Type-Options').set('Etag', etag)
  if (cacheControl !== undefined) reply.set('Cache-Control', cacheControl)
  reply.empty(304)
  return true
}
