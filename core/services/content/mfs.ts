import type { CID } from 'multiformats/cid'
import type { CidPrefix } from '../../cid/sum.ts'
import { type Token, token } from '../../token.ts'
import type { Metadata } from '../../unixfs/metadata.ts'
import type { BlockOptions } from '../storage/blocks.ts'
import type { ByteRange } from './unixfs.ts'

/** All of the CID of a file's or directory's node but the codec and the digest. */
export type NodeNaming = Omit<CidPrefix, 'codec'>

/** A node of the mutable tree. */
export interface MfsNode {
  readonly cid: CID
  readonly type: 'file' | 'directory'
  /** Bytes of a file or of a symlink's target; 0 for a directory. */
  readonly size: bigint
}

/** An entry of a directory of the mutable tree. `node` only where it was asked for. */
export interface MfsEntry {
  readonly name: string
  /** Whether it is the file that was asked for itself, and no entry of a directory. */
  readonly isSelf?: true
  readonly node?: MfsNode
}

/** How a change of the mutable tree is made. */
export interface MfsOptions extends BlockOptions {
  /**
   * Whether the change, and all before it, survives the death of the process and power loss once the call resolves. Default true. Otherwise it
   * is seen by all later calls, and is kept with the next change that is flushed.
   */
  flush?: boolean
}

/** How directories and files are made. */
export interface MfsMakeOptions extends MfsOptions {
  /** Whether the directories on the way there are made. */
  parents?: boolean | undefined
  /** Whether a copy takes the place of a file that is there. */
  force?: boolean | undefined
  /** Whether a copy refuses what is no file and no directory. */
  onlyUnixFs?: boolean | undefined
  /** CIDs of what is made. Default: as those of the directory it is made in. */
  naming?: NodeNaming | undefined
}

/** How a file is written. */
export interface MfsWriteOptions extends MfsMakeOptions {
  /** Where to begin, in bytes. Zeros fill what lies between the end of the file and there. */
  offset?: bigint
  /** Whether the file is made where there is none. */
  create?: boolean | undefined
  /** Whether the file is made empty first. */
  truncate?: boolean | undefined
  /** Most bytes to take. */
  count?: bigint | undefined
  /** Whether new leaves are raw blocks. Default: as before, else where the file's CID has version 1. */
  rawLeaves?: boolean | undefined
}

/**
 * The mutable tree: directories and files under paths such as `/site/index.html`. Writers of different files do not wait for each other; a
 * reader sees a file as it was when it began. Paths are absolute, and cleaned as a Unix path.
 *
 * @throws E_MFS_PATH_EMPTY, E_MFS_PATH_RELATIVE, E_MFS_MISSING, E_MFS_FILE_ON_PATH, and what loading a block throws
 */
export interface Mfs {
  /** The node at a path, its blocks stored. `/ipfs/…` is a path of the tree here as any other. */
  stat(path: string, options?: BlockOptions): Promise<MfsNode>
  /** Entries of a directory in the order of its links, or a file itself. With `long`, each with its node. */
  list(path: string, options?: BlockOptions & { long?: boolean }): AsyncIterable<MfsEntry>
  /** Bytes of a file. @throws E_MFS_NOT_A_FILE, E_MFS_READ_OFFSET, E_MFS_READ_PAST_END, E_MFS_READ_COUNT */
  read(path: string, options?: BlockOptions & ByteRange): Promise<AsyncIterable<Uint8Array>>
  /** Makes a directory. @throws E_MFS_EXISTS */
  mkdir(path: string, options?: MfsMakeOptions): Promise<void>
  /** Writes into a file. Where it fails the file stays as it was. @throws E_MFS_NOT_A_FILE, E_MFS_WRITE_OFFSET, E_MFS_WRITE_COUNT, E_MFS_GAP */
  write(path: string, bytes: AsyncIterable<Uint8Array>, options?: MfsWriteOptions): Promise<void>
  /** Puts at `to` what lies at `from`, a path of the tree or `/ipfs/…`; of that the first block alone is fetched. @throws E_MFS_EXISTS */
  copy(from: string, to: string, options?: MfsMakeOptions): Promise<void>
  /** @throws E_MFS_EXISTS */
  move(from: string, to: string, options?: MfsOptions): Promise<void>
  /** @throws E_MFS_ROOT, E_MFS_RECURSIVE */
  remove(path: string, options?: MfsOptions & { recursive?: boolean | undefined; force?: boolean | undefined }): Promise<void>
  /** Keeps a path and all else that changed; see {@link MfsOptions}. @returns the CID of the path */
  flush(path: string, options?: BlockOptions): Promise<CID>
  /** Changes how the CID of a directory is made, and those of what is made in it from now on. @throws E_MFS_ONLY_DIRECTORIES */
  rename(path: string, naming: NodeNaming | undefined, options?: MfsOptions): Promise<void>
  /**
   * Changes what the node at a path says of the file that it was: what the change has in it takes the place of what is there, `undefined` takes
   * it away. Resolves when it survives power loss.
   *
   * @throws E_MFS_MISSING, E_MFS_SYMLINK
   */
  describe(path: string, change: Metadata, options?: BlockOptions): Promise<void>
  /**
   * Makes a directory the whole tree, in place of the one that was. A change that is under way fails. Resolves when it survives power loss.
   *
   * @throws E_MFS_NOT_DIRECTORY
   */
  restore(root: CID, options?: BlockOptions): Promise<void>
  /**
   * Puts a node at a path, as `add --to-files` does: into an existing directory under the last part of `name` where the path ends in a slash.
   * Its errors say what is wrong with the path.
   *
   * @throws E_TO_FILES
   */
  link(path: string, name: string, cid: CID, options?: BlockOptions & { first?: boolean }): Promise<void>
}
export const Mfs: Token<Mfs> = token<Mfs>('mfs')

/** Mutable trees besides that of `files/*`, for plugins that keep one of their own. What is in them is kept in the same way. */
export interface MfsTrees {
  /**
   * The tree of a name, which is empty where nobody has changed it. Each call answers the same one.
   *
   * @param name - 1 to 128 letters, digits, `_` and `-`
   * @throws E_MFS_TREE_NAME
   */
  open(name: string): Mfs
}
export const MfsTrees: Token<MfsTrees> = token<MfsTrees>('mfs-trees')
