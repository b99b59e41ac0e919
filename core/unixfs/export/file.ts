import type { CID } from 'multiformats/cid'
import { copyOfCid } from '../../cid/parse.ts'
import type { Size } from '../../dag/node-links.ts'
import type { Reached } from '../../dag/walk/branch.ts'
import { TreeWalk } from '../../dag/walk/tree-walk.ts'
import { hasCode } from '../../errors.ts'
import type { BlockOptions } from '../../services/storage/blocks.ts'
import { decodeUnixFs } from './data.ts'
import { unixfsErrors } from './errors.ts'
import {
  type Codecs,
  decodeBlock,
  type FileNode,
  type FileParts,
  type LoadedBlock,
  LoadedBranch,
  partsOfFile,
  type Sources
} from './node.ts'
import { handOver, Piece } from './piece.ts'

export const HOLLOW = 25_000

/** Pieces smaller than this are put together, up to {@link GATHERED}, so that a file of tiny chunks is not sent byte by byte. */
export const SMALL = 16 << 10
const GATHERED = 64 << 10

/** Memory that a declared size takes, in bytes. */
const SIZE = 8

/** A node of a file that was loaded, and what it is made of. */
interface Node {
  readonly loaded: LoadedBlock
  readonly parts: FileParts
}

/** An inner node of a file. */
class Inner extends LoadedBranch {
  /** Bytes of its children. */
  sizes: readonly Size[]

  constructor({ loaded, parts }: Node, codecs: Codecs) {
    super(loaded, codecs, SIZE * loaded.node.length)
    this.sizes = parts.sizes
  }

  load(index: number): CID {
    return this.node.cid(index)
  }

  /** How far is read ahead for a range. */
  weight(index: number): number {
    return Number(this.sizes[index])
  }

  override close(): void {
    super.close()
    this.sizes = []
  }

  override reopen(bytes: Uint8Array): void {
    super.reopen(bytes)
    this.sizes = decodeUnixFs(this.node.data).exactBlockSizes()
  }
}

/**
 * The bytes of a file, at constant memory: those of each node, then those of its children in order, several blocks loading ahead. Each node has as
 * many as it and the one above it say; what contradicts itself ends the reading.
 */
export class FileReader {
  readonly size: bigint
  readonly #sources: Sources
  readonly #options: BlockOptions | undefined
  readonly #walk: TreeWalk<Inner>
  /** The root, where there are nodes below it. */
  readonly #root: CID | undefined
  readonly #hollow: number
  /** The piece that was found when the reader was positioned. */
  #found: Piece | undefined
  #next: Node | undefined

  constructor({ size, root, parts }: FileNode, sources: Sources, options?: BlockOptions) {
    const { blocks, limits } = sources
    this.size = size
    this.#sources = sources
    this.#options = options
    this.#walk = new TreeWalk(blocks, options, limits)
    this.#hollow = limits?.hollow ?? HOLLOW
    this.#root = root.node.length > 0 ? copyOfCid(root.cid) : undefined
    this.#next = { loaded: root, parts }
  }

  /** Moves to `offset`; before the first byte is read, once. @throws what {@link partsOfFile} does of a node on the way */
  async seek(offset: bigint): Promise<void> {
    if (offset === 0n) return
    // files can declare more bytes than a number counts
    let left = offset
    this.#walk.wanted = 1
    while (this.#next !== undefined) {
      const { own, sizes } = this.#next.parts
      let child = 0
      if (left < own.length || sizes.length === 0) this.#found = pieceOf(this.#next, Number(left))
      else {
        left -= BigInt(own.length)
        while (child < sizes.length && sizes[child]! <= left) left -= BigInt(sizes[child++]!)
      }
      this.#walk.enter(new Inner(this.#next, this.#sources.codecs), child)
      this.#next = this.#found === undefined && child < sizes.length ? await this.#reach() : undefined
    }
    this.#walk.wanted = Number.POSITIVE_INFINITY
  }

  /** For a reader whose bytes nobody will ask for. */
  close(): void {
    this.#walk.close()
  }

