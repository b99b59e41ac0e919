import { cidToString } from '../../../core/cid/index.ts'
import type { CID } from '../../../core/index.ts'
import { type DirectoryNode, findEntry, openNode } from '../../../core/unixfs/index.ts'
import { gatewayErrors } from '../errors.ts'
import { type ContentRequest, unlessDenied } from '../request/content.ts'
import type { Place } from '../request/place.ts'
import type { GatewayServices } from '../services.ts'
import { dirIndexEtag } from './etags.ts'
import { sendFile } from './file.ts'
import { listing } from './listing.ts'

/** Answers with a folder's index.html, or with a page that lists it. */
export async function answerDirectory(request: ContentRequest, node: DirectoryNode, services: GatewayServices): Promise<void> {
  const { reply, path, query, site } = request
  if (!path.text.endsWith('/') && query.get('go-get') !== '1') {
    return reply.redirect(301, `${site.rawPath}/${site.rawQuery === '' ? '' : `?${site.rawQuery}`}`)
  }
  const index = await indexOf(request, node)
  const text = request.nameOf(node.cid)
  if (index !== undefined) await request.refuseDenied(['index.html'])
  if (index !== undefined) return sendFile(request, index, services, { etag: `"${text}"`, name: 'index.html' })
  reply.set('Content-Type', 'text/html').set('Etag', dirIndexEtag(text))
  if (request.pageCacheControl !== undefined) reply.set('Cache-Control', request.pageCacheControl)
  if (reply.isHead) return reply.empty(200)
  return reply.flow(200, listing(request, node))
}

/**
 * Refuses a folder whose index.html is denied to a client that has its page already. Without a denylist nothing is read for that.
 *
 * @throws E_DENIED
 */
export function refuseDeniedIndex(request: ContentRequest, { cid }: Place): Promise<void> | void {
  return request.denylist === undefined ? undefined : refuseIndex(request, cid)
}

async function refuseIndex(request: ContentRequest, cid: CID): Promise<void> {
  try {
    const node = await openNode(cid, request.sources, request.options)
    if (node.type !== 'directory' || (await indexOf(request, node)) === undefined) return
  } catch (error) {
    return unlessDenied(error)
  }
  await request.refuseDenied(['index.html'])
}

/** @throws E_GATEWAY_INDEX for an index.html that is no file */
async function indexOf(request: ContentRequest, node: DirectoryNode) {
  const { sources, options } = request
  try {
    const cid = await findEntry(node, 'index.html', sources, options)
    const index = cid === undefined ? undefined : await openNode(cid, sources, options)
    if (index === undefined || index.type === 'file') return index
  } catch (error) {
    throw request.unresolved(error)
  }
  throw gatewayErrors.E_GATEWAY_INDEX(`/ipfs/${cidToString(node.cid)}/index.html`)
}
