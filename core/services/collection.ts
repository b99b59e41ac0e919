import type { CID } from 'multiformats/cid'
import { type Token, token } from '../token.ts'
import type { BlockOptions } from './blocks.ts'

/** Ends what it stands for; a second time does nothing. */
export interface Lease {
  release(): void
}

/** What is kept: one block, or with `recursive` all that it links to as well. */
export interface Root {
  readonly cid: CID
  readonly recursive: boolean
  /** Blocks of its graph that are not here are no reason to stop: as much as there is of it is kept. */
  readonly bestEffort?: boolean
}

/**
 * Lets blocks be removed beside those who write: a write barrier, as concurrent collectors have it. Calls of commands whose access is
 * `write` hold a lease from their start to the end of their answer; whoever writes outside of such a call holds one himself, from before
 * the first block is stored until what keeps the blocks is written.
 */
export interface WriteBarrier {
  /** While it is held, no block that is stored (by anybody) meanwhile is removed by a collection; neither is one that was there already. */
  hold(): Lease
  /**
   * Called by the {@link Blocks} service before it stores blocks or finds them there already. A promise where some are being removed at
   * this very moment; undefined, nearly always, where there is nothing to wait for.
   */
  storing(multihash: Uint8Array): Promise<void> | undefined
  /**
   * Says before a graph is looked at that it is about to be kept. What of it is here once this resolves stays, until the lease is
   * released: by then the root is among those of a {@link RootSource}.
   */
  announce(root: Root): Promise<Lease>
}
export const WriteBarrier: Token<WriteBarrier> = token<WriteBarrier>('write-barrier')

/** Somebody who keeps things: pins, the mutable tree, a third party's plugin. */
export interface RootSource {
  /** For messages and for people who ask why something is kept, e.g. `pins`. */
  readonly name: string
  /** All its roots as they are at this moment. */
  roots(options?: { signal?: AbortSignal }): AsyncIterable<Root>
}

/** A block that was removed, or why one was not. */
export type Collected = { readonly cid: CID; readonly bytes: number } | { readonly error: Error }

/** Removes the blocks that no root reaches, beside everything else that goes on. */
export interface Collector {
  /** To be called in a service's `start`. The lease takes the source out again. */
  addRoots(source: RootSource): Lease
  /** One at a time; a second call waits. @throws E_COLLECTION_ABORTED, nothing having been removed, where a root's graph cannot be read */
  collect(options?: BlockOptions): AsyncIterable<Collected>
}
export const Collector: Token<Collector> = token<Collector>('collector')
