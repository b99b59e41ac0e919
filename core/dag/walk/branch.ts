import type { CID } from 'multiformats/cid'
import type { BlockOptions, Blocks } from '../../services/storage/blocks.ts'
import type { ReadAhead } from '../../services/storage/read-ahead.ts'

/** The form that children are loaded in: blocks, by default, or what is made of them. Its length is what it counts for. */
export interface Measured {
  readonly length: number
}

/** A find among several children that were asked for together, each as {@link Blocks.readAll} has it. */
export type FoundChild<T> = T | Promise<T | undefined> | undefined

/** The narrowest thing that children can be loaded from. */
export interface ChildSource<T extends Measured> {
  get(cid: CID, options?: BlockOptions): Promise<T> | T
  /** See {@link Blocks.readAll}. */
  readAll?(cids: readonly CID[], options?: BlockOptions): Promise<ReadonlyArray<FoundChild<T>>>
  /** Whether it is known before a child is loaded that its length will be 0. */
  isEmpty?(cid: CID): boolean
  /** See {@link Blocks.reading}. */
  reading?: Blocks['reading']
}

/** The narrowest thing blocks can be read from. */
export interface BlockSource extends ChildSource<Uint8Array> {
  atHand?: Blocks['atHand']
  readAll?: Blocks['readAll']
}

/** A node whose children are visited in order. */
export interface Branch {
  readonly length: number
  /** The first child that must not be asked for yet. Default: none. Who takes children sees to it that this one comes in time. */
  readonly known?: number
  /** The block behind a child; undefined where nothing has to be loaded for it. */
  load(index: number): CID | undefined
  /** Bytes the child is expected to hold, where that is known: how far to read ahead for a range. */
  weight?(index: number): number
  /** Memory that is kept as long as the branch is, or is open, in bytes. */
  readonly held: number
  /** The block that it can be opened from again once it was closed. Default: it stays open. */
  readonly block?: CID
  /** Lets go of what `held` counts. Nobody asks a closed branch for anything but its `length`, `held` and `block`. */
  close?(): void
  /** Has what {@link close} let go again, in a walk that loads blocks. */
  reopen?(block: Uint8Array): void
}

/** A child that was reached, with its block or what was loaded in its place, if it has one. */
export interface Reached<B extends Branch, T = Uint8Array> {
  readonly branch: B
  readonly index: number
  readonly cid: CID | undefined
  readonly loaded: T | undefined
}

export interface WalkLimits {
  /** Blocks asked for ahead of the one that is looked at. Default 32. */
  ahead?: number
  /** The same at the start, from where it grows. Default 2: whoever leaves early has loaded little. */
  aheadAtFirst?: number
  /** Bytes of blocks that were loaded ahead; lengths, where it is something else that is loaded. Default 8 MiB. */
  aheadBytes?: number
  /** Children that load ahead however long they are. Default 0. */
  leastAhead?: number
  /** The length that a child is expected to have while none was seen. Default 0. */
  usual?: number
  /** Bytes of blocks whose children are not all visited yet. Default 128 MiB. */
  held?: number
  /** The memory that all walks share. Default: this one has none but its own limits. */
  budget?: ReadAhead | undefined
}
