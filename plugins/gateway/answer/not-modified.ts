import type { ContentRequest } from '../request/content.ts'

/** Tells a client that what it has is what there is. */
export function notModified({ reply, cacheControl }: ContentRequest, etag: string): void {
  reply.set('Etag', etag)
  if (cacheControl !== undefined) reply.set('Cache-Control', cacheControl)
  reply.empty(304)
}
