import type { InputPair, Blockstore as InterfaceBlockstore, Pair } from 'interface-blockstore'
import { NotFoundError } from 'interface-store'
import { CID } from 'multiformats/cid'
import { decode } from 'multiformats/hashes/digest'
import { RAW } from '../cid/codes.ts'
import type { BlockTotals, FastBlocks, StoredBlock } from '../services/storage/blockstore.ts'
import { type BlockBytes, whole } from './bytes.ts'

interface Options {
  signal?: AbortSignal
}

/** The ecosystem's interface over {@link FastBlocks}: a store that extends this writes only the latter. */
export abstract class FastBlockstore implements InterfaceBlockstore, FastBlocks {
  abstract getBytes(multihash: Uint8Array, options?: Options): Promise<Uint8Array | undefined>
  abstract putBytes(multihash: Uint8Array, bytes: Uint8Array, options?: Options): Promise<void>
  abstract putAll(blocks: readonly StoredBlock[], options?: Options): Promise<void>
  abstract hasMultihash(multihash: Uint8Array, options?: Options): Promise<boolean>
  abstract sizeOf(multihash: Uint8Array, options?: Options): Promise<number | undefined>
  abstract deleteMultihash(multihash: Uint8Array, options?: Options): Promise<boolean>
  abstract deleteAll(multihashes: readonly Uint8Array[], options?: Options): Promise<ReadonlyArray<number | undefined>>
  abstract listMultihashes(options?: Options): AsyncIterable<Uint8Array>
  abstract totals(options?: Options): Promise<BlockTotals>
  abstract sync(): Promise<void>
  abstract tidy(options?: Options): Promise<void>

  async put(cid: CID, bytes: BlockBytes, options?: Options): Promise<CID> {
    options?.signal?.throwIfAborted()
    await this.putBytes(cid.multihash.bytes, await whole(bytes), options)
    return cid
  }

  async *putMany(source: Iterable<InputPair> | AsyncIterable<InputPair>, options?: Options): AsyncGenerator<CID> {
    for await (const { cid, bytes } of source) yield this.put(cid, bytes, options)
  }

  /** @throws NotFoundError, as the ecosystem's stores do */
  async *get(cid: CID, options?: Options): AsyncGenerator<Uint8Array> {
    const bytes = await this.getBytes(cid.multihash.bytes, options)
    if (bytes === undefined) throw new NotFoundError(`could not find ${cid}`)
    yield bytes
  }

  async *getMany(source: Iterable<CID> | AsyncIterable<CID>, options?: Options): AsyncGenerator<Pair> {
    for await (const cid of source) yield { cid, bytes: this.get(cid, options) }
  }

  async *getAll(options?: Options): AsyncGenerator<Pair> {
    for await (const multihash of this.listMultihashes(options)) {
      const cid = CID.createV1(RAW, decode(multihash))
      yield { cid, bytes: this.get(cid, options) }
    }
  }

  has(cid: CID, options?: Options): Promise<boolean> {
    return this.hasMultihash(cid.multihash.bytes, options)
  }

  async delete(cid: CID, options?: Options): Promise<void> {
    await this.deleteMultihash(cid.multihash.bytes, options)
  }

  async *deleteMany(source: Iterable<CID> | AsyncIterable<CID>, options?: Options): AsyncGenerator<CID> {
    for await (const cid of source) {
      await this.delete(cid, options)
      yield cid
    }
  }
}
