import type { LeafBuffer, LeafMemory } from '../chunker/index.ts'

/** Room before the payload of a leaf for dag-pb's and UnixFS's heads, and after it for their tails, in bytes. */
export const HEAD_ROOM = 32
export const TAIL_ROOM = 16

/** Buffers of leaves that are used again once their blocks are stored, so that an import of any length works in the same memory. */
export class LeafPool implements LeafMemory {
  readonly #free: Buffer[] = []
  #size = 0

  /** @param most - buffers kept for the next leaves */
  constructor(private readonly most = 16) {}

  take(size: number): LeafBuffer {
    if (size > this.#size) {
      this.#size = size
      this.#free.length = 0
    }
    const bytes = this.#free.pop() ?? Buffer.allocUnsafeSlow(this.#size + HEAD_ROOM + TAIL_ROOM)
    return {
      bytes,
      start: HEAD_ROOM,
      release: () => {
        if (bytes.length === this.#size + HEAD_ROOM + TAIL_ROOM && this.#free.length < this.most) this.#free.push(bytes)
      }
    }
  }
}
