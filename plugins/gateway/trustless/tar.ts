import { DAG_PB, RAW } from '../../../core/cid/codes.ts'
import { hasCode, type NodeError } from '../../../core/index.ts'
import { isContradiction, openNode, tarOf, type UnixFsNode } from '../../../core/unixfs/index.ts'
import { tellFreshness } from '../answer/seekable.ts'
import type { ContentRequest } from '../request/content.ts'
import { attach, isKnown } from './attachment.ts'
import { trustlessErrors } from './errors.ts'
import { sendGathered } from './small.ts'

/** Bytes up to which an archive goes out with its length. */
const WHOLE = 2048

/** A file, or a folder with all in it, as a tar archive whose root entry is called by its CID. */
export async function answerTar(request: ContentRequest): Promise<void> {
  const { reply, sources, options } = request
  const { cid, roots } = await request.locate()
  request.tellRoots(roots)
  const name = request.nameOf(cid)
  // what has no files is not even read
  if (cid.code !== RAW && cid.code !== DAG_PB) throw trustlessErrors.E_TAR_CODEC(name)
  const etag = `W/"${name}.x-tar"`
  attach(request, `${name}.tar`)
  if (isKnown(request, etag)) return
  let node: UnixFsNode
  try {
    node = await openNode(cid, sources, { ...options, asked: true })
  } catch (error) {
    throw isNoFile(error) && !isContradiction(error) ? trustlessErrors.E_TAR_CODEC(name) : error
  }
  reply.set('Content-Type', 'application/x-tar').set('Etag', etag)
  tellFreshness(request)
  return sendGathered(reply, tarOf(node, name, sources, options), WHOLE)
}

/** Whether a block is none of UnixFS'. */
function isNoFile(error: unknown): boolean {
  const { code = '' } = error as Partial<NodeError>
  return hasCode(error, 'E_NOT_UNIXFS') || hasCode(error, 'E_PROTOBUF') || code.startsWith('E_UNIXFS_') || code.startsWith('E_HAMT_')
}
