/** Reads RocksDB's tables without RocksDB, which gives up a file where one of its bits is wrong: block-based, format 6, not compressed, as this store writes them. */
import { type Channel, channel } from 'node:diagnostics_channel'
import { type FileHandle, open } from 'node:fs/promises'
import { setImmediate as nextTurn } from 'node:timers/promises'
import { type Entry, entriesOf, handles, indexOf, type KeyPiece, type Piece, sizeAt, TRAILER } from './block.ts'
import { bitFor, LONG, STRIPE, xxh3Low } from './xxh3.ts'

const FOOTER = 53
const MAGIC = Buffer.from('f7cff485b741e288', 'hex')
const LAST_BYTE_FACTOR = 0x6b9083d9
const XXH3 = 4
const FORMAT = 6
/** Bytes of a piece of a file in which a single wrong bit is looked for: the time grows with their square, up to some 20 s. */
const MOST_MENDED = 512 * 1024
/** Bytes of a table that are read at a time where its index is lost, and at most: those of one piece. */
const WINDOW = 4 << 20
const MOST_WINDOW = 64 << 20
/** Milliseconds of that after which others get their turn. */
const TURN = 5

/** Told as long as a wrong bit is looked for. */
export const searching: Channel = channel('holdfast.storage.searching')

/** What was read of a piece. `isWhole`: its checksum fits, or does once a single bit is turned back. */
export interface ReadPiece {
  readonly entries: readonly Entry[]
  readonly isWhole: boolean
  /** Whether all its entries were found. */
  readonly isComplete: boolean
}

export class Table {
  readonly path: string
  readonly #file: FileHandle
  readonly #size: number
  /** Mixed into checksums by the place of what they are of; undefined: the footer is lost. */
  #context: number | undefined
  /** The pieces with keys, in their order; undefined: the index is lost. */
  readonly pieces: readonly KeyPiece[] | undefined

  private constructor(path: string, file: FileHandle, size: number, context: number | undefined, pieces: readonly KeyPiece[] | undefined) {
    this.path = path
    this.#file = file
    this.#size = size
    this.#context = context
    this.pieces = pieces
  }

  /** @param mends - whether single wrong bits on the way to the pieces are looked for, which may take seconds */
  static async open(path: string, mends: boolean): Promise<Table> {
    const file = await open(path, 'r')
    try {
      const { size } = await file.stat()
      const at = size - FOOTER
      const footer = at < 0 ? undefined : await wholeOf(await readFully(file, at, FOOTER), footerAt(at), mends)
      if (footer === undefined) return new Table(path, file, size, undefined, undefined)
      const context = footer.bytes.readUInt32LE(9)
      const whole = async (piece: Piece | undefined) => {
        if (piece === undefined || !(piece.offset >= 0 && piece.offset + piece.size < size)) return undefined
        const bytes = await readFully(file, piece.offset, piece.size + TRAILER)
        return (await wholeOf(bytes, pieceAt(piece.offset, context), mends))?.bytes
      }
      const meta = footer.bytes.readUInt32LE(13)
      const metaBlock = await whole({ size: meta, offset: at - TRAILER - meta })
      const indexBlock = await whole(metaBlock && handles(metaBlock).get('rocksdb.index'))
      return new Table(path, file, size, context, indexBlock && indexOf(indexBlock))
    } catch (error) {
      await file.close()
      throw error
    }
  }

  close(): Promise<void> {
    return this.#file.close()
  }

