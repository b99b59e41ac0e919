import type { CID } from 'multiformats/cid'
import { DAG_PB, IDENTITY, RAW } from '../../cid/codes.ts'
import { checkCidSecurity } from '../../cid/hashes.ts'
import { cidOfDigest, sumCid } from '../../cid/sum.ts'
import { writePb } from '../../dag/pb-write.ts'
import type { Hasher } from '../../services/content/dag.ts'
import type { Place } from '../../services/storage/references.ts'
import type { Metadata } from '../metadata.ts'
import { UnixFsType } from '../types.ts'
import { type Content, encodeFile, encodeNode, type NodeLink, type Piece } from './encode.ts'
import { importErrors } from './errors.ts'
import type { BlockWriter } from './writer.ts'

/** Longest block that may stand in its own CID, in bytes. Nodes hold the CIDs of their children, so that without a limit a file would end up in memory. */
export const MOST_INLINE = 65_536

/** How the blocks of an import are named. */
export interface NamingOptions {
  readonly cidVersion: 0 | 1
  /** Multihash code. */
  readonly hash: number
  /** Blocks up to this size, in bytes, become identity CIDs. undefined: none do. */
  readonly inlineUpTo?: number
  readonly hasher?: Hasher
}

/** A node that was made: what a link to it needs. */
export interface Built {
  readonly cid: CID
  /** The block and all below it, in bytes: what a link calls Tsize. */
  readonly size: number
}

/**
 * Names blocks and hands them to the writer. Each is hashed once.
 *
 * @throws E_CID_INVALID, E_HASH_INSECURE, E_DIGEST_TOO_SHORT and its kin, E_INLINE_TOO_LONG
 */
export class NodeBuilder {
  readonly #naming: NamingOptions
  readonly #writer: BlockWriter

  constructor(naming: NamingOptions, writer: BlockWriter) {
    this.#naming = naming
    this.#writer = writer
  }

  /** The CID of a block. Raw blocks have version 1, also where the rest has 0. */
  name(codec: number, bytes: Uint8Array): CID {
    const { cidVersion, hash, inlineUpTo, hasher } = this.#naming
    const inline = inlineUpTo !== undefined && bytes.length <= inlineUpTo
    if ((inline || hash === IDENTITY) && bytes.length > MOST_INLINE) throw importErrors.E_INLINE_TOO_LONG(bytes.length, MOST_INLINE)
    if (inline) return cidOfDigest(1, codec, IDENTITY, bytes)
    return sumCid({ version: codec === RAW ? 1 : cidVersion, codec, hash }, bytes, hasher)
  }

  /** @param place - where the bytes lie, to note that instead of storing them */
  async block(codec: number, bytes: Uint8Array, done?: () => void, place?: Place): Promise<CID> {
    const cid = this.name(codec, bytes)
    checkCidSecurity(cid)
    await this.#writer.put(cid, bytes, done, place)
    return cid
  }

  /** A node of a directory, whose names may be no text. */
  node(links: readonly NodeLink[], data: Uint8Array): Promise<Built> {
    return this.#stored(writePb(links, data), links)
  }

  /** A node over parts of a file. */
  fileNode(pieces: readonly Piece[], metadata?: Metadata): Promise<Built> {
    return this.#stored(encodeFile(pieces, metadata), pieces)
  }

  /** A leaf that says more than its content. */
  leaf(content: Content): Promise<Built> {
    return this.#stored(encodeNode(content), [])
  }

  symlink(target: Uint8Array, metadata?: Metadata): Promise<Built> {
    return this.leaf({ type: UnixFsType.Symlink, data: target, metadata })
  }

  async #stored(block: Uint8Array, below: readonly { readonly size: number }[]): Promise<Built> {
    const cid = await this.block(DAG_PB, block)
    return { cid, size: totalOf(block, below) }
  }
}

/** Bytes of a block and of all below it. */
export function totalOf(block: Uint8Array, below: readonly { readonly size: number }[]): number {
  return below.reduce((sum, { size }) => sum + size, block.length)
}
