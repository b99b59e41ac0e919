import type { CID } from 'multiformats/cid'
import { type Token, token } from '../../token.ts'
import type { BlockOptions } from '../storage/blocks.ts'

/** Whether a pin keeps one block, or all that it links to as well. */
export type PinMode = 'direct' | 'recursive'

/** A pin: a block that is kept because somebody said so. */
export interface Pin {
  readonly cid: CID
  /** `cid` as it is written by default: base58btc for version 0, base32 for version 1. */
  readonly text: string
  readonly mode: PinMode
  /** `''`: none. Names need not be unique. */
  readonly name: string
}

/** Pins in their order. Where all of them are in memory, they may also be had without waiting for each. */
export interface PinList extends AsyncIterable<Pin>, Partial<Iterable<Pin>> {}

/** Why a CID is kept. `through` is the recursive root that holds an indirect one. */
export interface Pinned {
  readonly mode: PinMode | 'indirect'
  readonly name: string
  readonly through?: CID
}

/** How a pin is made. */
export interface PinOptions extends BlockOptions {
  /** The name of the pin. Default none. */
  name?: string
  /** Whether a recursive pin that is there once the graph is stays as it is, with its name. Default false. */
  unlessPinned?: boolean
  /** Called as blocks are walked, with the number so far. */
  onProgress?(nodes: number): void
}

/**
 * The pins of this node. A CID has a recursive pin, a direct one, or (only where `update` made it so) both; indirect is what a recursive
 * root reaches. Once a call resolves, its change survives power loss, and so do the blocks it speaks of that are stored here.
 */
export interface Pins {
  /**
   * Fetches what is missing, then pins; replaces the name of a pin that is there. A recursive add that was interrupted resumes over what
   * it already walked; one that finds a block missing for good ends the recursive pin that was there, as its graph is not whole.
   *
   * @throws E_PIN_RECURSIVE for a direct pin of what has a recursive one, and what fetching throws
   */
  add(cid: CID, options?: PinOptions & { recursive?: boolean }): Promise<void>
  /** Pins a root whose whole graph the caller has just written itself, without walking it. */
  addWritten(cid: CID, options?: PinOptions): Promise<void>
  /**
   * Removes the CID's pins; with `name`, only where its recursive one has it.
   *
   * @throws E_NOT_PINNED; E_PIN_IS_RECURSIVE where `recursive` is false and the pin is not direct
   */
  remove(cid: CID, options?: BlockOptions & { recursive?: boolean; name?: string }): Promise<void>
  /**
   * Gives `to` a recursive pin with the name of `from`'s, fetching only what `from`'s graph does not hold; `unpin` (default) ends `from`'s.
   *
   * @throws E_PIN_FROM, E_PIN_TO, and what fetching throws
   */
  update(from: CID, to: CID, options?: BlockOptions & { unpin?: boolean }): Promise<void>
  /** The pin of exactly this CID, the recursive one first. Constant time. */
  get(cid: CID): Promise<Pin | undefined>
  /** Recursive ones first, in the order of their CIDs' bytes; each CID once, unless a `mode` is asked for. At flat memory. */
  list(options?: BlockOptions & { mode?: PinMode }): PinList
  /** Everything recursive roots reach, each CID once, but for what has a pin of its own. */
  indirect(options?: BlockOptions): AsyncIterable<CID>
  /**
   * Whether and why each of these is kept. CIDs that are not are absent from the map (by their string). With `mode`, only that way of
   * being kept counts. One walk over the recursive roots answers for all; it ends as soon as it can.
   */
  why(cids: readonly CID[], options?: BlockOptions & { mode?: Pinned['mode'] }): Promise<ReadonlyMap<string, Pinned>>
  /**
   * To be called before blocks are removed from the store: what interrupted adds have walked counts no longer, so that none of them takes
   * a removed block for present when it resumes.
   */
  forgetProgress(): Promise<void>
}
export const Pins: Token<Pins> = token<Pins>('pins')
