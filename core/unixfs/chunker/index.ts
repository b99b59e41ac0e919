import { hasCode } from '../../errors.ts'
import type { Cutter } from './cutter.ts'

export { type Chunker, MAX_CHUNK, parseChunker } from './spec.ts'

const NOTHING = new Uint8Array(0)

/** Gives out the memory that a leaf is made in: `size` bytes of payload, with room before and after for what is put around it. */
export interface LeafMemory {
  /** Memory for one of many leaves of this size. */
  take(size: number): LeafBuffer
  /** Memory for a leaf like no other. */
  takeOnce(size: number): LeafBuffer
}

export interface LeafBuffer {
  readonly bytes: Buffer
  /** Where the payload starts. */
  readonly start: number
  /** Gives the memory back, after which nobody may look at it. Absent where it belongs to its leaf. */
  release?(): void
}

/** One chunk of a file, in memory of its own. */
export interface Chunk {
  readonly buffer: LeafBuffer
  readonly size: number
}

/** Cuts one file's bytes into chunks. Each byte is copied once, into the memory that its block will be made of. */
export class Chunks {
  readonly #source: AsyncIterator<Uint8Array>
  readonly #cutter: Cutter
  readonly #memory: LeafMemory
  /** The piece of the source at hand, and how much of it is in chunks. */
  #bytes: Uint8Array = NOTHING
  #at = 0
  #isFirst = true
  #isOver = false

  constructor(source: AsyncIterable<Uint8Array>, cutter: Cutter, memory: LeafMemory) {
    this.#source = source[Symbol.asyncIterator]()
    this.#cutter = cutter
    this.#memory = memory
  }

  /** @returns undefined at the end */
  async next(): Promise<Chunk | undefined> {
    let chunk: GrowingChunk | undefined
    do {
      if (this.#bytes === NOTHING && !(await this.#more())) break
      const { most } = this.#cutter
      // A file that comes in one piece takes no more memory than it has bytes.
      chunk ??= new GrowingChunk(this.#cutter, this.#memory, this.#isFirst && this.#bytes.length < most ? this.#bytes.length : undefined)
      this.#isFirst = false
      this.#at += chunk.append(this.#bytes, this.#at)
      // What is lent is gone when the next is asked for.
      if (this.#at === this.#bytes.length) this.#bytes = NOTHING
    } while (!chunk.ended)
    return chunk
  }

  /** Lets go of the source, unless it is at its end. Never rejects: who leaves has a reason, which says more. */
  async leave(): Promise<void> {
    if (!this.#isOver) await this.#source.return?.().then(undefined, () => {})
  }

  /** @returns false at the end of the source */
  async #more(): Promise<boolean> {
    try {
      while (!this.#isOver) {
        const { done = false, value } = await this.#source.next()
        this.#isOver = done
        if (done || value.length === 0) continue
        this.#bytes = value
        this.#at = 0
        return true
      }
    } catch (error) {
      this.#isOver = true
      // The reference takes an upload that breaks off for the end of the file; what is wrong shows when it looks for the next one.
      if (!hasCode(error, 'E_UNEXPECTED_EOF')) throw error
    }
    return false
  }
}

class GrowingChunk implements Chunk {
  ended = false
  size = 0
  buffer: LeafBuffer
  readonly #cutter: Cutter
  readonly #memory: LeafMemory
  #payload: Buffer

  /** @param expected - its size, where that is likely and less than it could become */
  constructor(cutter: Cutter, memory: LeafMemory, expected: number | undefined) {
    this.#cutter = cutter
    this.#memory = memory
    this.buffer = expected === undefined ? memory.take(cutter.most) : memory.takeOnce(expected)
    this.#payload = payloadOf(this.buffer, expected ?? cutter.most)
    cutter.begin()
  }

  /** Takes what belongs to the chunk from `bytes` on. @returns how many bytes that are */
  append(bytes: Uint8Array, from: number): number {
    const { most } = this.#cutter
    const before = this.size
    const to = Math.min(most, before + bytes.length - from)
    if (to > this.#payload.length) this.#grow()
    this.#payload.set(from === 0 && to - before === bytes.length ? bytes : bytes.subarray(from, from + to - before), before)
    const end = this.#cutter.end(this.#payload, before, to)
    this.size = end < 0 ? to : end
    this.ended = end >= 0 || to === most
    return this.size - before
  }

  #grow(): void {
    const old = this.buffer
    const { most } = this.#cutter
    this.buffer = this.#memory.take(most)
    const payload = payloadOf(this.buffer, most)
    payload.set(this.#payload.subarray(0, this.size))
    this.#payload = payload
    old.release?.()
  }
}

function payloadOf({ bytes, start }: LeafBuffer, size: number): Buffer {
  return bytes.subarray(start, start + size)
}
