import { readVarint } from '../cid/varint.ts'
import { dagErrors } from '../dag/errors.ts'
import { takenMemory } from '../memory.ts'

/** Bytes that there is made room for at once when they lie in several chunks; for more only as they come. */
const ROOM = 1024 * 1024

/** How much more room is made when it is full. Less would leave as much behind in rooms that were too small. */
const GROWTH = 4

/** Makes memory for that many bytes. */
export type Allocate = (size: number) => Uint8Array

/** Most bytes of a varint, as go-varint has it, with the byte that is too many. */
const LONGEST_VARINT = 10
const NOTHING = new Uint8Array(0)

/** Reads values of known length from chunks of any length. What lies within one chunk is handed out as a view of it. */
export class Input {
  readonly #chunks: AsyncIterator<Uint8Array>
  #chunk: Uint8Array = NOTHING
  #at = 0
  /** Bytes that may still be read behind the current chunk; `Infinity`: all there is. */
  #left = Number.POSITIVE_INFINITY

  constructor(source: AsyncIterable<Uint8Array>) {
    this.#chunks = source[Symbol.asyncIterator]()
  }

  /** From here on, the input has exactly this many bytes. */
  limit(size: number): void {
    const remaining = this.#chunk.length - this.#at
    if (remaining > size) this.#chunk = this.#chunk.subarray(0, this.#at + size)
    this.#left = Math.max(0, size - remaining)
  }

  /** @throws E_EOF when nothing is left, E_UNEXPECTED_EOF, E_VARINT */
  varint(): number | Promise<number> {
    if (this.#chunk.length - this.#at < LONGEST_VARINT) return this.#splitVarint()
    const { value, size } = readVarint(this.#chunk, this.#at)
    this.#at += size
    return value
  }

  async #splitVarint(): Promise<number> {
    const bytes = new Uint8Array(LONGEST_VARINT)
    for (let size = 0; ; ) {
      if (this.#at === this.#chunk.length && !(await this.#more())) throw size === 0 ? dagErrors.E_EOF() : dagErrors.E_UNEXPECTED_EOF()
      const byte = this.#chunk[this.#at++]!
      bytes[size++] = byte
      if (byte < 0x80 || size === bytes.length) return readVarint(bytes.subarray(0, size)).value
    }
  }

  /**
   * The next `size` bytes: a view of their chunk, or in memory of `allocate` where they lie in several.
   *
   * @throws E_EOF when nothing is left, E_UNEXPECTED_EOF
   */
  take(size: number, allocate: Allocate = Buffer.allocUnsafeSlow): Uint8Array | Promise<Uint8Array> {
    const end = this.#at + size
    if (end > this.#chunk.length) return this.#gather(size, allocate)
    const taken = this.#chunk.subarray(this.#at, end)
    this.#at = end
    return taken
  }

  /** @throws E_UNEXPECTED_EOF */
  async skip(size: number): Promise<void> {
    for (let left = size; left > 0; ) {
      if (this.#at === this.#chunk.length && !(await this.#more())) throw dagErrors.E_UNEXPECTED_EOF()
      const step = Math.min(left, this.#chunk.length - this.#at)
      this.#at += step
      left -= step
    }
  }

  async #gather(size: number, allocate: Allocate): Promise<Uint8Array> {
    let into = allocate(Math.min(size, ROOM))
    for (let have = 0; ; ) {
      const part = this.#chunk.subarray(this.#at, this.#at + size - have)
      if (have + part.length > into.length) {
        const grown = Buffer.allocUnsafeSlow(Math.min(size, Math.max(GROWTH * into.length, have + part.length)))
        if (takenMemory.hasSubscribers) takenMemory.publish(grown.length)
        grown.set(into.subarray(0, have))
        into = grown
      }
      into.set(part, have)
      have += part.length
      this.#at += part.length
      if (have === size) return into
      if (!(await this.#more())) throw have === 0 ? dagErrors.E_EOF() : dagErrors.E_UNEXPECTED_EOF()
    }
  }

  /** @returns false at the end */
  async #more(): Promise<boolean> {
    if (this.#left === 0) return false
    for (;;) {
      const { value, done } = await this.#chunks.next()
      if (done) {
        if (this.#left !== Number.POSITIVE_INFINITY) throw dagErrors.E_UNEXPECTED_EOF()
        return false
      }
      if (value.length === 0) continue
      this.#chunk = value.length > this.#left ? value.subarray(0, this.#left) : value
      this.#left -= this.#chunk.length
      this.#at = 0
      return true
    }
  }
}
