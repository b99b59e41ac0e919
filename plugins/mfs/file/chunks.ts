/** Content that is cut into chunks of one size, the last of which may be smaller. */
export interface Chunks {
  readonly isDone: boolean
  /** The next. The same memory means the same content. */
  next(): Uint8Array
}

/** Size of the chunks of what is written (Kubo 0.28: `chunker.DefaultSplitter`). */
const CHUNK = 262_144
/** Size of the chunks that fill a gap with zeros (boxo 0.19, ipld/unixfs/mod). */
const GAP_CHUNK = 4096

export class BytesInChunks implements Chunks {
  readonly #bytes: Uint8Array
  #at: number

  constructor(bytes: Uint8Array, from: number) {
    this.#bytes = bytes
    this.#at = from
  }

  get isDone(): boolean {
    return this.#at >= this.#bytes.length
  }

  next(): Uint8Array {
    const chunk = this.#bytes.subarray(this.#at, this.#at + CHUNK)
    this.#at += chunk.length
    return chunk
  }
}

const ZEROS = new Uint8Array(GAP_CHUNK)

export class Zeros implements Chunks {
  #left: number

  constructor(length: number) {
    this.#left = length
  }

  get isDone(): boolean {
    return this.#left === 0
  }

  next(): Uint8Array {
    const size = Math.min(this.#left, GAP_CHUNK)
    this.#left -= size
    return size === GAP_CHUNK ? ZEROS : ZEROS.subarray(0, size)
  }
}
