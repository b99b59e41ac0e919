import type { CID } from 'multiformats/cid'
import type { Body, BodyPart } from '../../contract/body.ts'
import { type Token, token } from '../../token.ts'
import type { Metadata } from '../../unixfs/metadata.ts'
import type { BlockOptions } from '../storage/blocks.ts'

/** The description of a UnixFS node, as its first block has it. */
export interface UnixFsStat extends Metadata {
  readonly cid: CID
  readonly type: 'file' | 'directory' | 'symlink'
  /** Bytes of a file as it declares them, or of a symlink's target; 0 for a directory. */
  readonly size: bigint
  readonly target?: string
}

/** An entry of a directory. */
export interface DirectoryEntry {
  readonly name: string
  readonly cid: CID
  /** Tsize of the link. */
  readonly size: bigint
}

/** A link of a node, and what it leads to. */
export interface DescribedLink extends Metadata {
  readonly name: string
  readonly cid: CID
  /** `unknown`: not looked at, or nothing that UnixFS knows. */
  readonly type: 'file' | 'directory' | 'symlink' | 'unknown'
  /** Bytes of a file or of a symlink's target, Tsize for a raw block; 0 otherwise. */
  readonly size: number | bigint
  /** Where a symlink leads; `''` otherwise. */
  readonly target: string
}

/** Which bytes of a file: `length` of them from `offset`, both counted in bytes. Default: all from the first. */
export interface ByteRange {
  readonly offset?: bigint
  readonly length?: bigint
}

/** A node that can be read as bytes: a file, or the target of a symlink. */
export interface OpenFile extends Metadata {
  readonly type: 'file' | 'symlink'
  readonly cid: CID
  /** The size that it declares, as a signed number of 64 bits. Reading ends where the content does. */
  readonly size: bigint
  /** Finds the place first, and throws what is wrong on the way there. Blocks ahead load while one is looked at. */
  read(range?: ByteRange): Promise<AsyncIterable<Uint8Array>>
}

/** A directory that was looked at. Its entries are read by `list`. */
export interface OpenDirectory extends Metadata {
  readonly type: 'directory'
  readonly cid: CID
  /** Cumulative size of its DAG, as its links tell. */
  readonly size: bigint
}

/** A node that was looked at, with the options it was opened with. */
export type OpenNode = (OpenFile | OpenDirectory) & {
  /** It, and everything below it, as a tar archive whose root entry is called `name`. */
  archive(name: string): AsyncIterable<Uint8Array>
}

/** How an upload becomes blocks. */
export interface ImportOptions {
  /** The chunker as `add` takes it: `size-262144`, `rabin-MIN-AVG-MAX`, `buzhash`. It is looked at with the first file. */
  readonly chunker: string
  /** Bytes that a chunk may have. Default 1 MiB, as Kubo 0.28. */
  readonly maxChunk?: number | undefined
  readonly layout: 'balanced' | 'trickle'
  readonly rawLeaves: boolean
  /** 0 goes with sha2-256 alone. */
  readonly cidVersion: 0 | 1
  /** Multihash code. */
  readonly hash: number
  /** Blocks up to this size, in bytes, become identity CIDs. undefined: none do. */
  readonly inlineUpTo?: number | undefined
  /** Put everything into one folder without a name. */
  readonly wrap: boolean
  /** Note where files lie (`absPath` of their parts) instead of storing their bytes; only with raw leaves. */
  readonly nocopy?: boolean | undefined
  /** Links of a file's node at most. Default: as many as Kubo 0.28, 174. */
  readonly maxFileLinks?: number | undefined
  /** Entries of a directory that is not sharded at most. Default, and 0 and less: no limit. */
  readonly maxDirectoryLinks?: number | undefined
  /** Slots of a shard: a power of two from 8 to 1024. Default 256. */
  readonly fanout?: number | undefined
  /** Keep directories without entries, below those at the top. Default true. */
  readonly emptyDirectories?: boolean | undefined
  /** Metadata of all nodes; only without raw leaves. Symlinks have no mode. */
  readonly metadata?: Metadata | undefined
  /** Metadata that nodes take from their parts where {@link metadata} does not say it. */
  readonly preserve?: { readonly mode?: boolean | undefined; readonly mtime?: boolean | undefined } | undefined
  /** Tell of {@link ImportProgress}. Default true. */
  readonly progress?: boolean | undefined
  /** Name the blocks, store nothing. */
  readonly onlyHash?: boolean | undefined
  readonly signal?: AbortSignal | undefined
}

/** The kind and metadata that the part of the entry at the top told, also where nothing of that is stored; absent where everything is put into one folder. */
export interface Told extends Metadata {
  readonly kind: BodyPart['kind']
}

/** A node that was made. */
export interface ImportedNode {
  readonly type: BodyPart['kind']
  /** Its path in the upload, without a slash at the start; a file that was sent without a name goes by its CID. */
  readonly name: string
  readonly cid: CID
  /** Cumulative size of its blocks, in bytes. */
  readonly size: number
  /** The name that an entry at the top was sent with. Its blocks, and all below it, are stored. */
  readonly top?: string
  readonly told?: Told
}

/** The bytes of a file that were read: told every 256 KiB, and whenever the reference meets its end. */
export interface ImportProgress {
  readonly type: 'progress'
  readonly name: string
  readonly bytes: number
  readonly told?: Told
}

/** The progress of an import. */
export type ImportEvent = ImportedNode | ImportProgress

/** Files and directories over blocks. The import half takes what `add` takes; the export half reads with ranges at constant memory. */
export interface UnixFs {
  /**
   * Loads a node's first block and says what it is.
   *
   * @throws E_NOT_UNIXFS for a codec that has no files, E_PROTOBUF and its kin for a broken node
   */
  open(cid: CID, options?: BlockOptions): Promise<OpenNode>
  /** The type and size of a node, of its first block alone. @throws what `open` does */
  stat(cid: CID, options?: BlockOptions): Promise<UnixFsStat>
  /** Bytes of a file (of a symlink: its target). */
  read(cid: CID, options?: BlockOptions & ByteRange): AsyncIterable<Uint8Array>
  /** Entries of a directory, in stored order, HAMT shards flattened. */
  list(cid: CID, options?: BlockOptions): AsyncIterable<DirectoryEntry>
  /**
   * Entries of a directory as `list`, the links of anything else as they are, in batches. With `resolve`, each child is loaded to say
   * what it is.
   */
  links(cid: CID, options?: BlockOptions & { resolve?: boolean }): AsyncIterable<readonly DescribedLink[]>
  /**
   * Makes files, symlinks and directories out of an upload. Files and symlinks are told as they are done, the directories of an entry at
   * the top when it ends, each after those in it.
   *
   * @throws E_UPLOAD_EMPTY, E_ENTRY_EXISTS, E_CHUNKER_… and its kin, and what makes a CID impossible
   */
  import(body: Body, options: ImportOptions): AsyncIterable<ImportEvent>
}
export const UnixFs: Token<UnixFs> = token<UnixFs>('unixfs')
