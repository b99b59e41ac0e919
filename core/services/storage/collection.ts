import type { CID } from 'multiformats/cid'
import { type Token, token } from '../../token.ts'
import type { BlockOptions, Lease } from './blocks.ts'

/** A root that is kept: one block, or with `recursive` all that it links to as well. */
export interface Root {
  readonly cid: CID
  readonly recursive: boolean
  /** Blocks of its graph that are not here are no reason to stop: as much as there is of it is kept. */
  readonly bestEffort?: boolean
  /** Whether of what a graph below it reaches from here on nobody promised that it is here: then it is kept as with `bestEffort`. */
  readonly isPartial?: ((cid: CID) => boolean) | undefined
}

/** A block without which nobody can tell what a root keeps. */
export interface Missing {
  /** The name of the source of the root. */
  readonly source: string
  readonly cid: CID
  readonly error: Error
}

/**
 * Lets blocks be removed beside those who write: a write barrier, as concurrent collectors have it. Calls of commands that
 * say `blocks: 'stores'` hold a lease from their start to the end of their answer; whoever writes outside of such a call holds one himself, from before
 * the first block is stored until what keeps the blocks is written.
 */
export interface WriteBarrier {
  /**
   * While it is held, no collection removes a block that anybody stores meanwhile, be it there already or not. What is stored with this
   * very `signal` (see {@link BlockOptions}) counts as this lease's own, for which `block/rm` waits; without a `signal`, what nobody
   * else's signal claims.
   */
  hold(options?: { signal?: AbortSignal }): Lease
  /**
   * Called by the {@link Blocks} service before it stores a block or finds it there already, and by whoever relies on a block that it
   * found. A promise where some are being removed at this very moment; undefined, nearly always, where there is nothing to wait for.
   */
  storing(multihash: Uint8Array, options?: BlockOptions): Promise<void> | undefined
  /**
   * Says before a graph is looked at that it is about to be kept. What can be reached of it here once this resolves stays, until the lease
   * is released: by then the root is among those of a {@link RootSource}. Holds a lease as well.
   */
  announce(root: Root): Promise<Lease>
  /**
   * Says that what is here of the graph of `root`, and what of it comes, is being read: no collection takes it until the lease is released. A
   * promise where blocks are being removed at this very moment.
   */
  reading(root: CID): Lease | Promise<Lease>
  /**
   * For who removes blocks: from here on it is known what others store and announce.
   *
   * @param options.sparesReads - whether what is being read counts as announced. Default false: who names blocks to be removed means them
   */
  removal(options?: { sparesReads?: boolean }): Removal
}
export const WriteBarrier: Token<WriteBarrier> = token<WriteBarrier>('write-barrier')

/** A root that is about to be kept, such as by a pin. */
export interface Announced extends Root {
  /** Resolves when the announcement has ended. */
  readonly over: Promise<void>
}

/** A removal of blocks that is under way; released when it is over. */
export interface Removal extends Lease {
  /** Whether the block was stored since this removal began, or since the oldest lease that is still held. Rarely true of another block. */
  keeps(multihash: Uint8Array): boolean
  /** Whether the block was stored since this removal began. Rarely true of another block. */
  hasSeen(multihash: Uint8Array): boolean
  /** Resolves when somebody who holds a lease and stored the block under it has released it; undefined where there is nobody. */
  inUse(multihash: Uint8Array): Promise<void> | undefined
  /**
   * Runs `remove` at a moment at which nobody stores, and nobody does until it is over: it should be short. Before that, every root that
   * is announced is given to `look`, once.
   */
  run<T>(look: (root: Announced) => Promise<void>, remove: () => Promise<T>): Promise<T>
}

/** A keeper of roots that a collection leaves: pins, the mutable tree, a third party's plugin. */
export interface RootSource {
  /**
   * The name in messages and for people who ask why something is kept, e.g. `pins`. The repo remembers it: a collection in whose process no source
   * of this name was added refuses.
   */
  readonly name: string
  /** The name of its plugin, for messages. Default: that of the source. */
  readonly plugin?: string
  /** All its roots as they are at this moment. */
  roots(options?: { signal?: AbortSignal }): AsyncIterable<Root>
}

/** A block that was removed, under a CID of version 1 that says raw, with its size; or why one was not. */
export type Collected = { readonly cid: CID; readonly bytes: number } | { readonly error: Error }

/** Key of the datastore under which a store that was salvaged says since when pins may be lost: nothing is collected as long as it is there. */
export const UNSURE_PINS = '/local/unsure-pins'

/** Key of the datastore that is there since the repo's first pin. */
export const PINS_FORMAT = '/pins/format'

/** Removes the blocks that no root reaches, beside everything else that goes on. */
export interface Collector {
  /** Whether it collects by itself when the repo grows beyond `Datastore.StorageMax`. */
  readonly isPeriodic: boolean
  /**
   * Adds a source of roots; to be called in a service's `start`. The lease takes it out again: what it keeps is not lost by that, as collections refuse
   * until it is back or forgotten.
   */
  addRoots(source: RootSource): Lease
  /**
   * One at a time; a second call waits, but not for one whose iterator is not asked for more: that one begins anew when it is. Ends early
   * with its iterator.
   *
   * @param options.forget - names of sources that are missing, and without which collections go on from now until they are back
   * @throws E_KEEPER_ABSENT where a source that was here before is missing; E_KEEPER_KNOWN where one to forget is not; E_COLLECTION_UNSURE where pins may be lost, see {@link UNSURE_PINS}; E_COLLECTION_ABORTED, nothing having been removed, where a root's graph cannot be read: what is missing came as errors before;
   * E_COLLECTION_INCOMPLETE at the end where a block could not be removed
   */
  collect(options?: BlockOptions & { forget?: readonly string[] }): AsyncIterable<Collected>
  /**
   * Looks for what would keep a collection from beginning, and changes nothing.
   *
   * @throws E_KEEPER_ABSENT behind all that is missing, where a source that was here before is not
   * @param options.most - nodes to read; default all that roots reach
   */
  missing(options?: BlockOptions & { most?: number }): AsyncIterable<Missing>
}
export const Collector: Token<Collector> = token<Collector>('collector')