  /** The bytes from here on, at most `length` of them. @throws E_UNIXFS_HOLLOW where many blocks have few bytes, and what {@link partsOfFile} does */
  async *chunks(length?: bigint): AsyncGenerator<Uint8Array> {
    const walk = this.#walk
    const gathered = new Gatherer()
    let left = length === undefined ? Number.POSITIVE_INFINITY : Number(length)
    let hollow = 0
    try {
      if (this.#root !== undefined) await walk.hold(this.#root)
      for (;;) {
        walk.wanted = left
        const piece = left > 0 ? this.#piece() : undefined
        if (piece === undefined && left > 0 && !walk.done) {
          await walk.wait()
          continue
        }
        if (piece === undefined) {
          const last = gathered.take()
          if (last !== undefined) yield last
          return
        }
        hollow = Math.max(0, hollow + 1 - piece.length)
        if (hollow > this.#hollow) throw unixfsErrors.E_UNIXFS_HOLLOW(this.#hollow)
        if (piece.length === 0) continue
        piece.cut(left)
        left -= piece.length
        if (piece.length < SMALL && !(walk.done && gathered.empty) && gathered.add(piece.bytes!)) continue
        const before = gathered.take()
        if (before !== undefined) yield before
        if (piece.length >= SMALL || walk.done) yield* handOver(piece, this.#again, this.#sources.limits?.budget)
        else gathered.add(piece.bytes!)
      }
    } finally {
      walk.close()
    }
  }

  /** The next piece that is at hand; undefined when there is none yet, or none at all. */
  #piece(): Piece | undefined {
    if (this.#found !== undefined) {
      const found = this.#found
      this.#found = undefined
      return found
    }
    const next = this.#next ?? this.#taken()
    this.#next = undefined
    if (next === undefined) return undefined
    this.#walk.enter(new Inner(next, this.#sources.codecs))
    return pieceOf(next)
  }

  #taken(): Node | undefined {
    let reached: Reached<Inner> | undefined
    try {
      reached = this.#walk.take()
    } catch (error) {
      throw missing(error)
    }
    if (reached === undefined) return undefined
    const loaded = decodeBlock(reached.cid!, reached.loaded!, this.#sources.codecs)
    return { loaded, parts: partsOfFile(loaded, { expected: reached.branch.sizes[reached.index]! }) }
  }

  /** Loads a node's own bytes once more. */
  readonly #again = async (cid: CID): Promise<Uint8Array> => {
    const { blocks, codecs } = this.#sources
    try {
      return partsOfFile(decodeBlock(cid, await blocks.get(cid, { ...this.#options, transient: true }), codecs)).own
    } catch (error) {
      throw missing(error)
    }
  }

  async #reach(): Promise<Node> {
    for (;;) {
      const node = this.#taken()
      if (node !== undefined) return node
      await this.#walk.wait()
    }
  }
}

/** The error of reading the nodes below a root, in the words of the reference where a block is not there. */
export function missing(error: unknown): unknown {
  if (!hasCode(error, 'E_BLOCK_NOT_FOUND')) return error
  const lost = unixfsErrors.E_NODES_MISSING()
  // which block it was
  lost.cause = error
  return lost
}

/** Puts small pieces together. */
class Gatherer {
  #buffer: Buffer | undefined
  #filled = 0

  get empty(): boolean {
    return this.#filled === 0
  }

  /** @returns false when there is no room left for `piece` */
  add(piece: Uint8Array): boolean {
    if (this.#filled + piece.length > GATHERED) return false
    this.#buffer ??= Buffer.allocUnsafe(GATHERED)
    this.#buffer.set(piece, this.#filled)
    this.#filled += piece.length
    return true
  }

  take(): Uint8Array | undefined {
    const taken = this.#filled > 0 ? this.#buffer?.subarray(0, this.#filled) : undefined
    this.#buffer = undefined
    this.#filled = 0
    return taken
  }
}

/** The content of a file that is a single block, a view of it; undefined for larger ones. */
export function wholeContent({ root, parts }: FileNode): Uint8Array | undefined {
  return root.node.length === 0 ? parts.own : undefined
}

/** A node's own bytes from a place on. */
function pieceOf({ loaded, parts }: Node, from = 0): Piece {
  return new Piece(loaded.cid, parts.own.subarray(from), from)
}

/**
 * The bytes of a file: `length` of them from `offset` on. The place is found, and what is wrong on the way thrown, before the first is asked for.
 *
 * @throws E_NODES_MISSING, E_UNIXFS_TOO_DEEP, E_UNIXFS_HOLLOW, and what {@link partsOfFile} does
 */
export async function readFile(
  file: FileNode,
  sources: Sources,
  { offset = 0n, length, ...options }: BlockOptions & { offset?: bigint; length?: bigint } = {}
): Promise<AsyncIterable<Uint8Array>> {
  const reader = new FileReader(file, sources, options)
  try {
    await reader.seek(offset)
  } catch (error) {
    reader.close()
    throw error
  }
  return reader.chunks(length)
}
