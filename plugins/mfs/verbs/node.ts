import type { CID } from 'multiformats/cid'
import type { BlockOptions, MfsNode } from '../../../core/index.ts'
import type { Context } from '../context.ts'
import { mfsErrors } from '../errors.ts'
import { Directory } from '../tree/directory.ts'
import type { Leaf } from '../tree/tree.ts'
import { lookup } from './parent.ts'

/**
 * The node at a path, with that of a directory as it is now, which is stored.
 *
 * @param canWait - whether it is enough that it is in memory, where it cannot be stored
 */
export async function nodeAt(
  context: Context,
  path: string,
  options: BlockOptions = {},
  canWait = false
): Promise<Leaf | (MfsNode & { type: 'directory' })> {
  const { tree, nodes } = context
  const node = await tree.run(() => {
    const at = lookup(tree, path)
    return at instanceof Directory ? { cid: tree.fold(at).cid, type: 'directory' as const, size: 0n } : at
  }, options)
  if ('type' in node && !(canWait && context.parts.location?.readsOnly))
    await nodes.store(options).catch(error => {
      if (!canWait || options.signal?.aborted) throw error
    })
  context.relieve()
  return node
}

/** @throws what looking the path up does */
export async function stat(context: Context, path: string, options?: BlockOptions): Promise<MfsNode> {
  const node = await nodeAt(context, path, options)
  return 'type' in node ? node : { cid: node.cid, type: 'file', size: node.kind.size }
}

/** @throws E_MFS_SYMLINK: of symlinks only their names can be changed */
export async function flush(context: Context, path: string, options?: BlockOptions): Promise<CID> {
  const node = await nodeAt(context, path, options)
  if ('kind' in node && node.kind.type === 'symlink') throw mfsErrors.E_MFS_SYMLINK()
  await context.checkpoint()
  return node.cid
}
