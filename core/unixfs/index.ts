/**
 * Files and folders in blocks: making them of an upload, and reading them.
 *
 * @packageDocumentation
 */
export { type Entry, findEntry, listDirectory } from './export/directory.ts'
export { UnixFsExporter } from './export/exporter.ts'
export { readFile, wholeContent } from './export/file.ts'
export {
  cumulativeSize,
  type DirectoryNode,
  decodeBlock,
  type FileNode,
  type Loaded,
  openLoaded,
  openNode,
  type Sources,
  type SymlinkNode,
  type UnixFsNode
} from './export/node.ts'
export { tarOf } from './export/tar.ts'
export { type BlockSource, type Branch, TreeWalk } from './export/walk.ts'
export { SHARDING_THRESHOLD } from './import/directory.ts'
export { importTree } from './import/tree.ts'
export { typeNames, UnixFsType } from './types.ts'
