import type { Blockstore as InterfaceBlockstore } from 'interface-blockstore'
import { type Token, token } from '../../token.ts'
import type { Datastore } from './datastore.ts'

/** A block under the bytes of its multihash (function code, length, digest). */
export interface StoredBlock {
  readonly multihash: Uint8Array
  readonly bytes: Uint8Array
}

/** How many blocks there are, and the sum of their sizes in bytes. */
export interface BlockTotals {
  readonly blocks: number
  readonly bytes: number
}

/** A block as a walk over the whole store meets it. */
export interface ListedBlock {
  readonly multihash: Uint8Array
  /** The size in bytes, as the store has it noted. */
  readonly size: number
  /** Unverified, where they lie beside the multihash; else how to read them, without another look-up. Do not change them. */
  readonly bytes: Uint8Array | (() => Promise<Uint8Array | undefined>)
  /** What is wrong with how the store keeps it, where its bytes are whole. Undefined: nothing. */
  readonly flaw?: () => Promise<Error | undefined>
}

/** Blocks that lie in files of their own below the repo's folder. */
export interface BlockFolder {
  /** The folder, relative to the repo. */
  readonly folder: string
  /** Sum of the files' sizes. */
  readonly bytes: number
}

/** A block's bytes; a promise of them where they lie apart from what was looked up; undefined when it is not there. */
export type FoundBlock = Uint8Array | Promise<Uint8Array | undefined> | undefined

interface StoreOptions {
  signal?: AbortSignal
  /** Whether the memory of what is read should go back to the system once nobody has it, though it costs more. */
  transient?: boolean
  /** Whether the blocks need not be kept at hand, as nobody is expected to ask for them soon. */
  cold?: boolean
}

/**
 * Whole blocks by the bytes of their multihash: what the node's own paths use, so that a read costs no generator and a write no CID.
 * A store has all of this or none; `fastBlocks` makes it from the ecosystem's interface where it is missing.
 */
export interface FastBlocks {
  /** The bytes of a block as they lie there, unverified; do not change them. @returns undefined when it is not there */
  getBytes(multihash: Uint8Array, options?: StoreOptions): Promise<Uint8Array | undefined>
  /**
   * The same of what lies in memory, without waiting.
   *
   * @param isWhole - whether the bytes are those of the block; need not be asked again of memory of which it has said so
   * @returns undefined where only {@link getBytes} can tell, and where `isWhole` says no
   */
  atHand?(multihash: Uint8Array, isWhole?: (bytes: Uint8Array) => boolean): Uint8Array | undefined
  /**
   * Whether the store answers for the bytes that it hands out of a block: it holds them with a checksum of its own, or wrote them since the
   * start. Asked once they are read. Absent: no.
   */
  guards?(multihash: Uint8Array): boolean
  /** Told of a block that was found damaged: what is in memory of it is forgotten, and the store answers for it no more. */
  doubt?(multihash: Uint8Array): void
  /** Several at a time, where the store does that with less work than one by one. Otherwise like {@link getBytes}. */
  readAll?(multihashes: readonly Uint8Array[], options?: StoreOptions): Promise<readonly FoundBlock[]>
  /**
   * Resolves when the block survives the death of this process; the memory of `bytes` is the caller's again then. One that is there
   * already costs a look-up; one that was damaged is mended.
   */
  putBytes(multihash: Uint8Array, bytes: Uint8Array, options?: StoreOptions): Promise<void>
  /** Same for several, in as few writes as the store can. Not atomic. */
  putAll(blocks: readonly StoredBlock[], options?: StoreOptions): Promise<void>
  /**
   * Stores a block by another name of a file (a hard link), of which the caller knows that it holds exactly the block and that nobody will change
   * it. Resolves like {@link putBytes}.
   *
   * @param size - of the file, in bytes
   * @returns false where the store or its file system cannot do that for this one: it has to be put then
   */
  linkFile?(multihash: Uint8Array, file: string, size: number, options?: StoreOptions): Promise<boolean>
  /** Whether the block lies here, without reading it. */
  hasMultihash(multihash: Uint8Array, options?: StoreOptions): Promise<boolean>
  /** The same of several, in their order, where the store does that with less work than one by one. */
  hasAll?(multihashes: readonly Uint8Array[], options?: StoreOptions): Promise<readonly boolean[]>
  /** @returns undefined when it is not there */
  sizeOf(multihash: Uint8Array, options?: StoreOptions): Promise<number | undefined>
  /** @returns false when it was not there */
  deleteMultihash(multihash: Uint8Array, options?: StoreOptions): Promise<boolean>
  /** @returns the size of each that was there, in their order; 0 where the store would have to read the block to know it */
  deleteAll(multihashes: readonly Uint8Array[], options?: StoreOptions): Promise<ReadonlyArray<number | undefined>>
  /** The multihashes of all blocks in the store's order. Those written or removed meanwhile may or may not be met. */
  listMultihashes(options?: StoreOptions): AsyncIterable<Uint8Array>
  /** The same with what is known of each, where the store has that at hand. For who reads all of them. */
  listBlocks?(options?: StoreOptions): AsyncIterable<ListedBlock>
  /** How many blocks there are and their bytes, as the store has counted them. */
  totals(options?: StoreOptions): Promise<BlockTotals>
  /** Where the store has files in the repo and knows their size without looking at each. */
  filesInRepo?(options?: StoreOptions): Promise<BlockFolder>
  /**
   * A durability point: blocks stored before survive power loss once this resolves. It fails as long as some are {@link lost}, unless the caller
   * looks at these itself.
   */
  sync(options?: { readonly looksAtLost?: boolean }): Promise<void>
  /** Blocks that were stored, that the disk has lost before they were durable, and that were not stored again. Absent: none are known. */
  lost?(): readonly Uint8Array[]
  /**
   * Whether what `datastore` writes from now on cannot outlive, in a power loss, a block that is stored already: then a record of a block needs
   * no {@link sync} before it. Absent: no.
   */
  precedes?(datastore: Datastore): boolean
  /** Removes what no block owns, e.g. the file of a put that a crash cut off. Part of a collection. */
  tidy(options?: StoreOptions): Promise<void>
}

/**
 * Where blocks lie: any implementation of the ecosystem's interface fits. Blocks are keyed by multihash; codec and version of a CID do
 * not count.
 */
export interface Blockstore extends InterfaceBlockstore, Partial<FastBlocks> {}
export const Blockstore: Token<Blockstore> = token<Blockstore>('blockstore')
