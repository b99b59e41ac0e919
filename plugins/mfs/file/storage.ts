import type { CID } from 'multiformats/cid'
import { DAG_PB, RAW } from '../../../core/cid/codes.ts'
import type { Block, BlockOptions, Blocks, NodeNaming } from '../../../core/index.ts'
import { UnixFsType } from '../../../core/unixfs/types.ts'
import { mfsErrors } from '../errors.ts'
import { keyOf, type Nodes } from '../tree/nodes.ts'
import { type Child, FileNode } from './node.ts'

/** Bytes that are gathered for one write to the store: small files take one in all. */
const BATCH = 1 << 20
/** Nodes below each other in a file at most. */
export const MOST_DEPTH = 128

/** The blocks of one file while it is written. */
export class FileStorage {
  readonly #nodes: Nodes
  readonly #blocks: Blocks
  readonly options: BlockOptions
  /** Blocks by the bytes of their multihashes. */
  #batch = new Map<string, Block>()
  #size = 0

  constructor(nodes: Nodes, blocks: Blocks, options: BlockOptions) {
    this.#nodes = nodes
    this.#blocks = blocks
    this.options = options
  }

  /** A child that is what its node says of it. @throws what {@link FileNode.check} does */
  async load(child: Child): Promise<FileNode> {
    if (child.node !== undefined) return child.node
    const node = await this.loadAsIs(child)
    node.check(child.share)
    return node
  }

  /** A child whatever is said of it. */
  async loadAsIs({ cid, node }: Child, options?: BlockOptions): Promise<FileNode> {
    if (node !== undefined) return node
    // It may have been made a moment ago.
    if (this.#batch.has(keyOf(cid))) await this.settle()
    return FileNode.from(await this.#nodes.load(cid, { ...this.options, ...options }))
  }

  /**
   * Moves the bytes of a node into a first child, as it is to have others too. A raw block becomes that child as it is.
   * (Kubo 0.42, boxo/ipld/unixfs/mod)
   */
  async split(node: FileNode): Promise<void> {
    const { codec, naming, data } = node
    if (codec !== RAW && !node.hasOwnBytes) return
    const leaf = new FileNode(naming, { codec, type: UnixFsType.Raw, data })
    node.children = [{ ...(await this.store(leaf)), share: leaf.fileSize }, ...node.children]
    node.data = undefined
    if (codec !== RAW) return
    node.codec = DAG_PB
    node.type = UnixFsType.File
  }

  /** Stores a block, at the latest when {@link settle} has resolved. */
  async put(naming: NodeNaming, codec: number, bytes: Uint8Array): Promise<CID> {
    const cid = this.#nodes.name(naming, codec, bytes)
    const key = keyOf(cid)
    if (this.#batch.has(key)) return cid
    this.#batch.set(key, { cid, bytes })
    this.#size += bytes.length
    if (this.#size >= BATCH) await this.settle()
    return cid
  }

  async settle(): Promise<void> {
    const batch = [...this.#batch.values()]
    this.#batch.clear()
    this.#size = 0
    if (batch.length > 0) await this.#blocks.putAll(batch, this.options)
  }

  /** Stores a node, and before it what of it is in memory. */
  async store(node: FileNode, depth = 0): Promise<{ cid: CID; size: number }> {
    checkDepth(depth)
    for (const child of node.children) {
      if (child.node === undefined) continue
      const stored = await this.store(child.node, depth + 1)
      child.cid = stored.cid
      child.size = stored.size
      child.node = undefined
    }
    const block = node.encode()
    return { cid: await this.put(node.naming, node.codec, block), size: node.sizeOf(block) }
  }
}

/** @throws E_MFS_FILE_DEPTH */
export function checkDepth(depth: number): void {
  if (depth > MOST_DEPTH) throw mfsErrors.E_MFS_FILE_DEPTH(MOST_DEPTH)
}
