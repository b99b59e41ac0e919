import type { CID } from 'multiformats/cid'
import { RAW } from '../../cid/codes.ts'
import type { Dag } from '../../services/content/dag.ts'
import type { BlockOptions, Blocks } from '../../services/storage/blocks.ts'
import { SeenCids } from './seen-cids.ts'

/**
 * The first of the blocks that a disk has lost ({@link FastBlocks.lost}) that graphs need; undefined: none. For who is about to keep them.
 *
 * @param roots - of the graphs, as far as they are stored here
 */
export async function lostBelow(
  roots: readonly CID[],
  lost: readonly Uint8Array[],
  { blocks, dag }: { readonly blocks: Blocks; readonly dag: Dag },
  options?: BlockOptions
): Promise<CID | undefined> {
  const names = new Set(lost.map(nameOf))
  const seen = new SeenCids()
  const open = [...roots]
  for (let cid = open.pop(); cid !== undefined; cid = open.pop()) {
    if (names.has(nameOf(cid.multihash.bytes))) return cid
    if (cid.code === RAW || !seen.add(cid)) continue
    const at = cid
    // one that was never here was not lost by this disk
    const bytes = await blocks.get(at, { ...options, offline: true }).catch(() => undefined)
    if (bytes !== undefined) for (const link of dag.links(at, bytes)) open.push(link.cid)
  }
  return undefined
}

const nameOf = (multihash: Uint8Array) => Buffer.from(multihash).toString('latin1')
