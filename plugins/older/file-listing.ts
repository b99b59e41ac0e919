import type { CID } from 'multiformats/cid'
import { cidToString } from '../../core/cid/parse.ts'
import { type ProtoNode, readProtoNode } from '../../core/dag/proto-node.ts'
import type { BlockOptions, Blocks } from '../../core/index.ts'
import { decodeUnixFs, type UnixFsData } from '../../core/unixfs/export/data.ts'
import { typeNames, UnixFsType } from '../../core/unixfs/types.ts'
import { olderErrors } from './errors.ts'
import type { FileLink, FileObject } from './file-object.ts'

interface Opened {
  readonly node: ProtoNode
  readonly unixfs: UnixFsData
  readonly type: string
}

/** The answer of `file/ls`: each object once, whatever arguments lead to it (go-ipfs 0.4.23, core/commands/unixfs/ls.go). */
export class FileListing {
  readonly objects: Map<string, FileObject> = new Map()
  readonly #blocks: Pick<Blocks, 'get'>
  readonly #options: BlockOptions
  readonly #most: number
  #entries = 0

  /** @param most - entries of folders, all together */
  constructor(blocks: Pick<Blocks, 'get'>, options: BlockOptions, most: number) {
    this.#blocks = blocks
    this.#options = options
    this.#most = most
  }

  /** @returns the key of the object. @throws E_FILE_LS_…, E_NOT_PROTOBUF for raw blocks, what loading a block does */
  async add(cid: CID): Promise<string> {
    const hash = cidToString(cid)
    if (this.objects.has(hash)) return hash
    const { node, unixfs, type } = await this.#open(cid)
    const object: FileObject = { Hash: hash, Size: sizeOf(unixfs), Type: type, Links: null }
    if (unixfs.type === UnixFsType.Directory) object.Links = await this.#links(node)
    else if (unixfs.type === UnixFsType.HAMTShard) throw olderErrors.E_FILE_LS_LARGE()
    else if (unixfs.type === UnixFsType.Symlink) throw olderErrors.E_FILE_LS_SYMLINK()
    else if (unixfs.type !== UnixFsType.File) throw olderErrors.E_FILE_LS_TYPE(type)
    this.objects.set(hash, object)
    return hash
  }

  async #links({ links }: ProtoNode): Promise<FileLink[]> {
    this.#entries += links.length
    if (this.#entries > this.#most) throw olderErrors.E_FILE_LS_TOO_LONG(this.#most)
    const found: FileLink[] = []
    for (const { name, cid, size } of links) {
      const { unixfs, type } = await this.#open(cid)
      found.push({ Name: name, Hash: cidToString(cid), Size: unixfs.type === UnixFsType.File ? sizeOf(unixfs) : size, Type: type })
    }
    return found
  }

  async #open(cid: CID): Promise<Opened> {
    this.#options.signal?.throwIfAborted()
    const node = readProtoNode(cid, await this.#blocks.get(cid, this.#options))
    const unixfs = decodeUnixFs(node.data)
    return { node, unixfs, type: typeNames[unixfs.type] ?? String(unixfs.type) }
  }
}

/** The size that a file declares; none for a folder. */
function sizeOf({ type, size }: UnixFsData): number | bigint {
  return type === UnixFsType.Directory ? 0 : size
}
