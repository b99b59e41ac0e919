import { BUZHASH_TABLE as T } from './buzhash-table.ts'
import type { Cutter } from './cutter.ts'

const WINDOW = 32
const MIN = 131_072
/** A cut on average every 2^17 bytes past the least. */
const MASK = 0x1ffff

/** Cuts where a rolling hash of 32 bytes has 17 zero bits, as the reference does (boxo 0.19, chunker/buzhash). */
export class BuzhashCutter implements Cutter {
  readonly most = 524_288
  #state = 0

  begin(): void {
    this.#state = 0
  }

  end(bytes: Uint8Array, from: number, to: number): number {
    let state = this.#state
    let at = Math.max(from, MIN - WINDOW)
    for (const full = Math.min(to, MIN); at < full; at++) state = ((state << 1) | (state >>> 31)) ^ T[bytes[at]!]!
    for (; at < to; at++) {
      if ((state & MASK) === 0) return at
      // On its way out a byte has been rotated by the whole window: by 32 bits, which is by nothing.
      state = ((state << 1) | (state >>> 31)) ^ T[bytes[at - WINDOW]!]! ^ T[bytes[at]!]!
    }
    this.#state = state
    return -1
  }
}
