/** Reads RocksDB's tables without RocksDB, which gives up a file where one of its bits is wrong: block-based, format 6, not compressed, as this store writes them. */
import { type FileHandle, open } from 'node:fs/promises'
import { setImmediate as nextTurn } from 'node:timers/promises'
import { type Entry, entriesOf, handles, indexOf, type KeyPiece, type Piece, sizeAt, TRAILER } from './block.ts'
import { xxh3Low } from './xxh3.ts'

const FOOTER = 53
const MAGIC = Buffer.from('f7cff485b741e288', 'hex')
const LAST_BYTE_FACTOR = 0x6b9083d9
const XXH3 = 4
const FORMAT = 6
/** Bytes of a piece of a file in which a single wrong bit is looked for: takes seconds. */
const MOST_MENDED = 20 * 1024
/** Milliseconds of that after which others get their turn. */
const TURN = 5

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
      const footer = at < 0 ? undefined : await wholeOf(await readFully(file, at, FOOTER), bytes => isFooter(bytes, at), mends)
      if (footer === undefined) return new Table(path, file, size, undefined, undefined)
      const context = footer.bytes.readUInt32LE(9)
      const whole = async (piece: Piece | undefined) => {
        if (piece === undefined || !(piece.offset >= 0 && piece.offset + piece.size < size)) return undefined
        const bytes = await readFully(file, piece.offset, piece.size + TRAILER)
        return (await wholeOf(bytes, one => isSummed(one, piece.offset, context), mends))?.bytes
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
    const whole = await wholeOf(bytes, one => isSummed(one, offset, context), mends)
    return { ...entriesOf(whole?.bytes ?? bytes, size), isWhole: whole !== undefined }
  }

  /** The pieces by what lies in the file alone, where the index is lost: as far as one follows the other. */
  async *walk(): AsyncGenerator<Piece> {
    const bytes = await readFully(this.#file, 0, this.#size)
    this.#context ??= contextOf(bytes)
    for (let offset = 0; offset < this.#size; ) {
      const size = sizeAt(bytes, offset)
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
    const footer = await wholeOf(await readFully(file, at, FOOTER), bytes => isFooter(bytes, at), true)
    if (footer === undefined) return undefined
    const context = footer.bytes.readUInt32LE(9)
    const found =
      piece === undefined
        ? { ...footer, offset: at }
        : {
            ...(await wholeOf(
              await readFully(file, piece.offset, piece.size + TRAILER),
              one => isSummed(one, piece.offset, context),
              true
            )),
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

/** The bytes as they are, or with the one bit turned back that was wrong, in the byte `flipped`. @returns undefined where neither is right */
async function wholeOf(
  bytes: Buffer,
  isWhole: (bytes: Buffer) => boolean,
  mends: boolean
): Promise<{ bytes: Buffer; flipped?: number } | undefined> {
  if (isWhole(bytes)) return { bytes }
  if (!mends || bytes.length > MOST_MENDED) return undefined
  let since = performance.now()
  for (let flipped = 0; flipped < bytes.length; flipped++) {
    for (let mask = 1; mask < 256; mask <<= 1) {
      bytes[flipped]! ^= mask
      if (isWhole(bytes)) return { bytes, flipped }
      bytes[flipped]! ^= mask
    }
    if (performance.now() - since < TURN) continue
    await nextTurn()
    since = performance.now()
  }
  return undefined
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

/** Whether a block and its trailer are as they were written. */
function isSummed(bytes: Buffer, offset: number, context: number): boolean {
  const size = bytes.length - TRAILER
  return size > 0 && bytes.readUInt32LE(size + 1) === (sumOf(bytes.subarray(0, size + 1)) + contextAt(context, offset)) % 2 ** 32
}

function sumOf(bytes: Buffer): number {
  const last = bytes.length - 1
  return (xxh3Low(bytes.subarray(0, last)) ^ Math.imul(bytes[last]!, LAST_BYTE_FACTOR)) >>> 0
}

function isFooter(bytes: Buffer, offset: number): boolean {
  if (bytes.length !== FOOTER || bytes[0] !== XXH3 || bytes.readUInt32LE(41) !== FORMAT || !bytes.subarray(45).equals(MAGIC)) return false
  const cleared = Buffer.from(bytes)
  cleared.writeUInt32LE(0, 5)
  return bytes.readUInt32LE(5) === (sumOf(cleared) + contextAt(bytes.readUInt32LE(9), offset)) % 2 ** 32
}
