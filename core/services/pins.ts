import type { CID } from 'multiformats/cid'
import { type Token, token } from '../token.ts'
import type { BlockOptions } from './blocks.ts'

export type PinMode = 'direct' | 'recursive'

export interface Pin {
  readonly cid: CID
  readonly mode: PinMode
  readonly name: string
}

/** Why a CID is kept. `through` is the recursive root that holds an indirect one. */
export interface Pinned {
  readonly mode: PinMode | 'indirect'
  readonly name: string
  readonly through?: CID
}

export interface PinOptions extends BlockOptions {
  name?: string
  /** Called as blocks are walked, with the number so far. */
  onProgress?(nodes: number): void
}

/**
 * What this node keeps. At most one of direct and recursive per CID; indirect is what a recursive root reaches. Once a call resolves,
 * its change survives power loss.
 */
export interface Pins {
  /** Fetches what is missing, then pins. A recursive add that was interrupted resumes over what it already walked. */
  add(cid: CID, options?: PinOptions & { recursive?: boolean }): Promise<void>
  /** Pins a root whose whole graph the caller has just written itself, without walking it. */
  addWritten(cid: CID, options?: PinOptions): Promise<void>
  remove(cid: CID, options?: BlockOptions & { recursive?: boolean }): Promise<void>
  update(from: CID, to: CID, options?: BlockOptions & { unpin?: boolean }): Promise<void>
  /** The pin of exactly this CID. Constant time. */
  get(cid: CID): Promise<Pin | undefined>
  list(options?: BlockOptions & { mode?: PinMode }): AsyncIterable<Pin>
  /** Everything recursive roots reach, each CID once, without the roots' own pins. */
  indirect(options?: BlockOptions): AsyncIterable<CID>
  /** Whether and why each of these is kept. CIDs that are not are absent from the map (by their string). */
  why(cids: readonly CID[], options?: BlockOptions): Promise<ReadonlyMap<string, Pinned>>
}
export const Pins: Token<Pins> = token<Pins>('pins')
