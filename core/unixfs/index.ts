/**
 * Files and folders in blocks: making them of an upload, and reading them.
 *
 * @packageDocumentation
 */
export { decodeUnixFs, typeNames, type UnixFsData, UnixFsType } from './export/data.ts'
export { UnixFsExporter } from './export/exporter.ts'
export { decodeBlock, type Loaded, type Sources } from './export/node.ts'
export { type Branch, TreeWalk } from './export/walk.ts'
export { SHARDING_THRESHOLD } from './import/directory.ts'
export { DIRECTORY_DATA } from './import/encode.ts'
export { FileImporter, type FileImportOptions } from './import/files.ts'
export { importTree } from './import/tree.ts'
