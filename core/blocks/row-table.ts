import { randomInt } from 'node:crypto'

/** Rows taken, of those that there is memory for, at most. */
const MOST_FULL = 0.75

/**
 * A table in one array of 32-bit words, which the collector of garbage need not walk. A row is a key of one to four words, the last of which is
 * never 0, and at most one word of value. Where a key is looked for first depends on its first word and on a factor that is secret, so that
 * nobody can make keys that are all looked for in one place. A row is spoken of by its place, which holds until the next `add` or `delete`.
 */
export class RowTable {
  readonly #key: number
  readonly #row: number
  readonly #factor = randomInt(2 ** 31) * 2 + 1
  #words: Uint32Array
  #rows: number
  #count = 0

  /** @param key - words of a key; @param rows - how many there is memory for at first: a power of two, at least 4 */
  constructor({ key, hasValue = false, rows }: { readonly key: 1 | 2 | 3 | 4; readonly hasValue?: boolean; readonly rows: number }) {
    this.#key = key
    this.#row = key + (hasValue ? 1 : 0)
    this.#rows = rows
    this.#words = new Uint32Array(rows * this.#row)
  }

  get count(): number {
    return this.#count
  }

  /** Rows that there is memory for. */
  get rows(): number {
    return this.#rows
  }

  /** Whether the next new key makes the table twice as large. */
  get isFull(): boolean {
    return this.#count >= this.#rows * MOST_FULL
  }

  /** Bytes of memory. */
  get memory(): number {
    return this.#words.byteLength
  }

  /** The place of a key, -1 where it is not there. */
  find(a: number, b?: number, c?: number, d?: number): number {
    const at = this.#look(a, b, c, d)
    return this.#isFree(at) ? -1 : at
  }

  /** The place of a key, put there with a value of 0 where it was not. */
  add(a: number, b = 0, c = 0, d = 0): number {
    let at = this.#look(a, b, c, d)
    if (!this.#isFree(at)) return at
    if (this.isFull) {
      this.#grow()
      at = this.#look(a, b, c, d)
    }
    const key = this.#key
    this.#words[at] = a
    if (key > 1) this.#words[at + 1] = b
    if (key > 2) this.#words[at + 2] = c
    if (key > 3) this.#words[at + 3] = d
    this.#count++
    return at
  }

  /** Adds the keys of another table whose keys have as many words. */
  addAll(other: RowTable): void {
    const words = other.#words
    for (let at = 0; at < words.length; at += other.#row) {
      if (!other.#isFree(at)) this.add(words[at]!, words[at + 1], words[at + 2], words[at + 3])
    }
  }

  value(place: number): number {
    return this.#words[place + this.#key]!
  }

  setValue(place: number, value: number): void {
    this.#words[place + this.#key] = value
  }

  /** Takes a row out, and moves those behind it up that were put there because their place was taken. */
  delete(place: number): void {
    const words = this.#words
    const row = this.#row
    const end = words.length
    let free = place
    for (let at = (place + row) % end; !this.#isFree(at); at = (at + row) % end) {
      const fromHome = (at - this.#home(words[at]!) + end) % end
      if (fromHome < (at - free + end) % end) continue
      words.copyWithin(free, at, at + row)
      free = at
    }
    words.fill(0, free, free + row)
    this.#count--
  }

  /** The first words of all keys. */
  *firstWords(): Iterable<number> {
    for (let at = 0; at < this.#words.length; at += this.#row) if (!this.#isFree(at)) yield this.#words[at]!
  }

  #isFree(place: number): boolean {
    return this.#words[place + this.#key - 1] === 0
  }

  #home(a: number): number {
    return (Math.imul(a, this.#factor) >>> Math.clz32(this.#rows - 1)) * this.#row
  }

  /** Where the key is, or belongs. Words are compared as unsigned ones. */
  #look(a: number, b = 0, c = 0, d = 0): number {
    const words = this.#words
    const key = this.#key
    const end = words.length
    for (let at = this.#home(a); ; at = at + this.#row === end ? 0 : at + this.#row) {
      if (words[at + key - 1] === 0) return at
      if (words[at] !== a >>> 0) continue
      if (key > 1 && words[at + 1] !== b >>> 0) continue
      if (key > 2 && words[at + 2] !== c >>> 0) continue
      if (key < 4 || words[at + 3] === d >>> 0) return at
    }
  }

  #grow(): void {
    const before = this.#words
    this.#rows *= 2
    this.#words = new Uint32Array(before.length * 2)
    for (let at = 0; at < before.length; at += this.#row) {
      if (before[at + this.#key - 1] === 0) continue
      const row = before.subarray(at, at + this.#row)
      this.#words.set(row, this.#look(row[0]!, row[1], row[2], row[3]))
    }
  }
}
