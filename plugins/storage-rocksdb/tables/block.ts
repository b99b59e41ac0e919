/** The blocks that RocksDB's tables are made of: keys that leave out how the one before begins, each with a value. */

/** Bytes behind a key: its number and what was done. */
const KEY_TRAILER = 8
const DELETION = 0
const VALUE = 1
/** Behind every block: how it is compressed, and its checksum. */
export const TRAILER = 5

/** A write as a table or a log has it; of several of one key the highest number is the last. */
export interface Entry {
  readonly key: Buffer
  readonly number: number
  /** Undefined: the key went. */
  readonly value: Buffer | undefined
}

/** The place of a piece of a file. */
export interface Piece {
  readonly offset: number
  readonly size: number
}

/** A piece of a table with keys. */
export interface KeyPiece extends Piece {
  /** No key of it is larger; undefined where the index is lost. */
  readonly last: Buffer | undefined
}

/** Reads numbers of 7 bits a byte, the lowest first. */
export class Cursor {
  readonly #bytes: Buffer
  at: number

  constructor(bytes: Buffer, at = 0) {
    this.#bytes = bytes
    this.at = at
  }

  /** @returns NaN where none ends */
  number(): number {
    let value = 0
    for (let factor = 1; factor < 2 ** 56; factor *= 128) {
      const byte = this.#bytes[this.at++]
      if (byte === undefined) return Number.NaN
      value += (byte & 127) * factor
      if (byte < 128) return value
    }
    return Number.NaN
  }

  take(length: number): Buffer {
    this.at += length
    return this.#bytes.subarray(this.at - length, this.at)
  }
}

/** Where the entries of a block of so many bytes end: the list of where keys are whole follows. */
function endOf(bytes: Buffer, size: number): number {
  if (size < 8) return 0
  const restarts = bytes.readUInt32LE(size - 4) & 0x0fffffff
  return Math.max(0, size - 4 - 4 * restarts)
}

/** Each key with its value, up to the first that makes no sense. */
function* rows(bytes: Buffer, end: number): Generator<{ key: Buffer; value: Buffer; end: number }> {
  const cursor = new Cursor(bytes)
  let key: Buffer = Buffer.alloc(0)
  while (cursor.at < end) {
    const [shared, own, length] = [cursor.number(), cursor.number(), cursor.number()]
    if (!(shared <= key.length && cursor.at + own + length <= bytes.length) || shared + own < 1) return
    key = Buffer.concat([key.subarray(0, shared), cursor.take(own)])
    yield { key, value: cursor.take(length), end: cursor.at }
  }
}

/** @returns the entries up to the first that makes no sense, and whether they are all that there are */
export function entriesOf(bytes: Buffer, size: number): { entries: Entry[]; isComplete: boolean } {
  // The count behind the entries may be what is damaged.
  const end = endOf(bytes, size)
  const found: Entry[] = []
  let read = 0
  let count = 0
  for (const { key, value, end: at } of rows(bytes, end === 0 ? size - 8 : end)) {
    if (at > size || key.length < KEY_TRAILER) break
    read = at
    count++
    const kind = key[key.length - KEY_TRAILER]
    // A damaged kind makes a removal of a value.
    if (kind === VALUE || (kind === DELETION && value.length === 0))
      found.push({
        key: key.subarray(0, key.length - KEY_TRAILER),
        number: key.readUIntLE(key.length - KEY_TRAILER + 1, 6) + key[key.length - 1]! * 2 ** 48,
        value: kind === VALUE ? value : undefined
      })
  }
  return { entries: found, isComplete: read === end && count > 0 && found.length === count }
}

/** The names of the other blocks, with their places. */
export function handles(bytes: Buffer): Map<string, Piece> {
  const found = new Map<string, Piece>()
  for (const { key, value } of rows(bytes, endOf(bytes, bytes.length - TRAILER)))
    found.set(key.toString('latin1'), pieceOf(new Cursor(value)))
  return found
}

function pieceOf(cursor: Cursor): Piece {
  return { offset: cursor.number(), size: cursor.number() }
}

/** The index has no lengths of values: a place in full where the key is, else how much larger than the one before the next is. */
export function indexOf(bytes: Buffer): KeyPiece[] {
  const end = endOf(bytes, bytes.length - TRAILER)
  const cursor = new Cursor(bytes)
  const found: KeyPiece[] = []
  let key: Buffer = Buffer.alloc(0)
  let last: Piece = { offset: 0, size: 0 }
  while (cursor.at < end) {
    const [shared, own] = [cursor.number(), cursor.number()]
    key = Buffer.concat([key.subarray(0, shared), cursor.take(own)])
    last = shared === 0 ? pieceOf(cursor) : { offset: last.offset + last.size + TRAILER, size: last.size + signed(cursor.number()) }
    found.push({ ...last, last: key })
  }
  return found
}

function signed(number: number): number {
  return number % 2 === 0 ? number / 2 : -(number + 1) / 2
}

/** The size of the block that begins at a place: its entries, and the list that ends with its own length. */
export function sizeAt(bytes: Buffer, offset: number): number | undefined {
  const block = bytes.subarray(offset)
  let end = 0
  let count = 0
  for (const row of rows(block, block.length)) {
    // the first keys whole are at 0, which is an entry with an empty key
    if (row.key.length < KEY_TRAILER) break
    end = row.end
    count++
  }
  if (count === 0) return undefined
  for (let restarts = 1; restarts <= count && end + 4 * restarts + 4 <= block.length; restarts++)
    if ((block.readUInt32LE(end + 4 * restarts) & 0x0fffffff) === restarts && block.readUInt32LE(end) === 0) return end + 4 * restarts + 4
  return undefined
}
