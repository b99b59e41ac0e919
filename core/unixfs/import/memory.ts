import type { LeafBuffer, LeafMemory } from '../chunker/index.ts'

/** Room before the payload of a leaf for dag-pb's and UnixFS's heads, and after it for their tails, in bytes. */
const HEAD_ROOM = 32
const TAIL_ROOM = 16
/** The most memory that is kept for the next leaves: as much as may be on its way to the store at once. */
const MOST_BUFFERS = 64
const MOST_BYTES = 4 * 1024 * 1024

/** Buffers of leaves that are used again once their blocks are stored, so that an import of any length works in the same memory. */
export class LeafPool implements LeafMemory {
  readonly #free: Buffer[] = []
  /** Length of the kept buffers, in bytes. */
  #length = 0

  take(size: number): LeafBuffer {
    const length = HEAD_ROOM + size + TAIL_ROOM
    if (length !== this.#length) {
      this.#length = length
      this.#free.length = 0
    }
    const bytes = this.#free.pop() ?? Buffer.allocUnsafeSlow(length)
    return { bytes, start: HEAD_ROOM, release: () => this.#keep(bytes) }
  }

  takeOnce(size: number): LeafBuffer {
    return { bytes: Buffer.allocUnsafe(HEAD_ROOM + size + TAIL_ROOM), start: HEAD_ROOM }
  }

  #keep(bytes: Buffer): void {
    const { length } = this.#free
    if (bytes.length === this.#length && length < MOST_BUFFERS && length * bytes.length < MOST_BYTES) this.#free.push(bytes)
  }
}
