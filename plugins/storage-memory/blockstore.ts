import { FastBlockstore } from '../../core/blocks/blockstore.ts'
import { byteString } from '../../core/go/utf8.ts'
import type { BlockTotals, StoredBlock } from '../../core/index.ts'

interface Options {
  signal?: AbortSignal
}

/** Blocks in memory, by multihash, for tests and nodes that keep nothing. */
export class MemoryBlockstore extends FastBlockstore {
  /** Blocks by their multihash as a string of bytes: a Map compares no arrays. */
  readonly #blocks = new Map<string, Uint8Array>()

  async getBytes(multihash: Uint8Array, options?: Options): Promise<Uint8Array | undefined> {
    options?.signal?.throwIfAborted()
    return this.#blocks.get(byteString(multihash))
  }

  atHand(multihash: Uint8Array, isWhole: (bytes: Uint8Array) => boolean = () => true): Uint8Array | undefined {
    const bytes = this.#blocks.get(byteString(multihash))
    return bytes !== undefined && isWhole(bytes) ? bytes : undefined
  }

  async putBytes(multihash: Uint8Array, bytes: Uint8Array, options?: Options): Promise<void> {
    options?.signal?.throwIfAborted()
    const name = byteString(multihash)
    // A copy: what callers hand in may be a view of something larger, or be filled anew.
    if (!this.#blocks.has(name)) this.#blocks.set(name, new Uint8Array(bytes))
  }

  async putAll(blocks: readonly StoredBlock[], options?: Options): Promise<void> {
    for (const { multihash, bytes } of blocks) await this.putBytes(multihash, bytes, options)
  }

  async hasMultihash(multihash: Uint8Array, options?: Options): Promise<boolean> {
    options?.signal?.throwIfAborted()
    return this.#blocks.has(byteString(multihash))
  }

  async sizeOf(multihash: Uint8Array, options?: Options): Promise<number | undefined> {
    options?.signal?.throwIfAborted()
    return this.#blocks.get(byteString(multihash))?.byteLength
  }

  async deleteMultihash(multihash: Uint8Array, options?: Options): Promise<boolean> {
    options?.signal?.throwIfAborted()
    return this.#blocks.delete(byteString(multihash))
  }

  async deleteAll(multihashes: readonly Uint8Array[], options?: Options): Promise<ReadonlyArray<number | undefined>> {
    options?.signal?.throwIfAborted()
    return multihashes.map(multihash => {
      const name = byteString(multihash)
      const size = this.#blocks.get(name)?.byteLength
      this.#blocks.delete(name)
      return size
    })
  }

  async *listMultihashes(options?: Options): AsyncGenerator<Uint8Array> {
    options?.signal?.throwIfAborted()
    for (const name of this.#blocks.keys()) {
      options?.signal?.throwIfAborted()
      yield new Uint8Array(Buffer.from(name, 'latin1'))
    }
  }

  async totals(options?: Options): Promise<BlockTotals> {
    options?.signal?.throwIfAborted()
    let bytes = 0
    for (const block of this.#blocks.values()) bytes += block.byteLength
    return { blocks: this.#blocks.size, bytes }
  }

  /** Memory outlives nothing. */
  async sync(): Promise<void> {}

  async tidy(): Promise<void> {}
}
