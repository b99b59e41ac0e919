import type { OpenFile } from '../../../core/index.ts'

/** Reads an open file at any place; who goes on where the last read ended goes on in the same stream. One read at a time. */
export class Reader {
  readonly #file: Pick<OpenFile, 'size' | 'read'>
  #bytes: AsyncIterator<Uint8Array> | undefined
  #left: Uint8Array = new Uint8Array(0)
  #at = -1n
  #turn: Promise<unknown> = Promise.resolve()

  constructor(file: Pick<OpenFile, 'size' | 'read'>) {
    this.#file = file
  }

  /** Up to `size` bytes from `offset`; fewer only at the end of the file. */
  read(offset: bigint, size: number): Promise<Uint8Array> {
    const read = this.#turn.then(() => this.#read(offset, size))
    this.#turn = read.catch(() => this.#drop())
    return read
  }

  /** Lets go of what the stream holds. */
  async close(): Promise<void> {
    await this.#turn
    await this.#drop()
  }

  async #read(offset: bigint, size: number): Promise<Uint8Array> {
    if (offset >= this.#file.size) return new Uint8Array(0)
    if (offset !== this.#at || this.#bytes === undefined) await this.#seek(offset)
    const out = Buffer.allocUnsafe(size)
    let filled = 0
    while (filled < size) {
      if (this.#left.length === 0) {
        const { done, value } = await this.#bytes!.next()
        if (done) break
        this.#left = value
      }
      const piece = this.#left.subarray(0, size - filled)
      out.set(piece, filled)
      filled += piece.length
      this.#left = this.#left.subarray(piece.length)
    }
    this.#at = offset + BigInt(filled)
    return out.subarray(0, filled)
  }

  async #seek(offset: bigint): Promise<void> {
    await this.#drop()
    this.#bytes = (await this.#file.read({ offset }))[Symbol.asyncIterator]()
    this.#at = offset
  }

  async #drop(): Promise<void> {
    const bytes = this.#bytes
    this.#bytes = undefined
    this.#left = new Uint8Array(0)
    this.#at = -1n
    await bytes?.return?.()
  }
}
