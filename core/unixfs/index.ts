/**
 * Files and folders in blocks: making them of an upload, reading them, and the nodes that they are made of.
 *
 * @packageDocumentation
 */
export { decodeUnixFs, typeNames, type UnixFsData, UnixFsType } from './export/data.ts'
export { loadShard } from './export/directory.ts'
export { UnixFsExporter } from './export/exporter.ts'
export { hashOfName, isShardLink, type Shard, slotAt } from './export/hamt.ts'
export { cumulativeSize, decodeBlock, type Loaded, type Sources } from './export/node.ts'
export type { PbNode } from './export/pb.ts'
export { type Branch, TreeWalk } from './export/walk.ts'
export { DAG_PB, MOST_INLINE, RAW } from './import/builder.ts'
export { SHARDING_THRESHOLD } from './import/directory.ts'
export { DIRECTORY_DATA, encodeHamtData, encodeNode, NO_NAME, type NodeLink } from './import/encode.ts'
export { importTree } from './import/tree.ts'
