import type { BodyPart } from '../contract/body.ts'
import type { HeldInput } from './held.ts'

/** Bytes up to which memory comes out of a pool; beyond, powers of two, which are what most blocks have. */
const SMALL = 4096
/** Beyond so many, room for a block as large as most is taken at once: what of it is not filled is no memory yet. */
const LARGE = 32 * 1024
const USUAL_BLOCK = 256 * 1024

/** All bytes of a part, in memory that nothing else is written to. */
interface Gathered {
  readonly bytes: Uint8Array
  /** Frees the memory at once, where garbage would wait for a collection. Nobody may look at the bytes any more. */
  release(): void
}

/**
 * Reads a part whole. Where it is not whole already, each byte is copied out of the upload as it comes, so that the upload's memory is free
 * again at once.
 *
 * @param most - bytes
 * @param tooMuch - what is thrown when there are more
 * @param held - the share of this call in what all hold
 */
export async function gather(part: BodyPart, most: number, tooMuch: () => Error, held: HeldInput): Promise<Gathered> {
  if (part.whole !== undefined) return all(part.whole, most, tooMuch, held)
  const memory = new Growing()
  for await (const piece of part.bytes({ lent: true })) {
    if (memory.size + piece.length > most) throw tooMuch()
    held.add(piece.length)
    memory.add(piece)
  }
  return memory
}

function all(bytes: Uint8Array, most: number, tooMuch: () => Error, held: HeldInput): Gathered {
  if (bytes.length > most) throw tooMuch()
  held.add(bytes.length)
  // who keeps the bytes of a small part should not keep a large upload with them
  const unshared = bytes.length * 2 < bytes.buffer.byteLength ? Buffer.from(bytes) : bytes
  return { bytes: unshared, release() {} }
}

/** Memory that doubles when it is full. */
class Growing implements Gathered {
  size = 0
  #room = Buffer.alloc(0)

  get bytes(): Uint8Array {
    return this.#room.subarray(0, this.size)
  }

  add(piece: Uint8Array): void {
    const size = this.size + piece.length
    if (size > this.#room.length) this.#grow(size)
    this.#room.set(piece, this.size)
    this.size = size
  }

  release(): void {
    // What is smaller may share its memory with others.
    if (this.#room.length > SMALL) (this.#room.buffer as ArrayBuffer).transfer(0)
    this.#room = Buffer.alloc(0)
    this.size = 0
  }

  #grow(size: number): void {
    const larger = size > SMALL ? Buffer.allocUnsafeSlow(roomFor(size)) : Buffer.allocUnsafe(size)
    larger.set(this.bytes)
    const { size: filled } = this
    this.release()
    this.#room = larger
    this.size = filled
  }
}

function roomFor(size: number): number {
  return Math.max(size > LARGE ? USUAL_BLOCK : 0, 2 ** Math.ceil(Math.log2(size)))
}
