import type { CID } from 'multiformats/cid'
import { byteString } from '../../../core/go/utf8.ts'

/** Names of the protocol, the preferred first (boxo, bitswap/network). */
export const PROTOCOLS = ['/ipfs/bitswap/1.2.0', '/ipfs/bitswap/1.1.0', '/ipfs/bitswap/1.0.0', '/ipfs/bitswap'] as const

/** Most bytes of a message (boxo, bitswap/network). */
export const MOST_BYTES = 4 * 1024 * 1024

/**
 * Most blocks and answers of a message: far more than a peer is asked for at a time. A few bytes of the wire are a CID to be read, so that by
 * its length alone a message could hold the node for seconds.
 */
export const MOST_PARTS = 16_384

/** Longest CID that is asked for or served, in bytes (boxo, bitswap/internal/defaults). */
export const LONGEST_CID = 168

/** The kind of a want: a block, or only whether it has it. */
export interface WantEntry {
  readonly cid: CID
  /** Higher is wanted sooner. */
  readonly priority: number
  readonly cancel: boolean
  readonly kind: 'block' | 'have'
  /** Whether the peer should say so where it does not have it. */
  readonly sendDontHave: boolean
}

/** Whether a peer has a block. */
export interface Presence {
  readonly cid: CID
  readonly have: boolean
}

export interface WireBlock {
  /** All of the CID but its digest; undefined in the protocol's first version, whose blocks are all named by SHA-256. */
  readonly prefix: Prefix | undefined
  readonly data: Uint8Array
}

/** A CID without its digest. */
export interface Prefix {
  readonly version: number
  readonly codec: number
  readonly hash: number
  /** Bytes of the digest; -1 for as many as the function makes. */
  readonly size: number
}

/** A message as it was received. */
export interface Received {
  /** Read anew with each iteration: there may be a great many. @throws E_BITSWAP_MESSAGE */
  wants(): Iterable<WantEntry>
  /** Whether the wants are all that the peer has. */
  readonly full: boolean
  readonly blocks: readonly WireBlock[]
  readonly presences: readonly Presence[]
  /** Whether it has no block, answer or want. */
  readonly isEmpty: boolean
}

/** The content of a message to a peer. */
export interface Outgoing {
  readonly wants: readonly WantEntry[]
  readonly presences: readonly Presence[]
  readonly blocks: ReadonlyArray<{ readonly cid: CID; readonly bytes: Uint8Array }>
}

/** The name of a block in maps: by its multihash, as CIDs of other versions and codecs name the same bytes. */
export function keyOf({ multihash: { bytes } }: CID): string {
  return byteString(bytes)
}
