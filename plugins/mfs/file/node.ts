import type { CID } from 'multiformats/cid'
import { DAG_PB, RAW } from '../../../core/cid/codes.ts'
import { varintSize, writeVarint } from '../../../core/cid/varint.ts'
import { writePb } from '../../../core/dag/pb-write.ts'
import type { NodeNaming } from '../../../core/index.ts'
import { decodeUnixFs } from '../../../core/unixfs/export/data.ts'
import type { Loaded } from '../../../core/unixfs/export/node.ts'
import { NO_NAME } from '../../../core/unixfs/import/encode.ts'
import { type Metadata, withMetadata } from '../../../core/unixfs/metadata.ts'
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

/** A node of a file, as it can be changed. */
export class FileNode {
  readonly naming: NodeNaming
  readonly codec: typeof RAW | typeof DAG_PB
  type: number
  /** Content of a leaf; an inner node may have some too, which readers leave out. */
  data: Uint8Array | undefined
  children: Child[]
  /** What it says of the file that it was; a raw block says nothing. */
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
  static from({ cid, kind, bytes, node }: Loaded): FileNode {
    const naming = namingOfCid(cid)
    if (kind === 'raw') return new FileNode(naming, { codec: RAW, type: UnixFsType.Raw, data: bytes })
    if (kind !== 'dag-pb') throw mfsErrors.E_MFS_CODEC()
    const unixfs = decodeUnixFs(node.data)
    const { type, data, fileSize } = unixfs
    if (type === UnixFsType.Symlink) throw mfsErrors.E_MFS_SYMLINK()
    if (type !== UnixFsType.File && type !== UnixFsType.Raw) throw mfsErrors.E_MFS_CHILD()
    if (!Number.isSafeInteger(Number(fileSize))) throw mfsErrors.E_MFS_FILE_SIZE(String(fileSize))
    const shares = unixfs.blockSizes()
    if (shares.length !== node.length) throw mfsErrors.E_MFS_FILE_SHAPE()
    const children = shares.map((share, i) => ({ cid: node.cid(i), size: Number(node.size(i)), share }))
    const file = new FileNode(naming, { type, data, children })
    file.metadata = { mode: unixfs.mode, mtime: unixfs.mtime }
    return file
  }

  /** Bytes of the file, as the node declares them. */
  get fileSize(): number {
    return this.children.reduce((sum, { share }) => sum + share, this.data?.length ?? 0)
  }

  get isLeaf(): boolean {
    return this.children.length === 0
  }

  /** Its block. What is in memory of its children has been stored. */
  encode(): Uint8Array {
    if (this.codec === RAW) return this.data ?? new Uint8Array(0)
    const links = this.children.map(({ cid, size }) => ({ cid: cid.bytes, name: NO_NAME, size }))
    return writePb(links, withMetadata(this.#unixfs(), this.metadata))
  }

  /** The block's length and that of all below it. */
  sizeOf(block: Uint8Array): number {
    return this.children.reduce((sum, { size }) => sum + size, block.length)
  }

  #unixfs(): Uint8Array {
    const { type, data, children, fileSize } = this
    let length = 2 + 1 + varintSize(fileSize)
    if (data !== undefined) length += 1 + varintSize(data.length) + data.length
    for (const { share } of children) length += 1 + varintSize(share)
    const out = new Uint8Array(length)
    out.set([0x08, type])
    let at = 2
    if (data !== undefined) {
      out[at] = 0x12
      at = writeVarint(data.length, out, at + 1)
      out.set(data, at)
      at += data.length
    }
    out[at] = 0x18
    at = writeVarint(fileSize, out, at + 1)
    for (const { share } of children) {
      out[at] = 0x20
      at = writeVarint(share, out, at + 1)
    }
    return out
  }
}
