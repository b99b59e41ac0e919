import type { CID } from 'multiformats/cid'
import { DAG_PB, RAW } from '../../../core/cid/codes.ts'
import type { NodeNaming } from '../../../core/index.ts'
import { decodeUnixFs } from '../../../core/unixfs/export/data.ts'
import type { LoadedBlock } from '../../../core/unixfs/export/node.ts'
import { encodeNode } from '../../../core/unixfs/import/encode.ts'
import { type Metadata, metadataOf } from '../../../core/unixfs/metadata.ts'
import { UnixFsType } from '../../../core/unixfs/types.ts'
import { mfsErrors } from '../errors.ts'
import { namingOfCid } from '../naming.ts'

/** A link of a file's node. */
export interface Child {
  cid: CID
  /** Tsize. */
  size: number
  /** Bytes of the file below it. */
  share: number
  /** The node, where it is in memory: then it, and not `cid`, says what is there. */
  node?: FileNode | undefined
}

const NOTHING = new Uint8Array(0)

/** A node of a file, as it can be changed. */
export class FileNode {
  readonly naming: NodeNaming
  codec: typeof RAW | typeof DAG_PB
  type: number
  /** Content of a leaf; an inner node may have some too, which comes before that of its children. */
  data: Uint8Array | undefined
  children: Child[]
  /** Bytes that it said that it has, where it was loaded; 0: it did not say. */
  #declared = 0
  /** Metadata of the file that it was; a raw block has none. */
  metadata: Metadata = {}

  constructor(
    naming: NodeNaming,
    { codec = DAG_PB, type, data, children = [] }: Partial<Pick<FileNode, 'codec' | 'data' | 'children'>> & { type: number }
  ) {
    this.naming = naming
    this.codec = codec
    this.type = type
    this.data = data
    this.children = children
  }

  /** @throws E_MFS_SYMLINK, E_MFS_CODEC, E_MFS_FILE_SHAPE, E_MFS_FILE_SIZE, E_PROTOBUF */
  static from({ cid, kind, bytes, node }: LoadedBlock): FileNode {
    const naming = namingOfCid(cid)
    if (kind === 'raw') return new FileNode(naming, { codec: RAW, type: UnixFsType.Raw, data: bytes })
    if (kind !== 'dag-pb') throw mfsErrors.E_MFS_CODEC()
    const unixfs = decodeUnixFs(node.data)
    const { type, data, fileSize = 0 } = unixfs
    if (type === UnixFsType.Symlink) throw mfsErrors.E_MFS_SYMLINK()
    if (type !== UnixFsType.File && type !== UnixFsType.Raw) throw mfsErrors.E_MFS_CHILD()
    if (!Number.isSafeInteger(Number(fileSize))) throw mfsErrors.E_MFS_FILE_SIZE(String(fileSize))
    const shares = unixfs.blockSizes()
    if (shares.length !== node.length) throw mfsErrors.E_MFS_FILE_SHAPE()
    const children = shares.map((share, i) => ({ cid: node.cid(i), size: Number(node.size(i)), share }))
    const file = new FileNode(naming, { type, data, children })
    file.#declared = Number(fileSize)
    file.metadata = metadataOf(unixfs)
    return file
  }

  /**
   * Refuses what cannot be changed without changing what it says of all else; for a node as it was loaded.
   *
   * @param share - bytes that the node above says that it has
   * @throws E_MFS_FILE_SIZE, E_MFS_FILE_SHAPE, E_MFS_FILE_TSIZE, E_MFS_FILE_INNER
   */
  check(share?: number): void {
    const { fileSize } = this
    if (!Number.isSafeInteger(fileSize)) throw mfsErrors.E_MFS_FILE_SIZE(String(BigInt(fileSize)))
    if (this.#declared !== 0 && this.#declared !== fileSize) throw mfsErrors.E_MFS_FILE_SIZE(String(this.#declared), fileSize)
    if (share !== undefined && share !== fileSize) throw mfsErrors.E_MFS_FILE_SHAPE(fileSize, share)
    if (share !== undefined && this.hasOwnBytes && !this.isLeaf) throw mfsErrors.E_MFS_FILE_INNER()
    const below = this.sizeOf(NOTHING)
    if (!Number.isSafeInteger(below)) throw mfsErrors.E_MFS_FILE_TSIZE(below)
  }

  /** Bytes of the file, as the node declares them. */
  get fileSize(): number {
    return this.children.reduce((sum, { share }) => sum + share, this.data?.length ?? 0)
  }

  get isLeaf(): boolean {
    return this.children.length === 0
  }

  get hasOwnBytes(): boolean {
    return this.data !== undefined && this.data.length > 0
  }

  /** Its block. What is in memory of its children has been stored. */
  encode(): Uint8Array {
    if (this.codec === RAW) return this.data ?? new Uint8Array(0)
    return encodeNode(this, this.children)
  }

  /** The block's length and that of all below it. */
  sizeOf(block: Uint8Array): number {
    return this.children.reduce((sum, { size }) => sum + size, block.length)
  }
}
