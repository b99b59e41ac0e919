import { mfsErrors } from '../errors.ts'
import type { FileNode } from './node.ts'
import { checkDepth, type FileStorage } from './storage.ts'

/** Bytes that are being put somewhere. */
interface Source {
  readonly bytes: Uint8Array
  at: number
}

/**
 * Puts bytes in the place of those of a file from an offset on, as far as it has any, and loads and stores only the nodes on the way there.
 * (boxo 0.19, ipld/unixfs/mod)
 *
 * @returns whether something changed
 */
export async function overwrite(node: FileNode, offset: number, source: Source, storage: FileStorage, depth = 0): Promise<boolean> {
  checkDepth(depth)
  storage.options.signal?.throwIfAborted()
  if (node.isLeaf) return overwriteLeaf(node, offset, source)
  let from = offset
  let at = 0
  let isChanged = false
  for (const child of node.children) {
    if (source.at === source.bytes.length) break
    const end = at + child.share
    if (end > from) {
      const before = source.at
      const below = await storage.load(child)
      if (await overwrite(below, from - at, source, storage, depth + 1)) {
        isChanged = true
        // Of one in memory, the node is what counts.
        if (child.node === undefined) child.cid = (await storage.store(below, depth + 1)).cid
      }
      if (source.at - before !== Math.min(end - from, source.bytes.length - before)) throw mfsErrors.E_MFS_FILE_SHAPE()
      from = end
    }
    at = end
  }
  return isChanged
}

function overwriteLeaf(leaf: FileNode, offset: number, source: Source): boolean {
  const { data } = leaf
  if (data === undefined || offset >= data.length) return false
  const length = Math.min(data.length - offset, source.bytes.length - source.at)
  if (length === 0) return false
  const changed = new Uint8Array(data)
  changed.set(source.bytes.subarray(source.at, source.at + length), offset)
  source.at += length
  leaf.data = changed
  return true
}
