import type { CID } from 'multiformats/cid'
import { type Token, token } from '../../token.ts'
import type { Block, Lease } from '../storage/blocks.ts'
import type { NetworkOptions } from './network.ts'

/** How a block is asked for that is not here. */
export interface FetchOptions extends NetworkOptions {
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

/** Other peers as a source of blocks. Absent on an offline node. */
export interface Exchange extends BlockSource {
  /** The block's bytes, from whichever peer has it; do not change them. Waits until one does, or `signal` fires. */
  get(cid: CID, options?: FetchOptions): Promise<Uint8Array>
}
export const Exchange: Token<Exchange> = token<Exchange>('exchange')

/** The traffic with a peer, both ways, in bytes of blocks, and in how many blocks. */
export interface ExchangeLedger {
  readonly sent: number
  readonly received: number
  readonly exchanged: number
}

/** Totals of bitswap since the node started. Sizes are bytes of blocks. */
export interface BitswapStat {
  readonly wantlist: readonly CID[]
  /** Peers that are connected and speak bitswap, base58. Sorted. */
  readonly peers: readonly string[]
  readonly blocksReceived: number
  readonly dataReceived: number
  readonly duplicateBlocksReceived: number
  readonly duplicateDataReceived: number
  readonly messagesReceived: number
  readonly blocksSent: number
  readonly dataSent: number
}

/** The exchange of blocks by bitswap 1.2.0, for those who look at it. Absent on an offline node. */
export interface Bitswap {
  /** Totals since the start, and who is there. */
  stat(): BitswapStat
  /** The CIDs that this node wants of others. */
  wantlist(): readonly CID[]
  /** The CIDs that a peer (base58) wants of this node; undefined where nothing is known of it. */
  wantlistOf(peer: string): readonly CID[] | undefined
  /** The traffic with a peer (base58); all zero where nothing was. */
  ledger(peer: string): ExchangeLedger
}
export const Bitswap: Token<Bitswap> = token<Bitswap>('bitswap')
