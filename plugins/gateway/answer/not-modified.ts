import type { ContentRequest } from '../request/content.ts'

/** Tells a client that what it has is what there is. @param isPage - whether it is a page that the gateway made of content */
export function notModified({ reply, cacheControl, pageCacheControl }: ContentRequest, etag: string, isPage = false): void {
  reply.set('Etag', etag)
  const held = isPage ? pageCacheControl : cacheControl
  if (held !== undefined) reply.set('Cache-Control', held)
  reply.empty(304)
}
