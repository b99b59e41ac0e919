import type { CID } from 'multiformats/cid'
import { DAG_PB, RAW } from '../../../core/cid/codes.ts'
import type { NodeNaming } from '../../../core/index.ts'
import { Turns } from '../../../core/turns.ts'
import { MAX_LINKS } from '../../../core/unixfs/index.ts'
import { UnixFsType } from '../../../core/unixfs/types.ts'
import type { Chunks } from './chunks.ts'
import { FileNode } from './node.ts'
import { checkDepth, type FileStorage } from './storage.ts'

/** Subtrees of one depth under a trickle node (boxo 0.19, importer/trickle). */
const REPEAT = 4

/**
 * Appends content to a file as a trickle tree, whatever shape the file has so far; the nodes and their places are those that the reference
 * makes (boxo 0.19, importer/trickle: `Append`). What it touches of the right edge stays in memory.
 */
export class Appending {
  readonly #storage: FileStorage
  readonly #naming: NodeNaming
  readonly #rawLeaves: boolean
  readonly #turns: Turns
  readonly #chunks: Chunks
  #last: { data: Uint8Array; cid: CID; size: number } | undefined

  constructor(storage: FileStorage, naming: NodeNaming, rawLeaves: boolean, chunks: Chunks) {
    this.#storage = storage
    this.#naming = naming
    this.#rawLeaves = rawLeaves
    this.#chunks = chunks
    this.#turns = new Turns(storage.options.signal)
  }

  async to(root: FileNode): Promise<void> {
    await this.#storage.split(root)
    let { depth, repeat } = progressOf(root)
    if (depth === 0) {
      await this.#fillLeaves(root)
      if (this.#chunks.isDone) return
      depth = 1
    }
    await this.#fillLast(root, depth - 1, repeat, 0)
    if (this.#chunks.isDone) return
    for (let level = depth + 1; !this.#chunks.isDone; level++) await this.#addSubtrees(root, level)
  }

  /** Fills what is left of the last subtree, and of the subtrees of its depth. */
  async #fillLast(parent: FileNode, depth: number, repeat: number, above: number): Promise<void> {
    if (parent.children.length <= MAX_LINKS) return
    checkDepth(above)
    const last = parent.children.at(-1)!
    const node = await this.#storage.load(last)
    // files of other makers may have more leaves than the layout has it: what comes is put behind them
    if (!node.isLeaf) {
      last.node = node
      await this.#fill(node, depth - 1, above + 1)
      last.share = node.fileSize
    }
    if (repeat !== 0) await this.#addSubtrees(parent, depth, REPEAT - repeat)
  }

  async #fill(node: FileNode, most: number, above: number): Promise<void> {
    if (most === 0 || this.#chunks.isDone) return
    let { depth, repeat } = progressOf(node)
    if (depth === 0) {
      await this.#fillLeaves(node)
      depth = 1
    }
    if (depth === most) return
    await this.#fillLast(node, depth, repeat, above)
    for (let level = depth + 1; level < most && !this.#chunks.isDone; level++) await this.#addSubtrees(node, level)
  }

  async #addSubtrees(node: FileNode, depth: number, count = REPEAT): Promise<void> {
    for (let i = 0; i < count && !this.#chunks.isDone; i++) {
      const subtree = new FileNode(this.#naming, { type: UnixFsType.File })
      await this.#fillNew(subtree, depth)
      const share = subtree.fileSize
      node.children.push({ ...(await this.#storage.store(subtree)), share })
    }
  }

  async #fillNew(node: FileNode, depth: number): Promise<void> {
    await this.#fillLeaves(node)
    for (let level = 1; level < depth && !this.#chunks.isDone; level++) await this.#addSubtrees(node, level)
  }

  async #fillLeaves(node: FileNode): Promise<void> {
    while (node.children.length < MAX_LINKS && !this.#chunks.isDone) {
      if (this.#turns.due) await this.#turns.take()
      const data = this.#chunks.next()
      const { cid, size } = this.#last?.data === data ? this.#last : await this.#leaf(data)
      node.children.push({ cid, size, share: data.length })
    }
  }

  async #leaf(data: Uint8Array): Promise<{ cid: CID; size: number }> {
    const leaf = new FileNode(this.#naming, { codec: this.#rawLeaves ? RAW : DAG_PB, type: UnixFsType.Raw, data })
    this.#last = { data, ...(await this.#storage.store(leaf)) }
    return this.#last
  }
}

/** How far a trickle node has come: the depth of its last subtrees (0: its leaves are not complete), and how many of that depth it has. */
function progressOf({ children }: FileNode): { depth: number; repeat: number } {
  const subtrees = children.length - MAX_LINKS
  if (subtrees < 0) return { depth: 0, repeat: 0 }
  return { depth: Math.floor(subtrees / REPEAT) + 1, repeat: subtrees % REPEAT }
}
