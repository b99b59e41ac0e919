import type { CID } from 'multiformats/cid'
import { DAG_PB, RAW } from '../../cid/codes.ts'
import { cidToString, copyOfCid } from '../../cid/parse.ts'
import { addSizes, type NodeLinks, nodeOfLinks, type Size } from '../../dag/node-links.ts'
import { openPb } from '../../dag/pb.ts'
import type { BlockSource, Branch } from '../../dag/walk/branch.ts'
import { messageOf } from '../../errors.ts'
import type { Codec } from '../../services/content/dag.ts'
import type { BlockOptions } from '../../services/storage/blocks.ts'
import { turnBefore } from '../../turns.ts'
import type { Metadata } from '../metadata.ts'
import { typeNames, UnixFsType } from '../types.ts'
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
  return { cid, bytes, kind: 'other', node: nodeOfLinks(codecs.codec(cid.code).links(bytes)) }
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

/** What a node of a file is made of: bytes of its own, then those of its children. */
export interface FileParts {
  readonly own: Uint8Array
  /** How many bytes each child has. */
  readonly sizes: readonly Size[]
  /** Of all of it, in bytes. */
  readonly size: Size
}

export interface FileNode extends Common {
  readonly type: 'file'
  /** What its root is made of. */
  readonly parts: FileParts
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
  const { cid, kind, node } = loaded
  if (kind === 'raw') return fileOf(cid, loaded)
  if (kind === 'other') throw unixfsErrors.E_NOT_UNIXFS()
  const unixfs = decodeUnixFs(node.data)
  const metadata = { mode: unixfs.mode, mtime: unixfs.mtime }
  switch (unixfs.type) {
    case UnixFsType.Directory:
      return { type: 'directory', cid, size: cumulativeSize(loaded), root: loaded, shard: undefined, ...metadata }
    case UnixFsType.HAMTShard:
      return { type: 'directory', cid, size: cumulativeSize(loaded), root: loaded, shard: readShard(unixfs, node, cid), ...metadata }
    case UnixFsType.Symlink: {
      const target = unixfs.data ?? new Uint8Array(0)
      return { type: 'symlink', cid, size: BigInt(target.length), target, ...metadata }
    }
    case UnixFsType.Metadata:
      return openDescribed(loaded, sources, options)
  }
  if (unixfs.type !== UnixFsType.File && unixfs.type !== UnixFsType.Raw) throw unixfsErrors.E_UNIXFS_TYPE()
  return fileOf(cid, loaded, unixfs)
}

function fileOf(cid: CID, root: LoadedBlock, unixfs?: UnixFsData): FileNode {
  const parts = partsOfFile(root, { unixfs })
  return { type: 'file', cid, size: BigInt.asIntN(64, BigInt(parts.size)), root, parts, mode: unixfs?.mode, mtime: unixfs?.mtime }
}

const NO_SIZES: readonly Size[] = []

/**
 * What a node of a file is made of, as it says. Every way of reading goes by it, and so refuses a node that contradicts itself, its block or the
 * node above it: all that is read of a file is at the place where everybody finds it. (UnixFS specification, `blocksizes` and `filesize`)
 *
 * @param about - its message, where it was read already, and the bytes that the node above says that it has
 * @throws E_UNIXFS_TYPE, E_UNIXFS_LEAF, E_UNIXFS_LEAF_DATA for what is no part of a file; E_UNIXFS_SIZES, E_UNIXFS_SIZE, E_UNIXFS_PART for lies
 */
export function partsOfFile(
  loaded: LoadedBlock,
  { unixfs, expected }: { unixfs?: UnixFsData | undefined; expected?: Size | undefined } = {}
): FileParts {
  const { cid, kind, bytes, node } = loaded
  if (kind === 'other') throw unixfsErrors.E_UNIXFS_TYPE()
  const parts =
    kind === 'raw' ? { own: bytes, sizes: NO_SIZES, size: bytes.length } : partsSaid(cid, node.length, unixfs ?? fileMessage(node.data))
  if (expected !== undefined && parts.size !== expected) throw unixfsErrors.E_UNIXFS_PART(cidToString(cid), parts.size, expected)
  return parts
}

function partsSaid(cid: CID, links: number, unixfs: UnixFsData): FileParts {
  const { data: own = NO_BYTES, fileSize, children } = unixfs
  if (children !== links) throw unixfsErrors.E_UNIXFS_SIZES(cidToString(cid), links, children)
  const sizes = children === 0 ? NO_SIZES : unixfs.exactBlockSizes()
  const size = sizes.reduce(addSizes, own.length)
  if (fileSize !== undefined && fileSize !== size) throw unixfsErrors.E_UNIXFS_SIZE(cidToString(cid), fileSize, size)
  return { own, sizes, size }
}

function fileMessage(data: Uint8Array | undefined): UnixFsData {
  let unixfs: UnixFsData
  try {
    unixfs = decodeUnixFs(data)
  } catch (error) {
    throw unixfsErrors.E_UNIXFS_LEAF_DATA(messageOf(error))
  }
  const { type } = unixfs
  if (type !== UnixFsType.File && type !== UnixFsType.Raw) throw unixfsErrors.E_UNIXFS_LEAF(typeNames[type] ?? String(type))
  return unixfs
}

const NO_BYTES = new Uint8Array(0)

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
    if (unixfs.type === UnixFsType.File || unixfs.type === UnixFsType.Raw) return fileOf(cid, child, unixfs)
    if (unixfs.type !== UnixFsType.Metadata) throw unixfsErrors.E_UNIXFS_TYPE()
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
  if (bytes === undefined) return loadNode(cid, sources, options)
  const open = () => openLoaded(decodeBlock(cid, bytes, sources.codecs), sources, options)
  const turn = turnBefore(cid.code, bytes, options?.signal)
  return turn === undefined ? open() : turn.then(open)
}

async function loadNode(cid: CID, sources: Sources, options?: BlockOptions): Promise<UnixFsNode> {
  const bytes = await sources.blocks.get(cid, options)
  await turnBefore(cid.code, bytes, options?.signal)
  return openLoaded(decodeBlock(cid, bytes, sources.codecs), sources, options)
}
