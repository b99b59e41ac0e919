import type { CID } from 'multiformats/cid'
import { type Metadata, withMetadata } from '../metadata.ts'
import type { NodeBuilder } from './builder.ts'
import { encodeFileData, NO_NAME } from './encode.ts'

/** Links of a node at most where nobody says otherwise (boxo 0.19, importer/helpers: 8192 bytes over 47 for each). */
export const MAX_LINKS = 174
/** Subtrees of one depth under a trickle node (boxo 0.19, importer/trickle). */
const TRICKLE_REPEAT = 4

/** A part of a file: a leaf or a node over leaves. */
export interface Piece {
  readonly cid: CID
  /** Tsize. */
  readonly size: number
  /** Bytes of the file below it. */
  readonly share: number
}

/** How the leaves of a file are joined. Takes them in order; holds one list of links a level. */
export interface Layout {
  add(leaf: Piece): Promise<void>
  /** How often the reference looks for another chunk where none is left: once for each node that could still take one. */
  readonly looksAtEnd: number
  /** The root, with these metadata unless it is a leaf. @returns undefined when a single empty leaf has to stand for the file */
  finish(metadata?: Metadata): Promise<Piece | undefined>
}

async function join(pieces: readonly Piece[], nodes: NodeBuilder, metadata?: Metadata): Promise<Piece> {
  const shares = pieces.map(piece => piece.share)
  const links = pieces.map(({ cid, size }) => ({ cid: cid.bytes, name: NO_NAME, size }))
  const data = encodeFileData(shares)
  const built = await nodes.node(links, metadata === undefined ? data : withMetadata(data, metadata))
  return { ...built, share: shares.reduce((sum, share) => sum + share, 0) }
}

/** All leaves at one depth, every node full but the last of its level; one leaf alone is the file (boxo 0.19, importer/balanced). */
export class Balanced implements Layout {
  readonly #nodes: NodeBuilder
  readonly #maxLinks: number
  /** What the open node of each level has so far, the leaves first. */
  readonly #levels: Piece[][] = [[]]

  constructor(nodes: NodeBuilder, maxLinks: number = MAX_LINKS) {
    this.#nodes = nodes
    this.#maxLinks = maxLinks
  }

  add(leaf: Piece): Promise<void> {
    return this.#add(leaf, 0)
  }

  async #add(piece: Piece, level: number): Promise<void> {
    this.#levels[level] ??= []
    const row = this.#levels[level]!
    if (row.length === this.#maxLinks) await this.#add(await join(row.splice(0), this.#nodes), level + 1)
    row.push(piece)
  }

  get looksAtEnd(): number {
    const levels = this.#levels
    if (levels.length === 1 && levels[0]!.length < 2) return 1
    // Above the leaves, the open node below counts as a child that is already there.
    return 1 + levels.filter((row, level) => row.length + Math.min(level, 1) < this.#maxLinks).length
  }

  async finish(metadata?: Metadata): Promise<Piece | undefined> {
    for (let level = 0; ; level++) {
      const row = this.#levels[level]!
      if (level === this.#levels.length - 1 && row.length < 2) return row[0]
      const isRoot = level === this.#levels.length - 1
      await this.#add(await join(row, this.#nodes, isRoot ? metadata : undefined), level + 1)
    }
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
 * 0.19, importer/trickle).
 */
export class Trickle implements Layout {
  readonly #nodes: NodeBuilder
  readonly #maxLinks: number
  /** From the root to the node that gets the next leaf. */
  readonly #open: OpenNode[] = [openNode(Number.POSITIVE_INFINITY)]

  constructor(nodes: NodeBuilder, maxLinks: number = MAX_LINKS) {
    this.#nodes = nodes
    this.#maxLinks = maxLinks
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

  async finish(metadata?: Metadata): Promise<Piece> {
    while (this.#open.length > 1) await this.#close()
    return join(this.#open[0]!.pieces, this.#nodes, metadata)
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
