import { type BlockTotals, type FastBlocks, FastBlockstore, type FoundBlock, type StoredBlock } from 'holdfast'
import { type Cipher, OVERHEAD } from './cipher.ts'
import { errors } from './errors.ts'
import { nameIn, sealedMultihash } from './multihash.ts'

interface Options {
  signal?: AbortSignal
}

/** Blocks sealed in another store, whose names tell nothing either. Sizes and multihashes are known without opening a block. */
export class EncryptedBlockstore extends FastBlockstore {
  /** Where the inner store has it. */
  readonly filesInRepo: FastBlocks['filesInRepo']
  readonly #inner: FastBlocks
  readonly #cipher: Cipher

  constructor(inner: FastBlocks, cipher: Cipher) {
    super()
    this.#inner = inner
    this.#cipher = cipher
    if (inner.filesInRepo) this.filesInRepo = options => inner.filesInRepo!(options)
  }

  async getBytes(multihash: Uint8Array, options?: Options): Promise<Uint8Array | undefined> {
    return this.#opened(multihash, await this.#inner.getBytes(this.#nameOf(multihash), options))
  }

  async readAll(multihashes: readonly Uint8Array[], options?: Options): Promise<readonly FoundBlock[]> {
    const names = multihashes.map(multihash => this.#nameOf(multihash))
    const all = (await this.#inner.readAll?.(names, options)) ?? names.map(name => this.#inner.getBytes(name, options))
    return all.map(async (found, i) => this.#opened(multihashes[i]!, await found))
  }

  async putBytes(multihash: Uint8Array, bytes: Uint8Array, options?: Options): Promise<void> {
    await this.putAll([{ multihash, bytes }], options)
  }

  /** The inner store cannot tell whether a block that it has is whole, so this does. */
  async putAll(blocks: readonly StoredBlock[], options?: Options): Promise<void> {
    const sealed = await Promise.all(
      blocks.map(async ({ multihash, bytes }) => {
        const name = this.#nameOf(multihash)
        const there = await this.#inner.getBytes(name, options)
        if (there !== undefined && this.#cipher.open(multihash, there) !== undefined) return []
        if (there !== undefined) await this.#inner.deleteMultihash(name, options)
        return [{ multihash: name, bytes: this.#cipher.seal(multihash, bytes) }]
      })
    )
    await this.#inner.putAll(sealed.flat(), options)
  }

  hasMultihash(multihash: Uint8Array, options?: Options): Promise<boolean> {
    return this.#inner.hasMultihash(this.#nameOf(multihash), options)
  }

  async hasAll(multihashes: readonly Uint8Array[], options?: Options): Promise<readonly boolean[]> {
    const names = multihashes.map(multihash => this.#nameOf(multihash))
    return (await this.#inner.hasAll?.(names, options)) ?? Promise.all(names.map(name => this.#inner.hasMultihash(name, options)))
  }

  async sizeOf(multihash: Uint8Array, options?: Options): Promise<number | undefined> {
    return openedSize(await this.#inner.sizeOf(this.#nameOf(multihash), options))
  }

  deleteMultihash(multihash: Uint8Array, options?: Options): Promise<boolean> {
    return this.#inner.deleteMultihash(this.#nameOf(multihash), options)
  }

  async deleteAll(multihashes: readonly Uint8Array[], options?: Options): Promise<ReadonlyArray<number | undefined>> {
    const names = multihashes.map(multihash => this.#nameOf(multihash))
    return (await this.#inner.deleteAll(names, options)).map(openedSize)
  }

  /** What somebody else put into the inner store is not this one's. */
  async *listMultihashes(options?: Options): AsyncGenerator<Uint8Array> {
    for await (const one of this.#inner.listMultihashes(options)) {
      const name = nameIn(one)
      const multihash = name && this.#cipher.openName(name)
      if (multihash !== undefined) yield multihash
    }
  }

  async totals(options?: Options): Promise<BlockTotals> {
    const { blocks, bytes } = await this.#inner.totals(options)
    return { blocks, bytes: Math.max(0, bytes - blocks * OVERHEAD) }
  }

  sync(): Promise<void> {
    return this.#inner.sync()
  }

  async tidy(options?: Options): Promise<void> {
    await this.#inner.tidy(options)
  }

  #nameOf(multihash: Uint8Array): Uint8Array {
    return sealedMultihash(this.#cipher.sealName(multihash))
  }

  #opened(multihash: Uint8Array, sealed: Uint8Array | undefined): Uint8Array | undefined {
    if (sealed === undefined) return undefined
    const bytes = this.#cipher.open(multihash, sealed)
    if (bytes === undefined) throw errors.E_BLOCK_UNREADABLE(Buffer.from(multihash).toString('hex'))
    return bytes
  }
}

/** 0 where the inner store does not know it. */
function openedSize(size: number | undefined): number | undefined {
  return size && Math.max(0, size - OVERHEAD)
}
