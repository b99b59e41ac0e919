import type { CID } from 'multiformats/cid'
import type { Node } from '../../dag/model.ts'
import type { SeenCids } from '../../dag/walk/seen-cids.ts'
import { type Token, token } from '../../token.ts'
import type { BlockOptions } from '../storage/blocks.ts'

export type { Node } from '../../dag/model.ts'

/** A link of a block, in the block's order. */
export interface Link {
  readonly cid: CID
  /** dag-pb's name; `''` elsewhere. */
  readonly name: string
  /** dag-pb's Tsize, where the block gives one. */
  readonly size?: number | bigint
}

/** Limits of making a block. */
export interface EncodeOptions {
  /** Most bytes the result may have. Default 64 MiB. */
  limit?: number
  /** Given the bytes that were already encoded when an error ends it: a stream to a caller carries them. */
  onFailure?(written: Uint8Array): void
}

/** Turns blocks of one codec into data-model values and back. */
export interface Codec {
  readonly name: string
  readonly code: number
  /** Whether this is a form of input alone: a stored block whose CID names it is not read. */
  readonly inputOnly?: boolean
  /** The value of a stored block, with its types where the codec has a schema. */
  decode(bytes: Uint8Array): Node
  /** As `decode`, for who follows a path into it: lists and maps beside that path may be empty. Default: `decode`. */
  along?(bytes: Uint8Array, path: readonly string[]): Node
  /** As `decode`, without types: what input becomes before it is encoded anew. Default: `decode`. */
  parse?(bytes: Uint8Array): Node
  /** As `decode`, but an error for a block of which the value would lose something, for what is written in another form. Default: `decode`. */
  exact?(bytes: Uint8Array): Node
  /** Absent: blocks of this codec can be read, not made. */
  encode?(node: Node, options?: EncodeOptions): Uint8Array
  /** Only the links, in the block's order, without building values where that can be avoided. */
  links(bytes: Uint8Array): Iterable<Link>
}

/** Makes digests of one hash function. */
export interface Hasher {
  readonly name: string
  readonly code: number
  /** Digest of `bytes`, cut to `length` bytes where the function allows it. */
  digest(bytes: Uint8Array, length?: number): Uint8Array
  /** Begins a digest of bytes that come in pieces. Absent: a long block holds the event loop until it is hashed. */
  begin?(length?: number): Hashing
}

/** A digest that is being made. */
export interface Hashing {
  update(piece: Uint8Array): unknown
  /** The digest of all pieces, as {@link Hasher.digest} makes it. Nothing can be added any more. */
  digest(): Uint8Array
}

/** How far a walk goes, and what it may take. */
export interface WalkOptions extends BlockOptions {
  /** Visit each CID once. Default true. */
  unique?: boolean
  /** The CIDs visited so far, to be shared between walks. */
  seen?: SeenCids
  /** Links to follow from the root; default without limit. */
  maxDepth?: number
  /** Most visits; one more is an error. Default: the setting of the dag plugin. */
  maxVisits?: number
  /** Most memory of blocks that have links still to be followed, in bytes. Default: the setting of the dag plugin. */
  held?: number
  /** Whether a block that could not be loaded is left out, with what hangs below it alone. Default: none is. */
  skips?(error: unknown): boolean
  /** The error that is thrown instead of the one that a block gave. */
  onFailure?(error: unknown, at: Failed): Promise<unknown>
}

/** A block that a walk has come to. */
export interface Visit {
  readonly cid: CID
  readonly bytes: Uint8Array
  /** Links between the root, which has 0, and this block. */
  readonly depth: number
  readonly parent: CID | undefined
  /** The links of the block; none where `maxDepth` is reached. */
  readonly links: readonly Link[]
}

/** A codec that can make blocks. */
export type Encoder = Codec & Required<Pick<Codec, 'encode'>>

/** Codecs, hashers, and graphs of blocks. A plugin can add a codec or a hasher; both are then known to every command of this host. */
export interface Dag {
  /** @throws E_CODEC_TAKEN */
  addCodec(codec: Codec): void
  /** @throws E_HASHER_TAKEN */
  addHasher(hasher: Hasher): void
  /** All that are known, those that plugins added included. */
  codecs(): readonly Codec[]
  /** All that are known, those that plugins added included. */
  hashers(): readonly Hasher[]
  /** The decoder of a stored block. @throws E_DECODER_CHOICE */
  codec(code: number): Codec
  /** The decoder of a caller's input. @throws E_NO_DECODER */
  decoder(code: number): Codec
  /** @throws E_NO_ENCODER */
  encoder(code: number): Encoder
  /** The hash function of a multihash code; undefined for one that is not known. */
  hasher(code: number): Hasher | undefined
  /** The data-model value of a block; with `exact`, an error where it would lose something of the block. */
  load(cid: CID, options?: BlockOptions & { exact?: boolean }): Promise<Node>
  /** The links of a block whose bytes are at hand. */
  links(cid: CID, bytes: Uint8Array): readonly Link[]
  /** Depth first, links in order; blocks ahead are loaded while one is looked at. */
  walk(root: CID, options?: WalkOptions): AsyncIterable<Visit>
}
export const Dag: Token<Dag> = token<Dag>('dag')

/** A link that was followed: the one at `index` of the block `cid`. */
export interface Step {
  readonly cid: CID
  readonly index: number
}

/** The block that could not be loaded or read, and how it was reached: from the root, which no step leads to. */
export interface Failed {
  readonly cid: CID
  readonly steps: readonly Step[]
}
