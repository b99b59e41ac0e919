import type { Block, BlockOptions, Blocks } from '../services/storage/blocks.ts'

/** A batch goes to the store at so many blocks, or bytes. */
const MOST_BLOCKS = 256
const MOST_BYTES = 2 * 1024 * 1024
/** Memory of a batch: what makes it full, and one more block of any usual size. */
const SLAB = MOST_BYTES + 1024 * 1024 + 1024

/**
 * Stores blocks in batches, one of them while the next is gathered. The first failure is thrown at the next {@link put} or at
 * {@link settled}; no batch is begun after it. Blocks read into {@link room} take the same memory however many there are.
 */
export class BatchWriter {
  readonly #blocks: Pick<Blocks, 'putAll'>
  readonly #options: BlockOptions | undefined
  #batch: Block[] = []
  #bytes = 0
  #writing: Promise<void> = Promise.resolve()
  /** The memory of the batch that is gathered, and of the one that is written. */
  #slabs: [Buffer | undefined, Buffer | undefined] = [undefined, undefined]
  #used = 0

  constructor(blocks: Pick<Blocks, 'putAll'>, options?: BlockOptions) {
    this.#blocks = blocks
    this.#options = options
  }

  /** Memory for the next block to be put. It is used again once that block's batch is stored. */
  room(size: number): Uint8Array {
    this.#slabs[0] ??= Buffer.allocUnsafeSlow(SLAB)
    const start = this.#used
    if (start + size > SLAB) return Buffer.allocUnsafeSlow(size)
    this.#used += size
    return this.#slabs[0].subarray(start, start + size)
  }

  /** A promise where there is no room for more yet. */
  put(block: Block): Promise<void> | undefined {
    this.#batch.push(block)
    this.#bytes += block.bytes.length
    return this.#batch.length >= MOST_BLOCKS || this.#bytes >= MOST_BYTES ? this.#flush() : undefined
  }

  /** Resolves when every block is stored. */
  async settled(): Promise<void> {
    await this.#flush()
    await this.#writing
  }

  /** Drops what no batch was begun for, and waits for the one that was. Never rejects. */
  async abandon(): Promise<void> {
    this.#batch = []
    await this.#writing.catch(() => {})
  }

  async #flush(): Promise<void> {
    await this.#writing
    const batch = this.#batch
    if (batch.length === 0) return
    this.#batch = []
    this.#bytes = 0
    this.#used = 0
    this.#slabs.reverse()
    this.#writing = this.#blocks.putAll(batch, this.#options)
    this.#writing.catch(() => {})
  }
}