  /** All that can be read of a piece, in its order. */
  async read({ offset, size }: Piece, mends: boolean): Promise<ReadPiece> {
    const bytes = await readFully(this.#file, offset, size + TRAILER)
    const context = this.#context ?? 0
    const whole = await wholeOf(bytes, pieceAt(offset, context), mends)
    return { ...entriesOf(whole?.bytes ?? bytes, size), isWhole: whole !== undefined }
  }

  /** The pieces by what lies in the file alone, where the index is lost: as far as one follows the other. @param window - bytes read at a time */
  async *walk(window = WINDOW): AsyncGenerator<Piece> {
    let from = 0
    let bytes = await readFully(this.#file, from, Math.min(window, this.#size))
    this.#context ??= contextOf(await readFully(this.#file, 0, Math.min(WINDOW, this.#size)))
    for (let offset = 0; offset < this.#size; ) {
      let size = sizeAt(bytes, offset - from)
      // What ends with the window may go on behind it.
      for (let most = window; size === undefined && from + bytes.length < this.#size && most <= MOST_WINDOW; most *= 2) {
        from = offset
        bytes = await readFully(this.#file, from, Math.min(most, this.#size - from))
        size = sizeAt(bytes, 0)
      }
      // The last has none behind it, or a damaged one.
      if (size === undefined) return
      yield { offset, size }
      offset += size + TRAILER
    }
  }
}

async function readFully(file: FileHandle, offset: number, length: number): Promise<Buffer> {
  const bytes = Buffer.alloc(length)
  const { bytesRead } = await file.read(bytes, 0, length, offset)
  return bytes.subarray(0, bytesRead)
}

/**
 * Turns back the one bit of a piece of a table, or of its end, that is wrong: with it alone the checksum fits.
 *
 * @param piece - undefined: the end of the table
 * @returns the place of the byte; undefined where nothing, or more, is wrong
 */
export async function mendTable(path: string, piece: Piece | undefined): Promise<number | undefined> {
  const file = await open(path, 'r+')
  try {
    const { size } = await file.stat()
    const at = size - FOOTER
    const footer = await wholeOf(await readFully(file, at, FOOTER), footerAt(at), true)
    if (footer === undefined) return undefined
    const context = footer.bytes.readUInt32LE(9)
    const found =
      piece === undefined
        ? { ...footer, offset: at }
        : {
            ...(await wholeOf(await readFully(file, piece.offset, piece.size + TRAILER), pieceAt(piece.offset, context), true)),
            offset: piece.offset
          }
    if (found.bytes === undefined || found.flipped === undefined) return undefined
    await file.write(found.bytes, found.flipped, 1, found.offset + found.flipped)
    await file.datasync()
    return found.offset + found.flipped
  } finally {
    await file.close()
  }
}

/** How bytes of a table are held against their checksum. */
interface Sum {
  isWhole(bytes: Buffer): boolean
  /** The hash that all but the trailer should have; undefined: they are too few to look for a bit by it. */
  wanted?(bytes: Buffer): number
}

/** The bytes as they are, or with the one bit turned back that was wrong, in the byte `flipped`. @returns undefined where neither is right */
async function wholeOf(bytes: Buffer, sum: Sum, mends: boolean): Promise<{ bytes: Buffer; flipped?: number } | undefined> {
  if (sum.isWhole(bytes)) return { bytes }
  if (!mends || bytes.length > MOST_MENDED) return undefined
  let since = performance.now()
  for (const found of flips(bytes, sum)) {
    if (found !== undefined) {
      bytes[found.at]! ^= found.mask
      if (sum.isWhole(bytes)) return { bytes, flipped: found.at }
      bytes[found.at]! ^= found.mask
    }
    if (performance.now() - since < TURN) continue
    if (searching.hasSubscribers) searching.publish(undefined)
    await nextTurn()
    since = performance.now()
  }
  return undefined
}

/** The bits that may be the wrong one, with pauses between. */
function* flips(bytes: Buffer, { wanted }: Sum): Generator<{ readonly at: number; readonly mask: number } | undefined> {
  const hashed = bytes.length - TRAILER
  const isLong = wanted !== undefined && hashed >= LONG
  // The trailer, and what a search by the hash leaves out.
  for (let at = isLong ? hashed - STRIPE - 4 : 0; at < bytes.length; at++) for (let mask = 1; mask < 256; mask <<= 1) yield { at, mask }
  if (isLong) yield* bitFor(bytes.subarray(0, hashed), wanted(bytes))
}

function contextAt(context: number, offset: number): number {
  if (context === 0) return 0
  return (context ^ ((offset % 2 ** 32) + Math.floor(offset / 2 ** 32))) >>> 0
}

/** What is mixed into the checksums, by what two pieces agree on. */
function contextOf(bytes: Buffer): number | undefined {
  const seen = new Set<number>()
  for (let offset = 0, tries = 0; tries < 8; tries++) {
    const size = sizeAt(bytes, offset)
    if (size === undefined) break
    const mixed = (bytes.readUInt32LE(offset + size + 1) - sumOf(bytes.subarray(offset, offset + size + 1))) >>> 0
    const context = (mixed ^ offset) >>> 0
    if (seen.has(context)) return context
    seen.add(context)
    offset += size + TRAILER
  }
  return [...seen][0]
}

/** A piece with its trailer, as it was written to a place. */
function pieceAt(offset: number, context: number): Sum {
  const stored = (bytes: Buffer) => (bytes.readUInt32LE(bytes.length - 4) - contextAt(context, offset)) >>> 0
  return {
    isWhole: bytes => bytes.length > TRAILER && stored(bytes) === sumOf(bytes.subarray(0, -4)),
    wanted: bytes => (stored(bytes) ^ ofLastByte(bytes[bytes.length - TRAILER]!)) >>> 0
  }
}

function sumOf(bytes: Buffer): number {
  const last = bytes.length - 1
  return (xxh3Low(bytes.subarray(0, last)) ^ ofLastByte(bytes[last]!)) >>> 0
}

function ofLastByte(byte: number): number {
  return Math.imul(byte, LAST_BYTE_FACTOR)
}

function footerAt(offset: number): Sum {
  return { isWhole: bytes => isFooter(bytes, offset) }
}

function isFooter(bytes: Buffer, offset: number): boolean {
  if (bytes.length !== FOOTER || bytes[0] !== XXH3 || bytes.readUInt32LE(41) !== FORMAT || !bytes.subarray(45).equals(MAGIC)) return false
  const cleared = Buffer.from(bytes)
  cleared.writeUInt32LE(0, 5)
  return bytes.readUInt32LE(5) === (sumOf(cleared) + contextAt(bytes.readUInt32LE(9), offset)) % 2 ** 32
}
