import type { CID } from 'multiformats/cid'
import { type Token, token } from '../../token.ts'
import type { BlockSource, FetchOptions } from '../storage/blocks.ts'

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
