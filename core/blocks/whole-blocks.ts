import { randomInt } from 'node:crypto'

/** Blocks that are remembered at most, at 8 bytes each: a file of 16 GiB with the usual leaves. */
const SLOTS = 1 << 16

/**
 * Blocks whose bytes are known to be those of their hashes, by what this process did. Each has one slot by its digest, and gives it up to the
 * next one that has the same.
 */
export class WholeBlocks {
  /** Two words of each digest; no memory before the first block. */
  #words: Uint32Array | undefined
  readonly #factor = randomInt(2 ** 31) * 2 + 1

  has(multihash: Uint8Array): boolean {
    const words = this.#words
    if (words === undefined) return false
    const slot = this.#slotOf(multihash)
    return words[slot] === wordBefore(multihash, 4) && words[slot + 1] === wordBefore(multihash, 8)
  }

  add(multihash: Uint8Array): void {
    this.#words ??= new Uint32Array(2 * SLOTS)
    const slot = this.#slotOf(multihash)
    this.#words[slot] = wordBefore(multihash, 4)
    this.#words[slot + 1] = wordBefore(multihash, 8)
  }

  delete(multihash: Uint8Array): void {
    if (this.has(multihash)) this.#words!.fill(0, this.#slotOf(multihash), this.#slotOf(multihash) + 2)
  }

  #slotOf(multihash: Uint8Array): number {
    return (Math.imul(wordBefore(multihash, 12), this.#factor) >>> Math.clz32(SLOTS - 1)) * 2
  }
}

/** The word that begins so many bytes before the end; a short digest has fewer of them. */
function wordBefore(bytes: Uint8Array, from: number): number {
  const at = Math.max(0, bytes.length - from)
  return ((bytes[at]! << 24) | (bytes[at + 1]! << 16) | (bytes[at + 2]! << 8) | bytes[at + 3]!) >>> 0
}
