import type { CID } from 'multiformats/cid'
import { type Token, token } from '../../token.ts'
import type { FoundBlock } from './blockstore.ts'
import type { Place } from './references.ts'

/** Options of calls that read, store or remove blocks. */
export interface BlockOptions {
  /** Ends the work when it fires, with its reason as the error. Blocks that are stored with a call's signal are held by the lease of that call. */
  signal?: AbortSignal
  /** Local store only, whatever the node could fetch. */
  offline?: boolean
  /** A caller named this very block, so what is handed out is held against its CID unless the settings say otherwise. */
  asked?: boolean
  /** Whether it is held against its CID whatever the settings say: for calls that keep or remove other blocks because of its links. */
  checked?: boolean
  /** Passes denylists over: for calls that remove what a path names, or tell what is kept. */
  removal?: boolean
  /** Whether memory of the blocks should go back to the system after use, though it costs more: for one of many readers at a time. */
  transient?: boolean
  /** Whether the blocks need not be kept at hand: for calls that store or read very many, which nobody is expected to ask for soon. */
  cold?: boolean
  /** Sources that are asked for the block besides those of the node. */
  also?: readonly BlockSource[]
  /** The lease under which the blocks are stored, where `signal` has none. */
  lease?: Lease
}

/** A block with its name. */
export interface Block {
  readonly cid: CID
  readonly bytes: Uint8Array
}

/**
 * Blocks by CID: the local store, then the sources of what is not here. Every get and put obeys the CID security rules
 * (allowed hashes, digest lengths; Kubo 0.28, boxo/verifcid). Identity CIDs are always there and never stored.
 *
 * @throws E_BLOCK_NOT_FOUND, E_BLOCK_CORRUPT, and what checkCidSecurity of core/cid/hashes.ts throws
 */
export interface Blocks {
  /** The block's bytes; do not change them. */
  get(cid: CID, options?: BlockOptions): Promise<Uint8Array>
  /**
   * The bytes of a block that lies in memory, as {@link get} gives them, without waiting. Whoever replaces one of the two replaces the other.
   *
   * @returns undefined for all that only {@link get} can tell, a refusal included
   */
  atHand?(cid: CID, options?: BlockOptions): Uint8Array | undefined
  /**
   * The blocks, of several, that are stored here, with less work than one by one: what is undefined is to be asked for with {@link get}, which
   * also says what is wrong with it. For who reads ahead.
   */
  readAll?(cids: readonly CID[], options?: BlockOptions): Promise<readonly FoundBlock[]>
  /**
   * Stores what the caller has hashed itself: `cid` is believed. Resolves when the block survives the death of this process;
   * the memory of `bytes` is the caller's again then.
   */
  put(cid: CID, bytes: Uint8Array, options?: BlockOptions): Promise<void>
  /** Same for several, in as few writes as the store can. Not atomic. */
  putAll(blocks: readonly Block[], options?: BlockOptions): Promise<void>
  /**
   * Notes where a block lies instead of storing it, unless it is stored already. Absent where nothing can be referred to.
   *
   * @throws what `add` of the service `References` does
   */
  refer?(cid: CID, place: Place, options?: BlockOptions): Promise<void>
  /** See `reading` of the service `WriteBarrier`. For who reads a graph block by block, from before the second one until the last. */
  reading?(root: CID): Lease | Promise<Lease>
  /** Whether the block is stored here, or referred to; nobody else is asked. */
  has(cid: CID, options?: BlockOptions): Promise<boolean>
  /** The same of several, in their order, with less work than one by one. */
  hasAll?(cids: readonly CID[], options?: BlockOptions): Promise<readonly boolean[]>
  /** Size of a stored block in bytes. */
  size(cid: CID, options?: BlockOptions): Promise<number>
  /** @returns false when it was not there */
  delete(cid: CID, options?: BlockOptions): Promise<boolean>
  /** CIDs (version 1, raw) of all stored blocks, in the store's order. */
  list(options?: BlockOptions): AsyncIterable<CID>
}
export const Blocks: Token<Blocks> = token<Blocks>('blocks')

/** How a block is asked for that is not here. */
export interface FetchOptions {
  /** Ends the wait when it fires, with its reason as the error. */
  signal?: AbortSignal | undefined
  /**
   * Blocks that are asked for with the same one belong together: whoever had one of them is asked first for the next. Default: `signal`, which
   * where several sources are asked is of this block alone.
   */
  readonly session?: object | undefined
}

/** Somebody who may have blocks that are not here: peers, a gateway, an archive. */
export interface BlockSource {
  /**
   * The block's bytes; do not change them. Waits as long as there is hope, and until `signal` fires: the block is here then, or nobody waits for it.
   *
   * @throws why it is not to be had, which names the source
   */
  get(cid: CID, options?: FetchOptions): Promise<Uint8Array>
  /** Whether the bytes that {@link get} gives were held against the CID already. Default false. */
  readonly verifies?: boolean
  /** Tells of blocks that were stored here, for those who wait for one and for peers that want it. Does not wait; the bytes are the caller's after. */
  notify?(blocks: readonly Block[]): void
}

/**
 * All sources of blocks that are not here: the exchange, where there is one, and those that plugins add. All are asked at once for each block, and
 * the first whose bytes are those of the block wins.
 */
export interface BlockSources {
  /** Adds a source, until it is released; to be called in a service's `start`. */
  add(source: BlockSource): Lease
  /** How many there are; 0 where what is not here cannot be had. */
  readonly size: number
}
export const BlockSources: Token<BlockSources> = token<BlockSources>('block-sources')

/** Ends what it stands for; a second time does nothing. */
export interface Lease {
  release(): void
}
