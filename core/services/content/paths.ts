import type { CID } from 'multiformats/cid'
import { type Token, token } from '../../token.ts'
import type { BlockOptions } from '../storage/blocks.ts'

/** Where a path leads. */
export interface Resolved {
  /** `ipfs` (UnixFS-aware) or `ipld` (pure data model). */
  readonly namespace: 'ipfs' | 'ipld'
  /** The root of the path, after names were resolved. */
  readonly root: CID
  /** The last block on the way. */
  readonly cid: CID
  /** The rest of the path inside that block: `''` or `/a/b`. */
  readonly remainder: string
  /** The path as it was understood, e.g. `/ipfs/Qm…/a`. */
  readonly path: string
}

/** How names are followed. */
export interface NameOptions extends BlockOptions {
  /** Follow names that lead to names. */
  recursive?: boolean
  /** How long the DHT may be asked, in nanoseconds; 0 for as long as it takes. */
  dhtTimeout?: bigint
  /** Ask again for what is remembered of earlier calls. */
  nocache?: boolean
  /** Records to take from the DHT before the best of them counts. */
  recordCount?: number
}

/**
 * Resolves the name after a namespace (`NAME` of `/ipns/NAME/a`, never with what follows it) into a path of another, e.g. `/ipfs/Qm…`.
 * One step, or all with `recursive`.
 */
export type NamespaceResolver = (name: string, options: NameOptions) => Promise<string>

/**
 * Content paths to CIDs: `/ipfs/…`, `/ipld/…`, `/ipns/…`, bare CIDs with or without a rest (`Qm…/a/b`).
 *
 * @throws E_PATH_INVALID and its kin (core/path/errors.ts), E_LINK_MISSING, E_BLOCK_NOT_FOUND
 */
export interface PathResolver {
  /** The block that a path leads to, all names in it resolved, and what is left of the path inside of that block. */
  resolve(text: string, options?: BlockOptions): Promise<Resolved>
  /**
   * One step, or all with `recursive`, from a path that starts at a name: `/ipns/NAME/a` to `/ipfs/Qm…/a`. Any other path as it was
   * understood.
   */
  follow(text: string, options?: NameOptions): Promise<string>
  /** Adds the resolver of a namespace, such as `ipns`. @throws where that namespace has one already */
  addNamespace(namespace: string, resolver: NamespaceResolver): void
}
export const PathResolver: Token<PathResolver> = token<PathResolver>('paths')
