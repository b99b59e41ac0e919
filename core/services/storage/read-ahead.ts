import { type Token, token } from '../../token.ts'

/** A reader that loads blocks before they are asked of it, and can load them again. */
export interface AheadReader {
  /** Drops what was loaded and not taken so far. Does nothing while somebody waits for a block. */
  giveBack(): void
}

/** A walk that keeps nodes open, and can close and open them again. */
export interface NodeKeeper {
  /** When it asked for something last, in milliseconds of `performance.now()`. */
  readonly askedAt: number
  /** Closes its nodes. Does nothing while somebody waits for a block. */
  closeNodes(): void
}

/** The nodes with links still to be followed that all walks keep open together. */
export interface OpenNodes {
  /** Counts bytes that a keeper holds from now on. Others, those first that asked longest ago, close theirs where all have more than they may. */
  add(keeper: NodeKeeper, bytes: number): void
  remove(keeper: NodeKeeper, bytes: number): void
}

/** The memory, in bytes, that all who read blocks ahead share, and what of it callers have not finished with. */
export interface ReadAhead {
  /** Whether there is room for so many bytes more. Readers that have asked for nothing for a second or more give back what they hold, where that helps. */
  room(bytes: number): boolean
  /** Whether many readers hold some of it, so that the memory of what is read for them should go back to the system after them. */
  readonly isCrowded: boolean
  /** Counts bytes that `reader` holds from now on, or is loading, be there room or not. */
  take(reader: AheadReader, bytes: number): void
  /** Counts bytes that `reader` holds no longer; all of them where their number is left out. */
  release(reader: AheadReader, bytes?: number): void
  /**
   * Hands a piece over, counted until the callback is called. Half of the memory may be in the hands of callers that have not finished with their pieces.
   *
   * @returns undefined where that is exceeded: the piece should go out in small parts, and be dropped meanwhile
   */
  handOver(bytes: number): (() => void) | undefined
  /** As much again, for the nodes on the way to what is read. */
  readonly nodes: OpenNodes
}
export const ReadAhead: Token<ReadAhead> = token<ReadAhead>('read-ahead')
