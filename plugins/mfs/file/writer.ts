import type { CID } from 'multiformats/cid'
import { DAG_PB, RAW } from '../../../core/cid/codes.ts'
import { type BlockOptions, type Blocks, hasCode, type NodeNaming } from '../../../core/index.ts'
import { timeNow } from '../../../core/unixfs/metadata.ts'
import { UnixFsType } from '../../../core/unixfs/types.ts'
import { mfsErrors } from '../errors.ts'
import type { Nodes } from '../tree/nodes.ts'
import { Appending } from './append.ts'
import { BytesInChunks, type Chunks, Zeros } from './chunks.ts'
import { FileNode } from './node.ts'
import { overwrite } from './overwrite.ts'
import { FileStorage } from './storage.ts'
import { truncated } from './truncate.ts'

/**
 * Bytes that are written at a time. The reference writes as soon as it has more than 2 MiB, of which the last piece that came is part, and so
 * its files have a small leaf behind each eight: those that are sent in pieces of 4 KiB, as they mostly are, have it of this size.
 */
const SEGMENT = 2 ** 21 + 4096

interface WriteParts {
  readonly nodes: Nodes
  readonly blocks: Blocks
  readonly options: BlockOptions
  readonly rawLeaves: boolean | undefined
  /** Whether the file is being made. */
  readonly isNew: boolean
  readonly maxGap: number
}

/** One writer of a file. Nothing of the file changes but by the root that it ends with. */
export class FileWriter {
  readonly #storage: FileStorage
  readonly #naming: NodeNaming
  readonly #rawLeaves: boolean
  readonly #maxGap: number
  #root: FileNode
  #isChanged: boolean
  readonly #isNew: boolean

  constructor(root: FileNode, { nodes, blocks, options, rawLeaves, isNew, maxGap }: WriteParts) {
    this.#root = root
    this.#naming = root.naming
    this.#storage = new FileStorage(nodes, blocks, options)
    this.#rawLeaves = rawLeaves ?? root.naming.version > 0
    this.#maxGap = maxGap
    this.#isNew = isNew
    this.#isChanged = isNew
  }

  get size(): number {
    return this.#root.fileSize
  }

  /** Writes from an offset on, once; zeros come before it where the file is shorter. @throws E_MFS_GAP, and what {@link FileNode.check} does */
  async write(bytes: AsyncIterable<Uint8Array>, offset: bigint, count: bigint | undefined): Promise<void> {
    this.#root.check()
    // The reference stores a new file before anything is in it.
    if (this.#isNew) await this.#storage.put(this.#naming, DAG_PB, this.#root.encode())
    if (!this.#root.isLeaf) await this.#storage.split(this.#root)
    const gap = offset - BigInt(this.size)
    if (gap > this.#maxGap) throw mfsErrors.E_MFS_GAP(gap, this.#maxGap)
    if (gap > 0n) {
      await this.#append(new Zeros(Number(gap)))
      this.#isChanged = true
    }
    let at = Number(offset)
    for await (const segment of segmentsOf(bytes, count)) {
      const source = { bytes: segment, at: 0 }
      await overwrite(this.#root, at, source, this.#storage)
      if (source.at < segment.length) await this.#append(new BytesInChunks(segment, source.at))
      at += segment.length
      this.#isChanged = true
    }
  }

  async truncate(): Promise<void> {
    if (this.size === 0) return
    const { metadata } = this.#root
    if (this.#root.codec === RAW) await this.#storage.split(this.#root)
    this.#root = await truncated(this.#root, this.#storage).catch(error => {
      if (hasCode(error, 'E_BLOCK_NOT_FOUND')) return emptyFile(this.#naming)
      throw error
    })
    this.#root.metadata = metadata
    this.#isChanged = true
  }

  /** Stores what was changed. @returns undefined where nothing was */
  async finish(): Promise<{ cid: CID; size: number; fileSize: number } | undefined> {
    if (!this.#isChanged) return undefined
    const fileSize = this.size
    // one that has a time has that of its last change; one without stays so (Kubo 0.42)
    const { metadata } = this.#root
    if (metadata.mtime !== undefined) this.#root.metadata = { ...metadata, mtime: timeNow() }
    const stored = await this.#storage.store(this.#root)
    await this.#storage.settle()
    return { ...stored, fileSize }
  }

  #append(chunks: Chunks): Promise<void> {
    return new Appending(this.#storage, this.#naming, this.#rawLeaves, chunks).to(this.#root)
  }
}

export function emptyFile(naming: NodeNaming): FileNode {
  return new FileNode(naming, { type: UnixFsType.File })
}

/** Content in segments, the last of which may be smaller; each counts until the next is asked for. */
async function* segmentsOf(bytes: AsyncIterable<Uint8Array>, count: bigint | undefined): AsyncGenerator<Uint8Array> {
  let left = count === undefined ? Number.POSITIVE_INFINITY : Number(count)
  if (left === 0) return
  let pieces: Uint8Array[] = []
  let filled = 0
  for await (const piece of bytes) {
    let unwritten = piece.length > left ? piece.subarray(0, left) : piece
    left -= unwritten.length
    while (unwritten.length > 0) {
      const part = unwritten.subarray(0, SEGMENT - filled)
      unwritten = unwritten.subarray(part.length)
      // A copy, as the memory of a piece may be taken back.
      pieces.push(new Uint8Array(part))
      filled += part.length
      if (filled < SEGMENT) continue
      yield Buffer.concat(pieces, filled)
      pieces = []
      filled = 0
    }
    if (left === 0) break
  }
  if (filled > 0) yield pieces.length === 1 ? pieces[0]! : Buffer.concat(pieces, filled)
}
