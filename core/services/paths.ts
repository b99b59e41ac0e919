import type { CID } from 'multiformats/cid'
import { type Token, token } from '../token.ts'
import type { BlockOptions } from './blocks.ts'

export interface Resolved {
  /** `ipfs` (UnixFS-aware) or `ipld` (pure data model). */
  readonly namespace: 'ipfs' | 'ipld'
  /** The root of the path, after names were resolved. */
  readonly root: CID
  /** The last block on the way. */
  readonly cid: CID
  /** What is left inside that block: `''` or `/a/b`. */
  readonly remainder: string
  /** The path as it was understood, e.g. `/ipfs/Qm…/a`. */
  readonly path: string
}

/** Resolves the rest of a namespace's path, e.g. an IPNS name, into a path of another. One step, or all with `recursive`. */
export type NamespaceResolver = (name: string, options: BlockOptions & { recursive?: boolean }) => Promise<string>

/**
 * Content paths to CIDs: `/ipfs/…`, `/ipld/…`, `/ipns/…`, bare CIDs with or without a rest (`Qm…/a/b`).
 *
 * @throws E_PATH_INVALID and its kin (core/errors/path.ts), E_LINK_MISSING, E_BLOCK_NOT_FOUND
 */
export interface PathResolver {
  resolve(text: string, options?: BlockOptions): Promise<Resolved>
  /** Whoever can resolve a namespace says so; a second one for the same is an error. */
  addNamespace(namespace: string, resolver: NamespaceResolver): void
}
export const PathResolver: Token<PathResolver> = token<PathResolver>('paths')
