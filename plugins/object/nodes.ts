import type { CID } from 'multiformats/cid'
import { DAG_PB } from '../../core/cid/codes.ts'
import { cumulativeSizeOf, type StoredNode } from '../../core/dag/proto-node.ts'
import { type BlockOptions, Blocks, Dag, type Link, PathResolver } from '../../core/index.ts'

/** The services that objects are found and read with. */
export const nodeSources = { blocks: Blocks, dag: Dag, paths: PathResolver }

export interface NodeSources {
  readonly blocks: Blocks
  readonly dag: Dag
  readonly paths: PathResolver
}

/** A block of any codec, and its links. */
export interface LinkedBlock {
  readonly cid: CID
  readonly bytes: Uint8Array
  readonly links: readonly Link[]
  readonly isProto: boolean
}

/** @throws what loading the block and reading it as its codec says does */
export async function loadBlock(
  cid: CID,
  { blocks, dag }: Pick<NodeSources, 'blocks' | 'dag'>,
  options: BlockOptions
): Promise<LinkedBlock> {
  const bytes = await blocks.get(cid, options)
  return { cid, bytes, links: dag.links(cid, bytes), isProto: cid.code === DAG_PB }
}

/** The parts of a link to a block. */
export function storedOf({ cid, bytes, links, isProto }: LinkedBlock): StoredNode {
  const sizes = links.map(({ size = 0 }) => ({ size: BigInt(size) }))
  return { cid, size: cumulativeSizeOf(bytes, isProto ? sizes : []) }
}
