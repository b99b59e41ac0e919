import { balanced } from 'ipfs-unixfs-importer/layout'
import type { NodeBuilder } from './builder.ts'
import type { Piece } from './encode.ts'
import { Handoff } from './handoff.ts'

/** Links of a node at most (boxo 0.19, importer/helpers: 8192 bytes over 47 for each). */
const MAX_LINKS = 174
/** Subtrees of one depth under a trickle node (boxo 0.19, importer/trickle). */
const TRICKLE_REPEAT = 4

/** How the leaves of a file are joined. Takes them in order. */
export interface Layout {
  add(leaf: Piece): Promise<void>
  /** How often the reference looks for another chunk where none is left: once for each node that could still take one. */
  readonly looksAtEnd: number
  /** The root. @returns undefined when a single empty leaf has to stand for the file */
  finish(): Promise<Piece | undefined>
}

async function join(pieces: readonly Piece[], nodes: NodeBuilder): Promise<Piece> {
  const built = await nodes.fileNode(pieces)
  return { ...built, share: pieces.reduce((sum, { share }) => sum + share, 0) }
}

/** As the library's layouts are for pieces: they look at nothing in what they join. */
type Joining = (leaves: AsyncIterable<Piece>, join: (pieces: readonly Piece[]) => Promise<Piece>) => Promise<Piece>

const joinBalanced = balanced({ maxChildrenPerNode: MAX_LINKS }) as unknown as Joining

/**
 * All leaves at one depth, every node full but the last of its level; one leaf alone is the file (boxo 0.19, importer/balanced). The library
 * keeps the nodes above the leaves until the file ends: 5 bytes a leaf.
 */
export class Balanced implements Layout {
  readonly #nodes: NodeBuilder
  /** The first leaf, until it is known whether there are more. */
  #first: Piece | undefined
  #count = 0
  readonly #leaves = new Handoff<Piece>()
  #root: Promise<Piece> | undefined

  constructor(nodes: NodeBuilder) {
    this.#nodes = nodes
  }

  async add(leaf: Piece): Promise<void> {
    this.#count++
    if (this.#first === undefined) {
      this.#first = leaf
      return
    }
    if (this.#root === undefined) {
      this.#root = joinBalanced(this.#leaves, pieces => join(pieces, this.#nodes))
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
    for (let count = this.#count, below = 0; count > 0; count = Math.floor((count - 1) / MAX_LINKS), below = 1)
      if (((count - 1) % MAX_LINKS) + 1 + below < MAX_LINKS) looks++
    return looks
  }

  async finish(): Promise<Piece | undefined> {
    if (this.#root === undefined) return this.#first
    this.#leaves.end()
    return this.#root
  }
}

/** A node of a trickle tree that may still get children. */
interface OpenNode {
  readonly pieces: Piece[]
  /** Its subtrees are less deep than this. */
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
  /** From the root to the node that gets the next leaf. */
  readonly #open: OpenNode[] = [openNode(Number.POSITIVE_INFINITY)]

  constructor(nodes: NodeBuilder) {
    this.#nodes = nodes
  }

  async add(leaf: Piece): Promise<void> {
    let node = this.#open.at(-1)!
    if (node.pieces.length < MAX_LINKS) {
      node.pieces.push(leaf)
      return
    }
    while (!takesSubtree(node)) node = await this.#close()
    node.subtrees++
    this.#open.push(openNode(node.subtreeDepth, leaf))
  }

  get looksAtEnd(): number {
    const [node, ...parents] = this.#open.toReversed() as [OpenNode, ...OpenNode[]]
    let looks = (node.pieces.length < MAX_LINKS ? 1 : 0) + (node.depth > 1 ? 1 : 0)
    for (const { subtrees, subtreeDepth, depth } of parents)
      looks += (subtrees < TRICKLE_REPEAT ? 1 : 0) + (subtreeDepth + 1 < depth ? 1 : 0)
    return looks
  }

  async finish(): Promise<Piece> {
    while (this.#open.length > 1) await this.#close()
    return join(this.#open[0]!.pieces, this.#nodes)
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
