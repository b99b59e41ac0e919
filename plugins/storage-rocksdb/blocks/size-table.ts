import { RowTable } from '../../../core/blocks/row-table.ts'

/** Bits of a key that say in which of the tables it is: one that grows holds up nobody for long. */
const TABLE_BITS = 4
/** Rows of a table that there is memory for at first. */
const FIRST_ROWS = 1 << 6
/** The largest size there is room for. */
const MOST = 0x7fffffff
/** The bit that is set where the block lies in a file of its own. */
const APART = 0x80000000

/**
 * Sizes by a fingerprint of 63 bits of a key: 12 bytes a row. Two keys with the same fingerprint count as one, which happens by chance once
 * in millions of tables of a million keys.
 */
export class SizeTable {
  readonly #tables = Array.from({ length: 1 << TABLE_BITS }, () => new RowTable({ key: 2, hasValue: true, rows: FIRST_ROWS }))
  #count = 0
  #total = 0
  #apart = 0

  /** Keys there are. */
  get count(): number {
    return this.#count
  }

  /** Sum of their sizes. */
  get total(): number {
    return this.#total
  }

  /** Sum of the sizes of those in files of their own. */
  get apart(): number {
    return this.#apart
  }

  /** Sizes that 31 bits do not hold count as the largest that they do. */
  set(key: Uint8Array, given: number, apart: boolean): void {
    const size = Math.min(given, MOST)
    const table = this.#tableOf(key)
    const before = table.count
    const row = table.add(lowWord(key), highWord(key))
    this.#count += table.count - before
    this.#forget(table, row)
    this.#total += size
    if (apart) this.#apart += size
    table.setValue(row, apart ? size + APART : size)
  }

  /** Never false of a key that is there. */
  has(key: Uint8Array): boolean {
    return this.#tableOf(key).find(lowWord(key), highWord(key)) >= 0
  }

  delete(key: Uint8Array): void {
    const table = this.#tableOf(key)
    const row = table.find(lowWord(key), highWord(key))
    if (row < 0) return
    this.#forget(table, row)
    table.delete(row)
    this.#count--
  }

  #tableOf(key: Uint8Array): RowTable {
    return this.#tables[highWord(key) & ((1 << TABLE_BITS) - 1)]!
  }

  /** Takes what a row holds out of the sums. */
  #forget(table: RowTable, row: number): void {
    const held = table.value(row)
    const size = held % APART
    this.#total -= size
    if (held >= APART) this.#apart -= size
  }
}

/** The last four bytes of a key, where a multihash has its digest. */
const lowWord = (key: Uint8Array) => wordAt(key, key.length - 4)

/** The four before them, less a bit, which says that a row is taken. */
const highWord = (key: Uint8Array) => wordAt(key, key.length - 8) | APART

/** Bytes before the first are zeros. */
function wordAt(key: Uint8Array, at: number): number {
  return ((key[at] ?? 0) << 24) | ((key[at + 1] ?? 0) << 16) | ((key[at + 2] ?? 0) << 8) | (key[at + 3] ?? 0)
}
