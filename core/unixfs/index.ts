/**
 * Files and folders in blocks: making them of an upload, reading them, and the nodes that they are made of.
 *
 * @packageDocumentation
 */
export { MOST_IN_CHUNK } from './chunker/spec.ts'
export { Batch } from './export/batch.ts'
export { decodeUnixFs, type UnixFsData } from './export/data.ts'
export { type DirectoryLink, findEntry, listDirectory } from './export/directory.ts'
export { isContradiction } from './export/errors.ts'
export { UnixFsExporter } from './export/exporter.ts'
export { readFile, wholeContent } from './export/file.ts'
export { checkLabel, isFanout, isShardLink, LEAST_FANOUT, labelOf, MAX_FANOUT, type Shard, slotAt, takenSlots } from './export/hamt.ts'
export {
  type Codecs,
  cumulativeSize,
  type DirectoryNode,
  decodeBlock,
  type FileNode,
  type LoadedBlock,
  LoadedBranch,
  openLoaded,
  openNode,
  type Sources,
  type SymlinkNode,
  type UnixFsNode
} from './export/node.ts'
export { tarOf } from './export/tar.ts'
export { loadShard, loadShardBelow } from './export/trie.ts'
export { goMode, modeOfGo } from './go-mode.ts'
export { hashOfName } from './hash-of-name.ts'
export { MOST_INLINE } from './import/builder.ts'
export { type Content, DIRECTORY_DATA, encodeHamtData, encodeNode, NO_NAME, type NodeLink, type Piece } from './import/encode.ts'
export { FileImporter, type FileImportOptions } from './import/files.ts'
export { FILE_LINKS, MAX_LINKS } from './import/layout.ts'
export { importTree } from './import/tree.ts'
export {
  type Metadata,
  MOST_NANOSECONDS,
  type Mtime,
  metadataOf,
  storedMode,
  storedMtime,
  timeNow,
  withMetadata
} from './metadata.ts'
export { modeText, momentOf, monthName, timeJson } from './metadata-text.ts'
export { SHARDING_THRESHOLD, type Sharding, type SizeEstimation, shardingKeys, shardingOf } from './sharding.ts'
export { typeNames, UnixFsType } from './types.ts'
