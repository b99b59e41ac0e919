import { defineErrors } from '../../core/index.ts'

/** Texts: Kubo 0.28, core/commands/files.go, and boxo 0.19, mfs. */
export const mfsErrors = defineErrors({
  E_MFS_PATH_EMPTY: { message: () => 'paths must not be empty' },
  E_MFS_PATH_RELATIVE: { message: () => 'paths must start with a leading slash' },
  E_MFS_PATH_INVALID: { message: (path: string, why: string) => `${path} is not a valid path: ${why}` },
  E_MFS_PATH_DEPTH: { message: (most: number) => `the path has more than ${most} parts (plugins.mfs.maxDepth)` },
  E_MFS_MISSING: { message: () => 'file does not exist' },
  E_MFS_EXISTS: { message: () => 'file already exists' },
  E_MFS_UNLINK_DIRECTORY: { message: (path: string) => `cp: cannot unlink existing file: not a file: ${path}` },
  E_MFS_UNLINK_BELOW_FILE: { message: (path: string) => `cp: cannot unlink existing file: not a directory: ${path}` },
  E_MFS_NOT_UNIXFS: {
    message: (why?: string) => `cp: source must be a valid UnixFS (dag-pb or raw codec)${why === undefined ? '' : `: ${why}`}`
  },
  E_MFS_ENTRY_EXISTS: { message: () => 'directory already has entry by that name' },
  E_MFS_INTO_ITSELF: { message: (from: string, to: string) => `${from} cannot be moved into itself, to ${to}` },
  E_MFS_OVER_FILE: { message: (path: string) => `${path} is a file: a directory does not take its place` },
  E_MFS_ROOT_EXISTS: { message: () => "cannot create directory '/': Already exists" },
  E_MFS_FILE_ON_PATH: { message: (path: string) => `cannot access ${path}: Not a directory` },
  E_MFS_WAS_FILE: { message: (path: string) => `${path} was not a directory` },
  E_MFS_NOT_DIRECTORY: { message: (path: string) => `${path} is not a directory` },
  E_MFS_NOT_A_FILE: { message: (path: string) => `${path} was not a file` },
  E_MFS_NO_NAME: { message: () => 'cannot create file with empty name' },
  E_MFS_ROOT: { message: () => 'cannot delete root' },
  E_MFS_RECURSIVE: { message: () => 'path is a directory, use -r to remove directories' },
  E_MFS_NOT_FOUND: {
    message: (what: string, milliseconds: number) =>
      `the mutable tree needs ${what}, which is not stored here, and no peer gave it within ${milliseconds / 1000} s (plugins.mfs.search): block/put and dag/import bring it back, files/rm --recursive takes an entry away without it`
  },
  E_MFS_PARENT: { message: () => "expected *mfs.Directory, didn't get it. This is likely a race condition" },
  E_MFS_NOT_REMOVED: { message: () => "can't remove some files" },
  E_MFS_ONLY_DIRECTORIES: { message: () => 'can only update directories' },
  E_MFS_SYMLINK: { message: () => 'symlinks not yet supported' },
  E_MFS_METADATA: { message: () => 'not yet implemented' },
  E_MFS_CHILD: { message: () => 'invalid child node' },
  E_MFS_CODEC: { message: () => 'unrecognized node type in cache node' },
  E_MFS_STAT_TYPE: { message: (type: string) => `unrecognized node type: ${type}` },
  E_MFS_STAT_CODEC: { message: () => 'not unixfs node (proto or raw)' },
  E_MFS_STAT_FORMAT: { message: () => 'format was set by multiple options. Only one format option is allowed', wire: 'client' },
  E_MFS_STAT_BLOCKS: { message: (most: number) => `there are more than ${most} blocks to look for (plugins.mfs.maxStatBlocks)` },
  E_MFS_READ_OFFSET: { message: () => 'cannot specify negative offset' },
  E_MFS_READ_COUNT: { message: () => "cannot specify negative 'count'" },
  E_MFS_READ_PAST_END: { message: (offset: bigint, size: bigint) => `offset was past end of file (${offset} > ${size})` },
  E_MFS_WRITE_OFFSET: { message: () => 'cannot have negative write offset' },
  E_MFS_WRITE_COUNT: { message: () => 'cannot have negative byte count' },
  E_MFS_UPLOAD: { message: () => 'expected a file argument' },
  E_MFS_UPLOAD_KIND: { message: () => 'file argument was nil' },
  E_MFS_GAP: {
    message: (gap: bigint, most: number) =>
      `the write begins ${gap} bytes behind the end of the file, more than ${most} (plugins.mfs.maxGap)`
  },
  E_MFS_FILE_DEPTH: { message: (most: number) => `the file is more than ${most} nodes deep` },
  E_MFS_FILE_SHAPE: {
    message: (has?: number, share?: number) =>
      `the node does not say how large each of its children is${has === undefined ? '' : `: one has ${has} bytes, and not ${share}`}`
  },
  E_MFS_FILE_SIZE: {
    message: (size: string, parts?: number) =>
      `the file says that it has ${size} bytes${parts === undefined ? '' : `, and its parts have ${parts}`}`
  },
  E_MFS_FILE_INNER: {
    message: () => 'a node below the first of the file has bytes of its own before its parts: it can be read and replaced, not written into'
  },
  E_MFS_FILE_TSIZE: { message: (size: number) => `the links of the file say that there are ${size} bytes below them` },
  E_MFS_FILE_CHANGED: { message: (path: string) => `${path} became another file while it was written; nothing was written, try again` },
  E_MFS_SHARD_DEPTH: { message: () => 'sharded directory too deep' },
  E_MFS_LISTING: { message: (most: number) => `the listing takes more than ${most} bytes (plugins.mfs.maxListing)` },
  E_MFS_HASH: { message: (name: string) => `unrecognized hash function: ${name}` },
  E_MFS_CID_VERSION: { message: (version: number) => `unknown CID version: ${version}` },
  E_MFS_JOURNAL: { message: (key: string, why: string) => `the record ${key} of the mutable tree's journal cannot be read: ${why}` },
  E_MFS_LOST: {
    message: (cid: string) => `the disk lost the block ${cid}, which the tree would keep: add it again, or remove what needs it`
  },
  E_MFS_REPLACED: { message: () => 'the tree was replaced by another one meanwhile; try again' },
  E_MFS_TREE_NAME: { message: (name: string) => `'${name}' is no name of a tree: 1 to 128 letters, digits, _ and -` },
  E_TO_FILES: { message: (why: string) => `to-files: ${why}` }
})
