import type { CID } from 'multiformats/cid'
import { copyOfCid } from '../../cid/parse.ts'
import type { Reached } from '../../dag/walk/branch.ts'
import { TreeWalk } from '../../dag/walk/tree-walk.ts'
import { hasCode, messageOf } from '../../errors.ts'
import type { BlockOptions } from '../../services/storage/blocks.ts'
import { typeNames, UnixFsType } from '../types.ts'
import { decodeUnixFs } from './data.ts'
import { unixfsErrors } from './errors.ts'
import { type Codecs, decodeBlock, type FileNode, type LoadedBlock, LoadedBranch, type Sources } from './node.ts'
import { handOver, Piece } from './piece.ts'

export const HOLLOW = 100_000

/** Pieces smaller than this are put together, up to {@link GATHERED}, so that a file of tiny chunks is not sent byte by byte. */
export const SMALL = 16 << 10
const GATHERED = 64 << 10

/** Memory that a declared size takes, in bytes. */
const SIZE = 8

/** An inner node of a file. */
class Inner extends LoadedBranch {
  #sizes: readonly number[] | undefined

  constructor(loaded: LoadedBlock, codecs: Codecs) {
    super(loaded, codecs, SIZE * loaded.node.length)
  }

  load(index: number): CID {
    return this.node.cid(index)
  }

  /** The sizes that the node declares of its children: good enough to decide how far to read ahead. */
  weight(index: number): number {
    this.#sizes ??= this.#declared().slice(0, this.length)
    return this.#sizes[index] ?? 0
  }

  override close(): void {
    super.close()
    this.#sizes = undefined
  }

  #declared(): readonly number[] {
    try {
      return decodeUnixFs(this.node.data).blockSizes()
    } catch {
      return []
    }
  }
}

/**
 * The bytes of a file, at constant memory: leaves in order, several blocks loading ahead. As in Kubo 0.28 (boxo/ipld/unixfs/io) inner
 * nodes give no bytes of their own, the sizes they declare serve only to find an offset, and content ends where the leaves do.
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
  #next: LoadedBlock | undefined

  constructor({ size, root }: FileNode, sources: Sources, options?: BlockOptions) {
    const { blocks, limits } = sources
    this.size = size
    this.#sources = sources
    this.#options = options
    this.#walk = new TreeWalk(blocks, options, limits)
    this.#hollow = limits?.hollow ?? HOLLOW
    this.#root = root.node.length > 0 ? copyOfCid(root.cid) : undefined
    this.#next = root
  }

  /**
   * Moves to `offset`; before the first byte is read, once.
   *
   * @throws E_UNIXFS_SEEK when a node on the way does not say how large its children are
   */
  async seek(offset: bigint): Promise<void> {
    if (offset === 0n) return
    // files can declare more bytes than a number counts
    let left = offset
    this.#walk.wanted = 1
    while (this.#next !== undefined) {
      const { kind, node } = this.#next
      if (node.length === 0) {
        this.#found = pieceOf(this.#next, Number(left))
        this.#next = undefined
        break
      }
      if (kind !== 'dag-pb') throw unixfsErrors.E_UNIXFS_INNER()
      const unixfs = decodeUnixFs(node.data)
      if (unixfs.children !== node.length) throw unixfsErrors.E_UNIXFS_SEEK()
      const sizes = unixfs.exactBlockSizes()
      let child = 0
      while (child < sizes.length && sizes[child]! <= left) left -= BigInt(sizes[child++]!)
      this.#walk.enter(new Inner(this.#next, this.#sources.codecs), child)
      this.#next = child < sizes.length ? await this.#reach() : undefined
    }
    this.#walk.wanted = Number.POSITIVE_INFINITY
  }

  /** For a reader whose bytes nobody will ask for. */
  close(): void {
    this.#walk.close()
  }

  /** The bytes from here on, at most `length` of them. What a node declares is never believed. */
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
        hollow = piece.length === 0 ? hollow + 1 : 0
        if (hollow > this.#hollow) throw unixfsErrors.E_UNIXFS_HOLLOW(this.#hollow)
        if (hollow > 0) continue
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
    const loaded = this.#next ?? this.#taken()
    this.#next = undefined
    if (loaded === undefined) return undefined
    if (loaded.node.length === 0) return pieceOf(loaded)
    this.#walk.enter(new Inner(loaded, this.#sources.codecs))
    return new Piece(loaded.cid, new Uint8Array(0), 0)
  }

  #taken(): LoadedBlock | undefined {
    let reached: Reached<Inner> | undefined
    try {
      reached = this.#walk.take()
    } catch (error) {
      throw missing(error)
    }
    return reached && decodeBlock(reached.cid!, reached.loaded!, this.#sources.codecs)
  }

  /** Loads the content of a leaf once more. */
  readonly #again = async (cid: CID): Promise<Uint8Array> => {
    const { blocks, codecs } = this.#sources
    try {
      return leafData(decodeBlock(cid, await blocks.get(cid, { ...this.#options, transient: true }), codecs))
    } catch (error) {
      throw missing(error)
    }
  }

  async #reach(): Promise<LoadedBlock> {
    for (;;) {
      const loaded = this.#taken()
      if (loaded !== undefined) return loaded
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
export function wholeContent({ root }: FileNode): Uint8Array | undefined {
  return root.node.length === 0 ? leafData(root) : undefined
}

/** The content of a leaf from a place on. */
function pieceOf(loaded: LoadedBlock, from = 0): Piece {
  return new Piece(loaded.cid, leafData(loaded).subarray(from), from)
}

/** The content of a leaf, a view of its block. */
function leafData({ kind, bytes, node }: LoadedBlock): Uint8Array {
  if (kind === 'raw') return bytes
  if (kind === 'other') throw unixfsErrors.E_UNIXFS_TYPE()
  let type: number
  let data: Uint8Array | undefined
  try {
    ;({ type, data } = decodeUnixFs(node.data))
  } catch (error) {
    throw unixfsErrors.E_UNIXFS_LEAF_DATA(messageOf(error))
  }
  if (type !== UnixFsType.File && type !== UnixFsType.Raw) throw unixfsErrors.E_UNIXFS_LEAF(typeNames[type] ?? String(type))
  return data ?? new Uint8Array(0)
}

/**
 * The bytes of a file: `length` of them from `offset` on. The place is found, and what is wrong on the way thrown, before the first is asked for.
 *
 * @throws E_UNIXFS_SEEK, E_NODES_MISSING, E_UNIXFS_TOO_DEEP, E_UNIXFS_HOLLOW
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
