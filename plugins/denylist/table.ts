import { hash } from 'node:crypto'
import { RowTable } from '../../core/blocks/row-table.ts'

const FIRST_ROWS = 1024

/** 127 bits of a digest. */
export type DigestKey = readonly [number, number, number, number]

/** Values by their keys: rows of 20 bytes, a quarter of them free or more, so that a million take the same memory whatever texts they were made of. */
export class DigestTable {
  readonly #rows = new RowTable({ key: 4, hasValue: true, rows: FIRST_ROWS })

  get size(): number {
    return this.#rows.count
  }

  /** Bytes of memory. */
  get bytes(): number {
    return this.#rows.memory
  }

  /** The value of a key; 0 where there is none. */
  get(key: DigestKey): number {
    const row = this.#rows.find(...key)
    return row < 0 ? 0 : this.#rows.value(row)
  }

  /** Sets a value in the place of one of the same key. */
  set(key: DigestKey, value: number): void {
    this.#rows.setValue(this.#rows.add(...key), value)
  }
}

/** The key of a thing: of its kind and all that tells it from others. */
export function keyOf(kind: string, ...parts: ReadonlyArray<string | Uint8Array>): DigestKey {
  const pieces = [Buffer.from(kind, 'latin1'), ...parts.map(part => (typeof part === 'string' ? Buffer.from(part) : part))]
  // each part behind its length, so that no two lists of parts are the same bytes
  const all = pieces.flatMap(piece => [Buffer.from(Uint32Array.of(piece.length).buffer), piece])
  const digest = hash('sha256', Buffer.concat(all), 'buffer')
  // the last word of a row's key is never 0
  return [digest.readUInt32LE(0), digest.readUInt32LE(4), digest.readUInt32LE(8), digest.readUInt32LE(12) | 1]
}
