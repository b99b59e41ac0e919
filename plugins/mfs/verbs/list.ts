import type { CID } from 'multiformats/cid'
import { Reads } from '../../../core/blocks/reads.ts'
import type { BlockOptions, MfsEntry } from '../../../core/index.ts'
import { decodeBlock } from '../../../core/unixfs/export/node.ts'
import type { Context } from '../context.ts'
import { splitPath } from '../paths.ts'
import { kindOf } from '../tree/kind.ts'
import { nodeAt } from './node.ts'

/** Entries that are looked at together. */
const BATCH = 128

/** Entries of a directory in the order of its links, or a file itself. (boxo 0.19, mfs/dir.go) */
export async function* list(
  context: Context,
  path: string,
  { long = false, ...options }: BlockOptions & { long?: boolean } = {}
): AsyncGenerator<MfsEntry> {
  const at = await nodeAt(context, path, options)
  if ('kind' in at) {
    const { name } = splitPath(path)
    yield long ? { name, node: { cid: at.cid, type: 'file', size: at.kind.size } } : { name }
    return
  }
  const entries = context.parts.unixfs.list(at.cid, options)
  if (!long) {
    for await (const { name } of entries) yield { name }
    return
  }
  const reads = new Reads(context.parts.blocks)
  let batch: Array<{ name: string; cid: CID }> = []
  for await (const { name, cid } of entries) {
    batch.push({ name, cid })
    if (batch.length < BATCH) continue
    yield* await looked(batch, reads, context, options)
    batch = []
  }
  yield* await looked(batch, reads, context, options)
}

function looked(
  batch: ReadonlyArray<{ name: string; cid: CID }>,
  reads: Reads,
  { parts }: Context,
  options: BlockOptions
): Promise<MfsEntry[]> {
  return Promise.all(
    batch.map(async ({ name, cid }) => {
      const { type, size } = kindOf(decodeBlock(cid, await reads.get(cid, options), parts.dag))
      return { name, node: { cid, type: type === 'directory' ? 'directory' : 'file', size } } as const
    })
  )
}
