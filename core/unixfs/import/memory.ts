import type { LeafBuffer, LeafMemory } from '../chunker/index.ts'

/** Room before the payload of a leaf for dag-pb's and UnixFS's heads, and after it for their tails, in bytes. */
const HEAD_ROOM = 32
const TAIL_ROOM = 16
/** Buffers up to this size, in bytes, are not worth keeping. */
const SMALL = 32_768

/** Buffers of leaves that are used again once their blocks are stored, so that an import of any length works in the same memory. */
export class LeafPool implements LeafMemory {
  readonly #most: number
  readonly #free: Buffer[] = []
  /** Payload of the kept buffers, in bytes. */
  #size = 0

  /** @param most - buffers kept for the next leaves */
  constructor(most = 16) {
    this.#most = most
  }

  take(size: number): LeafBuffer {
    if (size <= SMALL) return { bytes: Buffer.allocUnsafe(size + HEAD_ROOM + TAIL_ROOM), start: HEAD_ROOM, release: nothing }
    if (size > this.#size) {
      this.#size = size
      this.#free.length = 0
    }
    const bytes = this.#free.pop() ?? Buffer.allocUnsafeSlow(this.#size + HEAD_ROOM + TAIL_ROOM)
    return { bytes, start: HEAD_ROOM, release: () => this.#keep(bytes) }
  }

  #keep(bytes: Buffer): void {
    if (bytes.length === this.#size + HEAD_ROOM + TAIL_ROOM && this.#free.length < this.#most) this.#free.push(bytes)
  }
}

function nothing(): void {}
