import type { CID } from 'multiformats/cid'
import { DAG_PB, RAW } from '../../cid/codes.ts'
import { copyOfCid } from '../../cid/parse.ts'
import { type NodeLinks, nodeOfLinks, type Size } from '../../dag/node-links.ts'
import { openPb } from '../../dag/pb.ts'
import type { BlockSource, Branch } from '../../dag/walk/branch.ts'
import type { Codec } from '../../services/content/dag.ts'
import type { BlockOptions } from '../../services/storage/blocks.ts'
import type { Metadata } from '../metadata.ts'
import { UnixFsType } from '../types.ts'
import { decodeUnixFs, type UnixFsData } from './data.ts'
import { unixfsErrors } from './errors.ts'
import { readShard, type Shard } from './hamt.ts'
import type { ReadLimits } from './limits.ts'

/** Codecs by their code, such as the `Dag` service. */
export interface Codecs {
  /** @throws E_NO_DECODER */
  codec(code: number): Codec
}

/** Metadata in archives of nodes that have none themselves. Default: as Kubo 0.28. */
export interface ArchiveDefaults {
  readonly directoryMode?: number
  /** Whether symlinks without a time have the present one, as all else. */
  readonly timeOfLinks?: boolean
}

/** The sources and limits that reading needs. */
export interface Sources {
  readonly blocks: BlockSource
  readonly codecs: Codecs
  readonly limits?: ReadLimits
  readonly archive?: ArchiveDefaults | undefined
}

/** A block with its links, if its codec has any. Only dag-pb nodes have `data`. */
export interface LoadedBlock {
  readonly cid: CID
  readonly bytes: Uint8Array
  readonly kind: 'raw' | 'dag-pb' | 'other'
  readonly node: NodeLinks
}

const NO_LINKS = nodeOfLinks([])

/**
 * Reads a block as its codec says, all of it: what is broken is found here.
 *
 * @throws E_NO_DECODER, and the codec's own errors
 */
export function decodeBlock(cid: CID, bytes: Uint8Array, codecs: Codecs): LoadedBlock {
  if (cid.code === RAW) return { cid, bytes, kind: 'raw', node: NO_LINKS }
  if (cid.code === DAG_PB) return { cid, bytes, kind: 'dag-pb', node: openPb(bytes) }
  const codec = codecs.codec(cid.code)
  codec.decode(bytes)
  return { cid, bytes, kind: 'other', node: nodeOfLinks(codec.links(bytes)) }
}

/** A node on the way of a walk, which can be closed and opened again. */
export abstract class LoadedBranch implements Branch {
  readonly length: number
  readonly held: number
  readonly block: CID
  readonly #codecs: Codecs
  #loaded: LoadedBlock | undefined

  /** @param more - memory that it takes beside the block and its links, in bytes */
  constructor(loaded: LoadedBlock, codecs: Codecs, more = 0) {
    const { cid, bytes, node } = loaded
    this.length = node.length
    this.held = bytes.length + node.held + more
    this.block = copyOfCid(cid)
    this.#codecs = codecs
    this.#loaded = loaded
  }

  abstract load(index: number): CID | undefined

  get node(): NodeLinks {
    return this.#loaded!.node
  }

  close(): void {
    this.#loaded = undefined
  }

  reopen(bytes: Uint8Array): void {
    this.#loaded = decodeBlock(this.block, bytes, this.#codecs)
  }
}

interface Common extends Metadata {
  readonly cid: CID
  /** The size Kubo gives it, as a signed 64-bit number: of a file what it declares, of a directory its DAG's cumulative size. */
  readonly size: bigint
}

export interface FileNode extends Common {
  readonly type: 'file'
  /** The block the content starts at; not that of `cid` for UnixFS metadata. */
  readonly root: LoadedBlock
}
export interface SymlinkNode extends Common {
  readonly type: 'symlink'
  readonly target: Uint8Array
}
export interface DirectoryNode extends Common {
  readonly type: 'directory'
  readonly root: LoadedBlock
  /** The shard; set where the directory is sharded. */
  readonly shard: Shard | undefined
}
export type UnixFsNode = FileNode | SymlinkNode | DirectoryNode

