import { DAG_PB, RAW } from '../../cid/codes.ts'
import { openPb } from '../../dag/pb.ts'
import { importErrors } from '../../errors/unixfs-import.ts'
import { type Chunk, type Chunker, chunksOf, type LeafMemory, MAX_CHUNK } from '../chunker/index.ts'
import { type Metadata, withMetadata } from '../metadata.ts'
import { UnixFsType } from '../types.ts'
import type { Built, NodeBuilder } from './builder.ts'
import { encodeLeaf, encodeSymlinkData } from './encode.ts'
import { Balanced, type Piece, Trickle } from './layout.ts'

export interface FileOptions {
  readonly chunker: Chunker
  readonly maxChunk?: number | undefined
  readonly layout: 'balanced' | 'trickle'
  readonly rawLeaves: boolean
  /** Where the file lies, to note that of each leaf instead of storing it; only with raw leaves. An absolute path or a URL. */
  readonly liesAt?: string | undefined
  /** What its root says of it; only without raw leaves. */
  readonly metadata?: Metadata | undefined
  /** Links of a node at most. Default: as many as the reference. */
  readonly maxLinks?: number | undefined
}

/**
 * Makes the blocks of one file out of its bytes, in memory that does not grow with it beyond one list of links a level.
 *
 * @yields how many bytes the next leaf has; 0 whenever the reference meets the end of the file
 * @throws E_LEAF_TOO_LARGE
 */
export async function* importFile(
  source: AsyncIterable<Uint8Array>,
  options: FileOptions,
  nodes: NodeBuilder,
  memory: LeafMemory
): AsyncGenerator<number, Built> {
  const { metadata, maxLinks } = options
  const layout = options.layout === 'trickle' ? new Trickle(nodes, maxLinks) : new Balanced(nodes, maxLinks)
  // the root of a balanced file may be its only leaf, which is known when the next one comes, or none does
  const mayBeLeaf = metadata !== undefined && options.layout === 'balanced'
  let held: Chunk | undefined
  const cutter = options.chunker()
  let whole = true
  let offset = 0
  for await (const chunk of chunksOf(source, cutter, memory)) {
    if (chunk.size > (options.maxChunk ?? MAX_CHUNK)) throw importErrors.E_LEAF_TOO_LARGE()
    yield chunk.size
    whole = chunk.size === cutter.most
    if (mayBeLeaf && offset === 0) held = chunk
    else {
      if (held !== undefined) await layout.add(await leafOf(held, options, nodes))
      held = undefined
      await layout.add(await leafOf(chunk, options, nodes, offset))
    }
    offset += chunk.size
  }
  // A chunk that falls short has shown the end already.
  for (let looks = whole ? layout.looksAtEnd : 1; looks > 0; looks--) yield 0
  if (held === undefined) {
    const root = await layout.finish(metadata)
    if (root !== undefined) return root
  }
  return leafOf(held ?? { buffer: memory.takeOnce(0), size: 0 }, options, nodes, 0, metadata)
}

async function leafOf(
  { buffer, size }: Chunk,
  { rawLeaves, layout, liesAt }: FileOptions,
  nodes: NodeBuilder,
  offset = 0,
  metadata?: Metadata
): Promise<Piece> {
  const release = () => buffer.release()
  if (rawLeaves) {
    // what is empty lies nowhere
    const place = liesAt === undefined || size === 0 ? undefined : { path: liesAt, offset, size }
    const cid = await nodes.block(RAW, buffer.bytes.subarray(buffer.start, buffer.start + size), release, place)
    return { cid, size, share: size }
  }
  const block = encodeLeaf(buffer, size, layout === 'trickle' ? UnixFsType.Raw : UnixFsType.File)
  if (metadata !== undefined) {
    const built = await nodes.node([], withMetadata(openPb(block).data!, metadata))
    release()
    return { ...built, share: size }
  }
  return { cid: await nodes.block(DAG_PB, block, release), size: block.length, share: size }
}

export function importSymlink(target: Uint8Array, nodes: NodeBuilder, metadata: Metadata = {}): Promise<Built> {
  return nodes.node([], withMetadata(encodeSymlinkData(target), metadata))
}
