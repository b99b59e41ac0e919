import { DAG_PB, RAW } from '../../cid/codes.ts'
import { type Chunk, type Chunker, Chunks, type LeafMemory, MAX_CHUNK } from '../chunker/index.ts'
import type { Metadata } from '../metadata.ts'
import { UnixFsType } from '../types.ts'
import type { Built, NodeBuilder } from './builder.ts'
import { encodeLeaf, type Piece } from './encode.ts'
import { importErrors } from './errors.ts'
import { Balanced, Trickle } from './layout.ts'

/** How a file is laid out. */
export interface FileOptions {
  readonly chunker: Chunker
  readonly maxChunk?: number | undefined
  readonly layout: 'balanced' | 'trickle'
  readonly rawLeaves: boolean
  /** Where the file lies, to note that of each leaf instead of storing it; only with raw leaves. An absolute path or a URL. */
  readonly liesAt?: string | undefined
  /** Metadata of its root; only without raw leaves. */
  readonly metadata?: Metadata | undefined
  /** Links of a node at most. Default: as many as the reference. */
  readonly maxLinks?: number | undefined
  /** Whether it is told how far the file has come. Default false. */
  readonly progress?: boolean
}

/**
 * Makes the blocks of one file out of its bytes. Of these it keeps the chunk at hand; of the file what its layout keeps.
 *
 * @yields where progress is asked for: how many bytes the next leaf has; 0 whenever the reference meets the end of the file
 * @throws E_LEAF_TOO_LARGE
 */
export async function* importFile(
  source: AsyncIterable<Uint8Array>,
  options: FileOptions,
  nodes: NodeBuilder,
  memory: LeafMemory
): AsyncGenerator<number, Built> {
  const { metadata, maxLinks, progress } = options
  const how = { maxLinks, metadata }
  const layout = options.layout === 'trickle' ? new Trickle(nodes, how) : new Balanced(nodes, how)
  // the root of a balanced file may be its only leaf, which is known when the next one comes, or none does
  const mayBeLeaf = metadata !== undefined && options.layout === 'balanced'
  let held: Chunk | undefined
  const cutter = options.chunker()
  const chunks = new Chunks(source, cutter, memory)
  let whole = true
  let offset = 0
  try {
    for (let chunk = await chunks.next(); chunk !== undefined; chunk = await chunks.next()) {
      if (chunk.size > (options.maxChunk ?? MAX_CHUNK)) throw importErrors.E_LEAF_TOO_LARGE()
      if (progress) yield chunk.size
      whole = chunk.size === cutter.most
      if (mayBeLeaf && offset === 0) held = chunk
      else {
        if (held !== undefined) await layout.add(await leafOf(held, options, nodes))
        held = undefined
        await layout.add(await leafOf(chunk, options, nodes, offset))
      }
      offset += chunk.size
    }
  } finally {
    await chunks.leave()
  }
  // A chunk that falls short has shown the end already.
  if (progress) for (let looks = whole ? layout.looksAtEnd : 1; looks > 0; looks--) yield 0
  if (held === undefined) {
    const root = await layout.finish()
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
  const release = buffer.release && (() => buffer.release!())
  if (rawLeaves) {
    // what is empty lies nowhere
    const place = liesAt === undefined || size === 0 ? undefined : { path: liesAt, offset, size }
    const cid = await nodes.block(RAW, buffer.bytes.subarray(buffer.start, buffer.start + size), release, place)
    return { cid, size, share: size }
  }
  const type = layout === 'trickle' ? UnixFsType.Raw : UnixFsType.File
  if (metadata !== undefined) {
    const data = size === 0 ? undefined : buffer.bytes.subarray(buffer.start, buffer.start + size)
    const built = await nodes.leaf({ type, data, metadata })
    release?.()
    return { ...built, share: size }
  }
  const block = encodeLeaf(buffer, size, type)
  return { cid: await nodes.block(DAG_PB, block, release), size: block.length, share: size }
}
