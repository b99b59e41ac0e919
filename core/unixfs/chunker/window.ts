/** A stream of bytes read with a view ahead: what cutters of content look at. Grows to the largest chunk and is used again. */
export class Window {
  readonly #source: AsyncIterator<Uint8Array>
  #pending: Uint8Array | undefined
  #buffer: Buffer
  #start = 0
  #end = 0
  #over = false

  constructor(source: AsyncIterable<Uint8Array>, size: number) {
    this.#source = source[Symbol.asyncIterator]()
    this.#buffer = Buffer.allocUnsafeSlow(size * 2)
  }

  /** Reads until `size` bytes are in view or the stream ends. @returns how many are in view, `size` at most */
  async see(size: number): Promise<number> {
    if (this.#start + size > this.#buffer.length) {
      this.#buffer.copyWithin(0, this.#start, this.#end)
      this.#end -= this.#start
      this.#start = 0
    }
    while (this.#end - this.#start < size && !this.#over) {
      if (this.#pending === undefined || this.#pending.length === 0) {
        const step = await this.#source.next()
        if (step.done === true) this.#over = true
        else this.#pending = step.value
        continue
      }
      const room = this.#buffer.length - this.#end
      const taken = this.#pending.subarray(0, room)
      this.#buffer.set(taken, this.#end)
      this.#end += taken.length
      this.#pending = this.#pending.subarray(taken.length)
      if (room === taken.length) break
    }
    return Math.min(size, this.#end - this.#start)
  }

  /** The bytes in view; valid until the next {@link see} or {@link take}. */
  get view(): Buffer {
    return this.#buffer.subarray(this.#start, this.#end)
  }

  /** A view of the next `size` bytes, which are then behind. Valid until the next {@link see}. */
  take(size: number): Buffer {
    const bytes = this.#buffer.subarray(this.#start, this.#start + size)
    this.#start += size
    return bytes
  }

  async close(): Promise<void> {
    await this.#source.return?.()
  }
}
