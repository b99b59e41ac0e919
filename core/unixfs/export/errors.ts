import type { Size } from '../../dag/node-links.ts'
import { defineErrors, hasCode } from '../../errors.ts'
import { goQuote } from '../../go/quote.ts'

/** A name as errors tell it: one can be as long as its block. */
const short = (name: string) => (name.length > MOST_NAME ? `${name.slice(0, MOST_NAME)}...` : name)
const MOST_NAME = 255

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
  E_UNIXFS_SIZES: {
    message: (cid: string, links: number, sizes: number) =>
      `the node ${cid} of the file has ${links} parts, and says of ${sizes} how large they are`
  },
  E_UNIXFS_SIZE: {
    message: (cid: string, said: Size, has: Size) =>
      `the node ${cid} of the file says that it has ${said} bytes, and that its parts have ${has}`
  },
  E_UNIXFS_PART: {
    message: (cid: string, has: Size, said: Size) => `the node ${cid} of the file has ${has} bytes, and ${said} by the node above it`
  },
  E_UNIXFS_TOO_DEEP: {
    message: (most: number) => `the graph is nested so deeply that following it takes more than ${most} bytes of memory`
  },
  E_UNIXFS_HOLLOW: { message: (most: number) => `the file has more than ${most} blocks without content, and fewer bytes than those` },
  E_NODES_MISSING: { message: () => 'failed to fetch all nodes' },
  E_HAMT_TYPE: { message: () => 'node was not a dir shard' },
  E_HAMT_HASH: { message: () => 'only murmur3 supported as hash function' },
  E_HAMT_FANOUT: { message: () => 'hamt size should be a power of two' },
  E_HAMT_BITFIELD: { message: (fanout: number) => `bitfield size must be a multiple of 8; got ${fanout}` },
  E_HAMT_WIDTH: { message: (width: number, most: number) => `hamt witdh (${BigInt(width)}) exceed maximum allowed (${most})` },
  E_HAMT_SLOTS: {
    message: (cid: string, links: number, slots: number) => `the shard ${cid} has ${links} links, and ${slots} by its bit field`
  },
  E_HAMT_LABEL: {
    message: (cid: string, link: string, label: string) => `the link '${short(link)}' of the shard ${cid} stands in slot ${label}`
  },
  E_HAMT_PLACE: {
    message: (name: string, cid: string) => `the entry '${short(name)}' stands in the shard ${cid}, where its hash does not lead`
  },
  E_HAMT_EMPTY: { message: (cid: string) => `the shard ${cid} below another one has no entries` },
  E_HAMT_DEPTH: { message: (cid: string, bits: number) => `the shard ${cid} stands deeper than the ${bits} bits of a hash lead` },
  E_HAMT_LINK: { message: (name: string) => `invalid link name '${name}'` },
  E_TAR_OUTSIDE: { message: () => 'relative UnixFS paths outside the root are now allowed, use CAR instead' },
  E_TAR_NAME: {
    message: (name: string) => `an entry of the folder is called ${goQuote(short(name))}, which is no name of a file: read it by its CID`
  },
  E_TAR_TWICE: { message: (name: string) => `the folder has a symlink ${goQuote(short(name))}, and another entry of that name` },
  E_TAR_HEADER: {
    message: (path: string, of: string) =>
      `archive/tar: invalid tar header: there is a NUL in the ${of} of ${JSON.stringify(path)}, which no archive can hold`
  },
  E_TAR_PATH: { message: (most: number) => `an entry of the archive has a path of more than ${most} characters` },
  E_TAR_SIZE: { message: (name: string, size: bigint) => `${name} declares ${size} bytes, which no tar entry can have` }
})

/** Whether a file or a shard is refused as it contradicts itself: it is one of UnixFS nonetheless. */
export function isContradiction(error: unknown): boolean {
  return ['E_UNIXFS_SIZES', 'E_UNIXFS_SIZE', 'E_UNIXFS_PART', 'E_HAMT_SLOTS'].some(code => hasCode(error, code))
}
