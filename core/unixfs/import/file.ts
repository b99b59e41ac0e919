import { DAG_PB, RAW } from '../../cid/codes.ts'
import { importErrors } from '../../errors/unixfs-import.ts'
import { type Chunk, type Chunker, chunksOf, type LeafMemory, MAX_CHUNK } from '../chunker/index.ts'
import { UnixFsType } from '../types.ts'
import type { Built, NodeBuilder } from './builder.ts'
import { encodeLeaf, type Piece } from './encode.ts'
import { Balanced, Trickle } from './layout.ts'

export interface FileOptions {
  readonly chunker: Chunker
  readonly layout: 'balanced' | 'trickle'
  readonly rawLeaves: boolean
  /** Where the file lies, to note that of each leaf instead of storing it; only with raw leaves. An absolute path or a URL. */
  readonly liesAt?: string | undefined
}

/**
 * Makes the blocks of one file out of its bytes. Of these it keeps the chunk at hand; of the file what its layout keeps.
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
  const layout = options.layout === 'trickle' ? new Trickle(nodes) : new Balanced(nodes)
  const cutter = options.chunker()
  let whole = true
  let offset = 0
  for await (const chunk of chunksOf(source, cutter, memory)) {
    if (chunk.size > MAX_CHUNK) throw importErrors.E_LEAF_TOO_LARGE()
    yield chunk.size
    whole = chunk.size === cutter.most
    await layout.add(await leafOf(chunk, options, nodes, offset))
    offset += chunk.size
  }
  // A chunk that falls short has shown the end already.
  for (let looks = whole ? layout.looksAtEnd : 1; looks > 0; looks--) yield 0
  return (await layout.finish()) ?? leafOf({ buffer: memory.takeOnce(0), size: 0 }, options, nodes)
}

async function leafOf({ buffer, size }: Chunk, { rawLeaves, layout, liesAt }: FileOptions, nodes: NodeBuilder, offset = 0): Promise<Piece> {
  const release = () => buffer.release()
  if (rawLeaves) {
    // what is empty lies nowhere
    const place = liesAt === undefined || size === 0 ? undefined : { path: liesAt, offset, size }
    const cid = await nodes.block(RAW, buffer.bytes.subarray(buffer.start, buffer.start + size), release, place)
    return { cid, size, share: size }
  }
  const block = encodeLeaf(buffer, size, layout === 'trickle' ? UnixFsType.Raw : UnixFsType.File)
  return { cid: await nodes.block(DAG_PB, block, release), size: block.length, share: size }
}
