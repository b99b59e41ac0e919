import { balanced } from 'ipfs-unixfs-importer/layout'
import { DAG_PB } from '../../cid/codes.ts'
import type { Metadata } from '../metadata.ts'
import { type NodeBuilder, totalOf } from './builder.ts'
import { encodeFile, type Piece } from './encode.ts'
import { Handoff } from './handoff.ts'

/** Links of a node at most where nobody says otherwise (boxo 0.19, importer/helpers: 8192 bytes over 47 for each). */
export const MAX_LINKS = 174
/** Links that somebody may ask for: a file of nodes with one link has no end, and a node is one block. */
export const FILE_LINKS = { least: 2, most: 8192 }
/** Subtrees of one depth under a trickle node (boxo 0.19, importer/trickle). */
const TRICKLE_REPEAT = 4

/** How the leaves of a file are joined. Takes them in order. */
interface Layout {
  add(leaf: Piece): Promise<void>
  /** How often the reference looks for another chunk where none is left: once for each node that could still take one. */
  readonly looksAtEnd: number
  /** The root. @returns undefined when a single empty leaf has to stand for the file */
  finish(): Promise<Piece | undefined>
}

/** How a layout is made. */
interface LayoutOptions {
  /** Links of a node at most. */
  readonly maxLinks?: number | undefined
  /** Metadata of the root, unless it is a leaf. */
  readonly metadata?: Metadata | undefined
}

async function join(pieces: readonly Piece[], nodes: NodeBuilder, metadata?: Metadata): Promise<Piece> {
  return { ...(await nodes.fileNode(pieces, metadata)), share: shareOf(pieces) }
}

function shareOf(pieces: readonly Piece[]): number {
  return pieces.reduce((sum, { share }) => sum + share, 0)
}

/** The form of the library's layouts for pieces: they look at nothing in what they join. */
type Joining = (leaves: AsyncIterable<Piece>, join: (pieces: readonly Piece[]) => Promise<Piece>) => Promise<Piece>

/**
 * All leaves at one depth, every node full but the last of its level; one leaf alone is the file (boxo 0.19, importer/balanced). The library
 * keeps the nodes above the leaves until the file ends: 5 bytes a leaf.
 */
export class Balanced implements Layout {
  readonly #nodes: NodeBuilder
  /** The first leaf, until it is known whether there are more. */
  #first: Piece | undefined
  #count = 0
  /** The leaves on their way to {@link #root}, which waits for them. */
  #leaves: Handoff<Piece> | undefined
  #root: Promise<Piece> | undefined
  readonly #maxLinks: number
  readonly #metadata: Metadata | undefined
  /** The node that was joined last, not stored yet: the root, which has the metadata, if nothing follows. */
  #held: { readonly pieces: readonly Piece[]; readonly block: Uint8Array } | undefined

  constructor(nodes: NodeBuilder, { maxLinks = MAX_LINKS, metadata }: LayoutOptions = {}) {
    this.#nodes = nodes
    this.#maxLinks = maxLinks
    this.#metadata = metadata
  }

  async add(leaf: Piece): Promise<void> {
    this.#count++
    if (this.#first === undefined) {
      this.#first = leaf
      return
    }
    if (this.#leaves === undefined) {
      this.#leaves = new Handoff()
      const joinAll = balanced({ maxChildrenPerNode: this.#maxLinks }) as unknown as Joining
      this.#root = joinAll(this.#leaves, pieces => (this.#metadata === undefined ? join(pieces, this.#nodes) : this.#hold(pieces)))
      // Whoever waits for the root is told.
      this.#root.catch(() => {})
      await this.#leaves.give(this.#first)
    }
    if (!(await this.#leaves.give(leaf))) await this.#root
  }

  get looksAtEnd(): number {
    if (this.#count < 2) return 1
    let looks = 1
    // Above the leaves, the open node below counts as a child that is already there.
    for (let count = this.#count, below = 0; count > 0; count = Math.floor((count - 1) / this.#maxLinks), below = 1)
      if (((count - 1) % this.#maxLinks) + 1 + below < this.#maxLinks) looks++
    return looks
  }

  async finish(): Promise<Piece | undefined> {
    if (this.#leaves === undefined) return this.#first
    this.#leaves.end()
    const root = await this.#root!
    return this.#held === undefined ? root : join(this.#held.pieces, this.#nodes, this.#metadata)
  }

  async #hold(pieces: readonly Piece[]): Promise<Piece> {
    if (this.#held !== undefined) await this.#nodes.block(DAG_PB, this.#held.block)
    const block = encodeFile(pieces)
    this.#held = { pieces, block }
    return { cid: this.#nodes.name(DAG_PB, block), size: totalOf(block, pieces), share: shareOf(pieces) }
  }
}

/** A node of a trickle tree that may still get children. */
interface OpenNode {
  readonly pieces: Piece[]
  /** The depth that its subtrees stay below. */
  readonly depth: number
  /** Depth of the subtrees it gets at present, and how many of them it has, the open one included. */
  subtreeDepth: number
  subtrees: number
}

/**
 * The start of a file high up, for who reads it from the front: leaves first, then four subtrees of each depth, ever deeper ones (boxo
 * 0.19, importer/trickle). The library's `trickle` makes the same trees, but keeps every leaf of a subtree of the root in mind until that is
 * complete, 271 bytes each: in chunks of 1 KiB a quarter of the file.
 */
export class Trickle implements Layout {
  readonly #nodes: NodeBuilder
  /** The nodes from the root to the one that gets the next leaf. */
  readonly #open: OpenNode[] = [openNode(Number.POSITIVE_INFINITY)]
  readonly #maxLinks: number
  readonly #metadata: Metadata | undefined

  constructor(nodes: NodeBuilder, { maxLinks = MAX_LINKS, metadata }: LayoutOptions = {}) {
    this.#nodes = nodes
    this.#maxLinks = maxLinks
    this.#metadata = metadata
  }

  async add(leaf: Piece): Promise<void> {
    let node = this.#open.at(-1)!
    if (node.pieces.length < this.#maxLinks) {
      node.pieces.push(leaf)
      return
    }
    while (!takesSubtree(node)) node = await this.#close()
    node.subtrees++
    this.#open.push(openNode(node.subtreeDepth, leaf))
  }

  get looksAtEnd(): number {
    const [node, ...parents] = this.#open.toReversed() as [OpenNode, ...OpenNode[]]
    let looks = (node.pieces.length < this.#maxLinks ? 1 : 0) + (node.depth > 1 ? 1 : 0)
    for (const { subtrees, subtreeDepth, depth } of parents)
      looks += (subtrees < TRICKLE_REPEAT ? 1 : 0) + (subtreeDepth + 1 < depth ? 1 : 0)
    return looks
  }

  async finish(): Promise<Piece> {
    while (this.#open.length > 1) await this.#close()
    return join(this.#open[0]!.pieces, this.#nodes, this.#metadata)
  }

  /** @returns the parent, which has the closed node now */
  async #close(): Promise<OpenNode> {
    const closed = this.#open.pop()!
    const parent = this.#open.at(-1)!
    parent.pieces.push(await join(closed.pieces, this.#nodes))
    return parent
  }
}

function openNode(depth: number, ...pieces: Piece[]): OpenNode {
  return { pieces, depth, subtreeDepth: 1, subtrees: 0 }
}

function takesSubtree(node: OpenNode): boolean {
  if (node.subtrees === TRICKLE_REPEAT) {
    node.subtreeDepth++
    node.subtrees = 0
  }
  return node.subtreeDepth < node.depth
}
