import type { CID } from 'multiformats/cid'
import { decodeUtf8 } from '../../go/utf8.ts'
import type { ByteRange, DescribedLink, DirectoryEntry, OpenFile, OpenNode, UnixFs, UnixFsStat } from '../../services/content/unixfs.ts'
import type { BlockOptions } from '../../services/storage/blocks.ts'
import { listDirectory } from './directory.ts'
import { unixfsErrors } from './errors.ts'
import { readFile, SMALL, wholeContent } from './file.ts'
import { describeLinks } from './links.ts'
import { type FileNode, openNode, type Sources, type UnixFsNode } from './node.ts'
import { tarOf } from './tar.ts'

/** The reading half of {@link UnixFs}, over any blocks and codecs. */
export class UnixFsExporter implements Pick<UnixFs, 'open' | 'stat' | 'read' | 'list' | 'links'> {
  readonly #sources: Sources

  constructor(sources: Sources) {
    this.#sources = sources
  }

  async open(cid: CID, options?: BlockOptions): Promise<OpenNode> {
    const node = await openNode(cid, this.#sources, options)
    const { type, size, mode, mtime } = node
    const archive = (name: string) => tarOf(node, name, this.#sources, options)
    if (node.type === 'directory') return { type: 'directory', cid, size, mode, mtime, archive }
    return { type, cid, size, mode, mtime, read: this.#reader(node, options), archive } as OpenNode
  }

  async stat(cid: CID, options?: BlockOptions): Promise<UnixFsStat> {
    const node = await openNode(cid, this.#sources, options)
    const { type, size, mode, mtime } = node
    if (type === 'symlink') return { cid, type, size, mode, mtime, target: decodeUtf8(node.target) }
    return { cid, type, size: type === 'file' ? size : 0n, mode, mtime }
  }

  async *read(cid: CID, { offset, length, ...options }: BlockOptions & ByteRange = {}): AsyncGenerator<Uint8Array> {
    const node = await this.open(cid, options)
    if (node.type === 'directory') throw unixfsErrors.E_IS_DIRECTORY()
    yield* await node.read({ offset, length })
  }

  async *list(cid: CID, options?: BlockOptions): AsyncGenerator<DirectoryEntry> {
    const node = await openNode(cid, this.#sources, options)
    if (node.type !== 'directory') throw unixfsErrors.E_NOT_A_DIRECTORY()
    for await (const entries of listDirectory(node, this.#sources, options)) {
      for (const { name, cid, size } of entries) yield { name, cid, size: BigInt(size) }
    }
  }

  links(cid: CID, options?: BlockOptions & { resolve?: boolean }): AsyncGenerator<readonly DescribedLink[]> {
    return describeLinks(cid, this.#sources, options)
  }

  #reader(node: Exclude<UnixFsNode, { type: 'directory' }>, options?: BlockOptions): OpenFile['read'] {
    const whole = node.type === 'file' ? smallContent(node) : node.target
    if (whole !== undefined) return async ({ offset = 0n, length } = {}) => pieces(cut(whole, offset, length))
    return range => readFile(node as FileNode, this.#sources, { ...options, ...range })
  }
}

/** The content of a file that is one small block: as much as any reader that has stopped may hold. */
function smallContent(node: FileNode): Uint8Array | undefined {
  return node.root.bytes.length <= SMALL ? wholeContent(node) : undefined
}

function cut(bytes: Uint8Array, offset: bigint, length: bigint | undefined): Uint8Array {
  return bytes.subarray(Number(offset), length === undefined ? undefined : Number(offset + length))
}

async function* pieces(bytes: Uint8Array): AsyncGenerator<Uint8Array> {
  if (bytes.length > 0) yield bytes
}
