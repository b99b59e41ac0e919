import { hash } from 'node:crypto'

/** 32-bit words of a row: four of a digest, one of the value. */
const ROW = 5
const VALUE = 4
const SMALLEST = 1024
/** Rows that are taken of those that there are, at most. */
const LOAD = 0.75

/**
 * Values by 128 bits of a digest, in one array: rows of 20 bytes, a quarter of them free or more, so that a million take the same memory
 * whatever texts they were made of. Value 0 is that of none.
 */
export class DigestTable {
  #rows = new Uint32Array(SMALLEST * ROW)
  #count = 0

  get size(): number {
    return this.#count
  }

  /** Bytes of memory. */
  get bytes(): number {
    return this.#rows.byteLength
  }

  get(key: Uint32Array): number {
    return this.#rows[at(this.#rows, key) + VALUE]!
  }

  /** Sets a value in the place of one of the same key. */
  set(key: Uint32Array, value: number): void {
    if (this.#count >= (this.#rows.length / ROW) * LOAD) this.#grow()
    const row = at(this.#rows, key)
    if (this.#rows[row + VALUE] === 0) this.#count++
    this.#rows.set(key, row)
    this.#rows[row + VALUE] = value
  }

  #grow(): void {
    const rows = new Uint32Array(this.#rows.length * 2)
    for (let i = 0; i < this.#rows.length; i += ROW) {
      if (this.#rows[i + VALUE] === 0) continue
      const row = this.#rows.subarray(i, i + ROW)
      rows.set(row, at(rows, row))
    }
    this.#rows = rows
  }
}

/** The row of a key, or the free one where it belongs. */
function at(rows: Uint32Array, key: Uint32Array): number {
  const most = rows.length / ROW
  for (let i = key[0]! % most; ; i = (i + 1) % most) {
    const row = i * ROW
    if (rows[row + VALUE] === 0) return row
    if (rows[row] === key[0] && rows[row + 1] === key[1] && rows[row + 2] === key[2] && rows[row + 3] === key[3]) return row
  }
}

/** The key of a thing: of its kind and all that tells it from others. */
export function keyOf(kind: string, ...parts: ReadonlyArray<string | Uint8Array>): Uint32Array {
  const pieces = [Buffer.from(kind, 'latin1'), ...parts.map(part => (typeof part === 'string' ? Buffer.from(part) : part))]
  // each part behind its length, so that no two lists of parts are the same bytes
  const all = pieces.flatMap(piece => [Buffer.from(Uint32Array.of(piece.length).buffer), piece])
  const digest = hash('sha256', Buffer.concat(all), 'buffer')
  return new Uint32Array(digest.buffer, digest.byteOffset, VALUE)
}
