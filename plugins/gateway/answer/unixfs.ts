import { openNode, type UnixFsNode } from '../../../core/unixfs/index.ts'
import { parseRanges } from '../reply/ranges.ts'
import type { ContentRequest } from '../request/content.ts'
import type { Place } from '../request/place.ts'
import type { GatewayServices } from '../services.ts'
import { answerDirectory } from './directory.ts'
import { sendFile, sendSymlink } from './file.ts'

/** Answers with the file, folder or symlink at a place. */
export async function answerUnixFs(request: ContentRequest, place: Place, services: GatewayServices): Promise<void> {
  const node = await open(request, place)
  // what cannot be read as a range is told before anything else
  if (node.type !== 'directory') parseRanges(request.reply.request.headers.range)
  request.tellRoots(place.roots)
  switch (node.type) {
    case 'file':
      return sendFile(request, node, services, { etag: `"${request.nameOf(place.cid)}"`, name: request.segments.at(-1) })
    case 'symlink':
      return sendSymlink(request, node, services)
    case 'directory':
      return answerDirectory(request, node, services)
  }
}

async function open(request: ContentRequest, { cid }: Place): Promise<UnixFsNode> {
  try {
    return await openNode(cid, request.sources, request.options)
  } catch (error) {
    throw request.unresolved(error)
  }
}
