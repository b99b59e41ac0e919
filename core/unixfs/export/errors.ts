import { defineErrors } from '../../errors.ts'

/** Errors of a file or directory that is read. */
export const unixfsErrors = defineErrors({
  E_IS_DIRECTORY: { message: () => 'this dag node is a directory' },
  E_NOT_UNIXFS: { message: () => 'unknown node type' },
  E_NOT_PROTOBUF: { message: () => 'expected protobuf dag node' },
  E_NOT_A_DIRECTORY: { message: () => 'not a directory' },
  E_PROTOBUF: { message: (why: string) => why },
  E_UNIXFS_TYPE: { message: () => 'unrecognized node type' },
  E_UNIXFS_METADATA: { message: () => 'incorrectly formatted metadata object' },
  E_UNIXFS_SYMLINK: { message: () => 'cannot currently read symlinks' },
  E_UNIXFS_LEAF: { message: (type: string) => `found ${type} node in unexpected place` },
  E_UNIXFS_LEAF_DATA: { message: (why: string) => `incorrectly formatted protobuf: ${why}` },
  E_UNIXFS_SEEK: { message: () => 'file does not support seeking' },
  E_UNIXFS_INNER: { message: () => 'expected a ProtoNode as internal node' },
  E_UNIXFS_TOO_DEEP: {
    message: (most: number) => `the graph is nested so deeply that following it takes more than ${most} bytes of memory`
  },
  E_UNIXFS_HOLLOW: { message: (most: number) => `more than ${most} blocks of the file in a row are without content` },
  E_HAMT_HOLLOW: { message: (most: number) => `more than ${most} shards of the folder in a row are without entries` },
  E_NODES_MISSING: { message: () => 'failed to fetch all nodes' },
  E_HAMT_TYPE: { message: () => 'node was not a dir shard' },
  E_HAMT_HASH: { message: () => 'only murmur3 supported as hash function' },
  E_HAMT_FANOUT: { message: () => 'hamt size should be a power of two' },
  E_HAMT_BITFIELD: { message: (fanout: number) => `bitfield size must be a multiple of 8; got ${fanout}` },
  E_HAMT_WIDTH: { message: (width: number, most: number) => `hamt witdh (${BigInt(width)}) exceed maximum allowed (${most})` },
  E_HAMT_LINK: { message: (name: string) => `invalid link name '${name}'` },
  E_TAR_OUTSIDE: { message: () => 'relative UnixFS paths outside the root are now allowed, use CAR instead' },
  E_TAR_TOO_LONG: { message: () => 'archive/tar: write too long' },
  E_TAR_TOO_SHORT: { message: (missing: bigint) => `archive/tar: missed writing ${missing} bytes` },
  E_TAR_HEADER: { message: () => 'archive/tar: invalid tar header' },
  E_TAR_PATH: { message: (most: number) => `an entry of the archive has a path of more than ${most} characters` },
  E_TAR_SIZE: { message: (name: string, size: bigint) => `${name} declares ${size} bytes, which no tar entry can have` }
})
