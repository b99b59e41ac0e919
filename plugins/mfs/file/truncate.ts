import { RAW } from '../../../core/cid/codes.ts'
import { UnixFsType } from '../../../core/unixfs/types.ts'
import { FileNode } from './node.ts'
import { checkDepth, type FileStorage } from './storage.ts'

const NOTHING = new Uint8Array(0)

/**
 * A file cut to nothing as the reference does it: of its children stay those without content at its start, and an empty one in place of
 * the first that has some. (boxo 0.19, ipld/unixfs/mod: `dagTruncate`)
 */
export async function truncated(node: FileNode, storage: FileStorage, depth = 0): Promise<FileNode> {
  checkDepth(depth)
  const { naming, codec, type, data, children } = node
  if (node.isLeaf) return new FileNode(naming, { codec, type: codec === RAW ? type : UnixFsType.Raw, data: NOTHING })
  const kept = []
  for (const child of children) {
    // what goes is not fetched
    const below = await storage.loadAsIs(child, { offline: true })
    const size = below.fileSize
    if (size === 0) {
      kept.push({ ...child, share: 0 })
      continue
    }
    const empty = await truncated(below, storage, depth + 1)
    kept.push({ ...(await storage.store(empty, depth + 1)), share: 0 })
    break
  }
  return new FileNode(naming, { type, data: data && NOTHING, children: kept })
}
