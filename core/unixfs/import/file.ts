import type { CID } from 'multiformats/cid'
import { importErrors } from '../../errors/unixfs-import.ts'
import { type Chunk, type ChunkerSpec, chunksOf, type LeafMemory, MAX_CHUNK } from '../chunker/index.ts'
import { type Built, DAG_PB, type NodeBuilder, RAW } from './builder.ts'
import { encodeFileData, encodeLeaf, encodeSymlinkData, NO_NAME, UNIXFS } from './encode.ts'

/** Links of a node at most (boxo 0.19, importer/helpers: 8192 bytes over 47 for each). */
const MAX_LINKS = 174
/** Subtrees of one depth under a trickle node (boxo 0.19, importer/trickle). */
const TRICKLE_REPEAT = 4

export interface FileOptions {
  readonly chunker: ChunkerSpec
  readonly layout: 'balanced' | 'trickle'
  readonly rawLeaves: boolean
  /** Told of each chunk once it is cut, with its size in bytes. */
  onChunk?(size: number): void | Promise<void>
}

/** A part of a file: a leaf or a node over leaves. */
interface Piece {
  readonly cid: CID
  /** Tsize. */
  readonly size: number
  /** Bytes of the file below it. */
  readonly share: number
}

/** Makes the blocks of one file out of its bytes, in memory that does not grow with it beyond one list of links a level. */
export async function importFile(
  source: AsyncIterable<Uint8Array>,
  options: FileOptions,
  nodes: NodeBuilder,
  memory: LeafMemory
): Promise<Built> {
  const leaves = leavesOf(source, options, nodes, memory)
  try {
    return options.layout === 'trickle' ? await trickle(leaves, nodes) : await balanced(leaves, options, nodes, memory)
  } finally {
    await leaves.return(undefined)
  }
}

async function* leavesOf(
  source: AsyncIterable<Uint8Array>,
  options: FileOptions,
  nodes: NodeBuilder,
  memory: LeafMemory
): AsyncGenerator<Piece> {
  for await (const chunk of chunksOf(source, options.chunker, memory)) {
    await options.onChunk?.(chunk.size)
    yield await leaf(chunk, options, nodes)
  }
}

async function leaf({ buffer, size }: Chunk, { rawLeaves, layout }: FileOptions, nodes: NodeBuilder): Promise<Piece> {
  if (size > MAX_CHUNK) throw importErrors.E_LEAF_TOO_LARGE()
  const release = () => buffer.release()
  if (rawLeaves) {
    const cid = await nodes.block(RAW, buffer.bytes.subarray(buffer.start, buffer.start + size), release)
    return { cid, size, share: size }
  }
  const block = encodeLeaf(buffer, size, layout === 'trickle' ? UNIXFS.raw : UNIXFS.file)
  return { cid: await nodes.block(DAG_PB, block, release), size: block.length, share: size }
}

async function inner(pieces: readonly Piece[], nodes: NodeBuilder): Promise<Piece> {
  const shares = pieces.map(piece => piece.share)
  const links = pieces.map(({ cid, size }) => ({ cid, name: NO_NAME, size }))
  const built = await nodes.node(links, encodeFileData(shares))
  return { ...built, share: shares.reduce((sum, share) => sum + share, 0) }
}

/** All leaves at one depth, every node full but the last of its level; one leaf alone is the file. */
async function balanced(leaves: AsyncIterable<Piece>, options: FileOptions, nodes: NodeBuilder, memory: LeafMemory): Promise<Built> {
  const levels: Piece[][] = [[]]
  const add = async (piece: Piece, level: number): Promise<void> => {
    levels[level] ??= []
    const row = levels[level]!
    if (row.length === MAX_LINKS) {
      const full = row.splice(0)
      await add(await inner(full, nodes), level + 1)
    }
    row.push(piece)
  }
  for await (const piece of leaves) await add(piece, 0)
  if (levels[0]!.length === 0) return leaf({ buffer: memory.take(0), size: 0 }, options, nodes)
  for (let level = 0; ; level++) {
    const row = levels[level]!
    const top = level === levels.length - 1
    if (top && row.length === 1) return row[0]!
    await add(await inner(row, nodes), level + 1)
  }
}

/** The start of a file high up, for who reads it from the front: leaves first, then ever deeper subtrees. */
async function trickle(leaves: AsyncGenerator<Piece>, nodes: NodeBuilder): Promise<Built> {
  let ahead = await leaves.next()
  const more = () => ahead.done !== true
  const next = async () => {
    const piece = ahead.value as Piece
    ahead = await leaves.next()
    return piece
  }
  const fill = async (maxDepth: number): Promise<Piece> => {
    const pieces: Piece[] = []
    while (more() && pieces.length < MAX_LINKS) pieces.push(await next())
    for (let depth = 1; depth < maxDepth && more(); depth++) {
      for (let i = 0; i < TRICKLE_REPEAT && more(); i++) pieces.push(await fill(depth))
    }
    return inner(pieces, nodes)
  }
  return fill(Number.POSITIVE_INFINITY)
}

export function importSymlink(target: Uint8Array, nodes: NodeBuilder): Promise<Built> {
  return nodes.node([], encodeSymlinkData(target))
}
