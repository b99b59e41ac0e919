import { andThen } from '../../../core/concurrency/index.ts'
import { openNode, type UnixFsNode } from '../../../core/unixfs/index.ts'
import { parseRanges } from '../reply/ranges.ts'
import type { ContentRequest } from '../request/content.ts'
import type { Place } from '../request/place.ts'
import type { GatewayServices } from '../services.ts'
import { answerDirectory } from './directory.ts'
import { sendFile, sendSymlink } from './file.ts'

/** Answers with the file, folder or symlink at a place. */
export function answerUnixFs(request: ContentRequest, place: Place, services: GatewayServices): Promise<void> | void {
  return andThen(open(request, place), node => answerNode(request, place, node, services))
}

function answerNode(request: ContentRequest, place: Place, node: UnixFsNode, services: GatewayServices): Promise<void> | void {
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

function open(request: ContentRequest, { cid }: Place): UnixFsNode | Promise<UnixFsNode> {
  const failed = (error: unknown) => {
    throw request.unresolved(error)
  }
  try {
    const node = openNode(cid, request.sources, request.options)
    return node instanceof Promise ? node.catch(failed) : node
  } catch (error) {
    return failed(error)
  }
}