/**
 * The UnixFS node of a block. Loads nothing, but for metadata the node it is about.
 *
 * @throws E_NOT_UNIXFS for codecs without files, E_PROTOBUF, E_UNIXFS_*, E_HAMT_*, E_IS_DIRECTORY (metadata of a directory)
 */
export function openLoaded(loaded: LoadedBlock, sources: Sources, options?: BlockOptions): UnixFsNode | Promise<UnixFsNode> {
  const { cid, bytes, kind, node } = loaded
  if (kind === 'raw') return { type: 'file', cid, size: BigInt(bytes.length), root: loaded }
  if (kind === 'other') throw unixfsErrors.E_NOT_UNIXFS()
  const unixfs = decodeUnixFs(node.data)
  const metadata = { mode: unixfs.mode, mtime: unixfs.mtime }
  switch (unixfs.type) {
    case UnixFsType.Directory:
      return { type: 'directory', cid, size: cumulativeSize(loaded), root: loaded, shard: undefined, ...metadata }
    case UnixFsType.HAMTShard:
      return { type: 'directory', cid, size: cumulativeSize(loaded), root: loaded, shard: readShard(unixfs), ...metadata }
    case UnixFsType.Symlink: {
      const target = unixfs.data ?? new Uint8Array(0)
      return { type: 'symlink', cid, size: BigInt(target.length), target, ...metadata }
    }
    case UnixFsType.Metadata:
      return openDescribed(loaded, sources, options)
  }
  return fileOf(cid, loaded, unixfs)
}

function fileOf(cid: CID, root: LoadedBlock, { type, fileSize, mode, mtime }: UnixFsData): FileNode {
  if (type !== UnixFsType.File && type !== UnixFsType.Raw) throw unixfsErrors.E_UNIXFS_TYPE()
  return { type: 'file', cid, size: BigInt.asIntN(64, BigInt(fileSize)), root, mode, mtime }
}

/** The file that UnixFS metadata is about: the first link, as often as that is metadata again. */
async function openDescribed({ cid, node }: LoadedBlock, { blocks, codecs }: Sources, options?: BlockOptions): Promise<FileNode> {
  for (let links = node; ; ) {
    options?.signal?.throwIfAborted()
    if (links.length === 0) throw unixfsErrors.E_UNIXFS_METADATA()
    const next = links.cid(0)
    const child = decodeBlock(next, await blocks.get(next, options), codecs)
    if (child.kind !== 'dag-pb') throw unixfsErrors.E_NOT_PROTOBUF()
    const unixfs = decodeUnixFs(child.node.data)
    if (unixfs.type === UnixFsType.Directory || unixfs.type === UnixFsType.HAMTShard) throw unixfsErrors.E_IS_DIRECTORY()
    if (unixfs.type === UnixFsType.Symlink) throw unixfsErrors.E_UNIXFS_SYMLINK()
    if (unixfs.type !== UnixFsType.Metadata) return fileOf(cid, child, unixfs)
    links = child.node
  }
}

/** The block's own length and the Tsizes of its links: what the DAG takes, as far as it tells. */
export function cumulativeSize({ bytes, node }: LoadedBlock): bigint {
  let exact = BigInt(bytes.length)
  let sum = 0
  for (let i = 0; i < node.length; i++) {
    const size: Size = node.size(i)
    if (typeof size === 'bigint') exact += size
    else if (sum + size <= Number.MAX_SAFE_INTEGER) sum += size
    else exact += BigInt(size)
  }
  return BigInt.asIntN(64, exact + BigInt(sum))
}

/** Loads a block and says what it is to UnixFS, at once where the block is at hand. @throws what {@link openLoaded} does */
export function openNode(cid: CID, sources: Sources, options?: BlockOptions): UnixFsNode | Promise<UnixFsNode> {
  const bytes = sources.blocks.atHand?.(cid, options)
  return bytes === undefined ? loadNode(cid, sources, options) : openLoaded(decodeBlock(cid, bytes, sources.codecs), sources, options)
}

async function loadNode(cid: CID, sources: Sources, options?: BlockOptions): Promise<UnixFsNode> {
  return openLoaded(decodeBlock(cid, await sources.blocks.get(cid, options), sources.codecs), sources, options)
}
