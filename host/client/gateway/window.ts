/**
 * Blocks that came before anybody asked for them, and room for some that were asked for. Holds no more than its room: those that were asked
 * for go first, then the oldest.
 */
export class Window {
  readonly #room: number
  readonly #ahead = new Map<string, Uint8Array>()
  readonly #used = new Map<string, Uint8Array>()
  #aheadBytes = 0
  #usedBytes = 0

  /** @param room - in bytes */
  constructor(room: number) {
    this.#room = room
  }

  /** Bytes that nobody has asked for yet. */
  get ahead(): number {
    return this.#aheadBytes
  }

  /** Whether nothing more should be read ahead. */
  get isFull(): boolean {
    return this.#aheadBytes >= this.#room
  }

  /** The block, if it is here. */
  take(key: string): Uint8Array | undefined {
    const bytes = this.#ahead.get(key)
    if (bytes === undefined) return this.#used.get(key)
    this.#ahead.delete(key)
    this.#aheadBytes -= bytes.length
    this.#keep(key, bytes)
    return bytes
  }

  /** Puts a block in that nobody has asked for. @returns bytes of such ones that had to go for it */
  add(key: string, bytes: Uint8Array): number {
    if (this.#ahead.has(key) || this.#used.has(key)) return 0
    this.#ahead.set(key, bytes)
    this.#aheadBytes += bytes.length
    let gone = 0
    for (const [oldest, { length }] of this.#ahead) {
      if (this.#aheadBytes <= this.#room || oldest === key) break
      this.#ahead.delete(oldest)
      this.#aheadBytes -= length
      gone += length
    }
    this.#trim()
    return gone
  }

  /** Puts a block in that was asked for: it may be asked for again. */
  used(key: string, bytes: Uint8Array): void {
    if (!this.#ahead.has(key)) this.#keep(key, bytes)
  }

  #keep(key: string, bytes: Uint8Array): void {
    const before = this.#used.get(key)
    if (before !== undefined) {
      this.#used.delete(key)
      this.#usedBytes -= before.length
    }
    this.#used.set(key, bytes)
    this.#usedBytes += bytes.length
    this.#trim()
  }

  #trim(): void {
    for (const [oldest, { length }] of this.#used) {
      if (this.#aheadBytes + this.#usedBytes <= this.#room) return
      this.#used.delete(oldest)
      this.#usedBytes -= length
    }
  }

  clear(): void {
    this.#ahead.clear()
    this.#used.clear()
    this.#aheadBytes = 0
    this.#usedBytes = 0
  }
}
