import type { InputPair } from 'interface-blockstore'
import { CID } from 'multiformats/cid'
import { decode } from 'multiformats/hashes/digest'
import { RAW } from '../cid/codes.ts'
import type { Blockstore, BlockTotals, FastBlocks, StoredBlock } from '../services/storage/blockstore.ts'
import { whole } from './bytes.ts'

/** `putMany` at a time, for what is put together: most stores put its blocks one after the other. */
const AT_ONCE = 32

interface Options {
  signal?: AbortSignal
}

/** The store's own fast path, or one made of the ecosystem's interface, so that any `interface-blockstore` can serve a node. */
export function fastBlocks(store: Blockstore): FastBlocks {
  return typeof store.getBytes === 'function' ? (store as FastBlocks) : new AnyStore(store)
}

class AnyStore implements FastBlocks {
  readonly #store: Blockstore

  constructor(store: Blockstore) {
    this.#store = store
  }

  async getBytes(multihash: Uint8Array, options?: Options): Promise<Uint8Array | undefined> {
    try {
      return await whole(this.#store.get(cidOf(multihash), options))
    } catch (error) {
      if (isNotFound(error)) return undefined
      throw error
    }
  }

  async putBytes(multihash: Uint8Array, bytes: Uint8Array, options?: Options): Promise<void> {
    await this.#store.put(cidOf(multihash), copyOf(bytes), options)
  }

  async putAll(blocks: readonly StoredBlock[], options?: Options): Promise<void> {
    const pairs = blocks.map(({ multihash, bytes }) => ({ cid: cidOf(multihash), bytes: copyOf(bytes) }))
    const size = Math.ceil(pairs.length / AT_ONCE)
    const puts: Promise<void>[] = []
    for (let at = 0; at < pairs.length; at += size) puts.push(this.#putMany(pairs.slice(at, at + size), options))
    await Promise.all(puts)
  }

  async #putMany(pairs: Iterable<InputPair>, options: Options | undefined): Promise<void> {
    for await (const _ of this.#store.putMany(pairs, options));
  }

  async hasMultihash(multihash: Uint8Array, options?: Options): Promise<boolean> {
    return this.#store.has(cidOf(multihash), options)
  }

  async sizeOf(multihash: Uint8Array, options?: Options): Promise<number | undefined> {
    return (await this.getBytes(multihash, options))?.byteLength
  }

  async deleteMultihash(multihash: Uint8Array, options?: Options): Promise<boolean> {
    const cid = cidOf(multihash)
    if (!(await this.#store.has(cid, options))) return false
    await this.#store.delete(cid, options)
    return true
  }

  deleteAll(multihashes: readonly Uint8Array[], options?: Options): Promise<ReadonlyArray<number | undefined>> {
    return Promise.all(multihashes.map(async multihash => ((await this.deleteMultihash(multihash, options)) ? 0 : undefined)))
  }

  async *listMultihashes(options?: Options): AsyncGenerator<Uint8Array> {
    for await (const { cid } of this.#store.getAll(options)) yield cid.multihash.bytes
  }

  async totals(options?: Options): Promise<BlockTotals> {
    let blocks = 0
    let bytes = 0
    for await (const pair of this.#store.getAll(options)) {
      blocks++
      for await (const chunk of pair.bytes) bytes += chunk.byteLength
    }
    return { blocks, bytes }
  }

  async sync(): Promise<void> {
    await this.#store.sync?.()
  }

  async tidy(options?: Options): Promise<void> {
    await this.#store.tidy?.(options)
  }
}

/** Stores of the ecosystem may keep what they are given, which belongs to the caller again once the put is over. */
function copyOf(bytes: Uint8Array): Uint8Array {
  return new Uint8Array(bytes)
}

function cidOf(multihash: Uint8Array): CID {
  return CID.createV1(RAW, decode(multihash))
}

function isNotFound(error: unknown): boolean {
  return error instanceof Error && error.name === 'NotFoundError'
}
