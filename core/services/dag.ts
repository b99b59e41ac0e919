import type { CID } from 'multiformats/cid'
import type { Node } from '../dag/model.ts'
import type { Failed, SeenCids } from '../dag/walk.ts'
import { type Token, token } from '../token.ts'
import type { BlockOptions } from './blocks.ts'

export type { Node } from '../dag/model.ts'

/** A link of a block, in the block's order. */
export interface Link {
  readonly cid: CID
  /** dag-pb's name; `''` elsewhere. */
  readonly name: string
  /** dag-pb's Tsize, where the block gives one. */
  readonly size?: number | bigint
}

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
  /** The same without types: what input becomes before it is encoded anew. Default: `decode`. */
  parse?(bytes: Uint8Array): Node
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
}

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
  /** What is thrown instead of the error that a block gave. */
  onFailure?(error: unknown, at: Failed): Promise<unknown>
}

export interface Visit {
  readonly cid: CID
  readonly bytes: Uint8Array
  readonly depth: number
  readonly parent: CID | undefined
  /** Empty where `maxDepth` is reached. */
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
  codecs(): readonly Codec[]
  hashers(): readonly Hasher[]
  /** What reads a stored block. @throws E_DECODER_CHOICE */
  codec(code: number): Codec
  /** What reads a caller's input. @throws E_NO_DECODER */
  decoder(code: number): Codec
  /** @throws E_NO_ENCODER */
  encoder(code: number): Encoder
  hasher(code: number): Hasher | undefined
  /** The data-model value of a block. */
  load(cid: CID, options?: BlockOptions): Promise<Node>
  /** The links of a block whose bytes are at hand. */
  links(cid: CID, bytes: Uint8Array): readonly Link[]
  /** Depth first, links in order; blocks ahead are loaded while one is looked at. */
  walk(root: CID, options?: WalkOptions): AsyncIterable<Visit>
}
export const Dag: Token<Dag> = token<Dag>('dag')
