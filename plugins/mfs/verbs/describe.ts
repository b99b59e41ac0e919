import type { CID } from 'multiformats/cid'
import { DAG_PB, RAW } from '../../../core/cid/codes.ts'
import type { BlockOptions } from '../../../core/index.ts'
import type { Metadata } from '../../../core/unixfs/metadata.ts'
import { UnixFsType } from '../../../core/unixfs/types.ts'
import type { Context } from '../context.ts'
import { FileNode } from '../file/node.ts'
import { V0 } from '../naming.ts'
import { namesOf } from '../paths.ts'
import { Directory } from '../tree/directory.ts'
import { lookup, parentAt } from './parent.ts'

/** Changes what a node says of the file that it was. (Kubo 0.42, boxo/mfs: `Chmod`, `Touch`) */
export async function describe(context: Context, path: string, change: Metadata, options: BlockOptions = {}): Promise<void> {
  const { tree } = context
  const key = namesOf(path).join('/')
  await context.writers.run(key, async () => {
    for (let isDone = false; !isDone; ) {
      const leaf = await tree.run(() => {
        const at = lookup(tree, path)
        if (!(at instanceof Directory)) return at
        at.metadata = { ...at.metadata, ...change }
        at.change()
        return undefined
      }, options)
      isDone = leaf === undefined || (await context.announced(leaf.cid, () => describeFile(context, path, leaf.cid, change, options)))
    }
  })
  // the journal knows nothing of directories' own data
  await context.keepWhole()
}

/** @returns false where something else has come to be at the path meanwhile */
async function describeFile(context: Context, path: string, cid: CID, change: Metadata, options: BlockOptions): Promise<boolean> {
  const { nodes, tree, parts } = context
  const before = FileNode.from(await nodes.load(cid, options))
  before.check()
  // a raw block has no place for it: its bytes move into a node of version 0, as in the reference
  const file = before.codec === RAW ? new FileNode(V0, { type: UnixFsType.File, data: before.data }) : before
  file.metadata = { ...before.metadata, ...change }
  const block = file.encode()
  const made = nodes.name(file.naming, DAG_PB, block)
  await parts.blocks.putAll([{ cid: made, bytes: block }], options)
  tree.learn(made, { type: 'file', size: BigInt(file.fileSize) })
  return tree.run(() => {
    const names = namesOf(path)
    const parent = parentAt(tree, `/${names.slice(0, -1).join('/')}`)
    const there = tree.child(parent, names.at(-1)!)
    if (there === undefined || there instanceof Directory || !there.cid.equals(cid)) return false
    context.put(parent, names.at(-1)!, made, file.sizeOf(block))
    return true
  }, options)
}
