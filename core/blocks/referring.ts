import type { Blockstore, BlockTotals, FastBlocks, FoundBlock, StoredBlock } from '../services/storage/blockstore.ts'
import type { References } from '../services/storage/references.ts'
import { fastBlocks } from './fast.ts'

interface Options {
  signal?: AbortSignal
}

/** The blocks of a store, and those that are only referred to where the node has such. */
export function storedAndReferred(store: Blockstore, references: References | undefined): FastBlocks {
  const blocks = fastBlocks(store)
  return references?.isEnabled ? new ReferringBlocks(blocks, references) : blocks
}

/** The store comes first in all: a reference is looked for where it has nothing. */
class ReferringBlocks implements FastBlocks {
  readonly #store: FastBlocks
  readonly #references: References

  constructor(store: FastBlocks, references: References) {
    this.#store = store
    this.#references = references
  }

  async getBytes(multihash: Uint8Array, options?: Options): Promise<Uint8Array | undefined> {
    return (await this.#store.getBytes(multihash, options)) ?? this.#references.read(multihash, options)
  }

  atHand(multihash: Uint8Array, isWhole?: (bytes: Uint8Array) => boolean): Uint8Array | undefined {
    return this.#store.atHand?.(multihash, isWhole)
  }

  guards(multihash: Uint8Array): boolean {
    return this.#store.guards?.(multihash) === true
  }

  doubt(multihash: Uint8Array): void {
    this.#store.doubt?.(multihash)
  }

  /** Blocks of the store alone: for what it does not have, {@link getBytes} is asked. */
  async readAll(multihashes: readonly Uint8Array[], options?: Options): Promise<readonly FoundBlock[]> {
    if (this.#store.readAll !== undefined) return this.#store.readAll(multihashes, options)
    return multihashes.map(multihash => this.#store.getBytes(multihash, options))
  }

  putBytes(multihash: Uint8Array, bytes: Uint8Array, options?: Options): Promise<void> {
    return this.#store.putBytes(multihash, bytes, options)
  }

  putAll(blocks: readonly StoredBlock[], options?: Options): Promise<void> {
    return this.#store.putAll(blocks, options)
  }

  async hasMultihash(multihash: Uint8Array, options?: Options): Promise<boolean> {
    return (await this.#store.hasMultihash(multihash, options)) || (await this.#references.get(multihash, options)) !== undefined
  }

  async sizeOf(multihash: Uint8Array, options?: Options): Promise<number | undefined> {
    return (await this.#store.sizeOf(multihash, options)) ?? (await this.#references.get(multihash, options))?.size
  }

  async deleteMultihash(multihash: Uint8Array, options?: Options): Promise<boolean> {
    const referred = await this.#references.delete(multihash, options)
    return (await this.#store.deleteMultihash(multihash, options)) || referred !== undefined
  }

  async deleteAll(multihashes: readonly Uint8Array[], options?: Options): Promise<ReadonlyArray<number | undefined>> {
    const referred: Array<number | undefined> = []
    for (const multihash of multihashes) referred.push(await this.#references.delete(multihash, options))
    const sizes = await this.#store.deleteAll(multihashes, options)
    // what is only referred to frees no bytes of the store
    return sizes.map((size, i) => size ?? (referred[i] === undefined ? undefined : 0))
  }

  async *listMultihashes(options?: Options): AsyncGenerator<Uint8Array> {
    yield* this.#store.listMultihashes(options)
    for await (const { multihash } of this.#references.list(options)) {
      if (!(await this.#store.hasMultihash(multihash, options))) yield multihash
    }
  }

  totals(options?: Options): Promise<BlockTotals> {
    return this.#store.totals(options)
  }

  sync(): Promise<void> {
    return this.#store.sync()
  }

  tidy(options?: Options): Promise<void> {
    return this.#store.tidy(options)
  }
}
